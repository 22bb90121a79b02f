package run

import (
	"math/rand/v2"
	"slices"
	"testing"

	"locus/check"
)

// A placeLog yields what was added, whether it is in memory or in a file.
func TestPlaceLog(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{0, 64} {
		open := 0
		p := placeLog{journal: journal{create: inFolder(t, &open), most: most}}
		var want []linkPlace
		for range 200 {
			document := []string{"", "a.html", "b/c.html"}[random.IntN(3)]
			p.begin(document)
			for range random.IntN(40) {
				l := linkPlace{random.Int64N(1 << 40), check.Place{Document: document, Line: random.IntN(1 << 20), Column: random.IntN(300)}}
				if err := p.add(l.text, l.Line, l.Column); err != nil {
					t.Fatal(err)
				}
				want = append(want, l)
			}
		}
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		var got []linkPlace
		for l, err := range p.all() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l)
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %d bytes in memory, %d places are read as %d others", most, len(want), len(got))
		}
		if isInFile := p.base > 0; isInFile != (most > 0) {
			t.Errorf("with %d bytes in memory, the file has %d bytes", most, p.base)
		}
		p.tail = append(p.tail, 9) // a link without its line
		var last error
		for _, err := range p.all() {
			last = err
		}
		if last == nil {
			t.Error("a place that is cut off is no error")
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}
}

// A textSet has what was added. Texts are at least textHead bytes apart.
func TestTextSet(t *testing.T) {
	var s textSet
	added := map[int64]bool{}
	for _, at := range []int64{0, 12, 25, 64 * 12, 1 << 20} {
		s.add(at)
		added[at/textHead] = true
	}
	for at := int64(0); at < 1<<21; at += 5 {
		if got := s.has(at); got != added[at/textHead] {
			t.Fatalf("has(%d) = %v", at, got)
		}
	}
}

// Bytes of a journal are changed wherever they are: in the file, in memory, or in both.
func TestJournalPatch(t *testing.T) {
	open := 0
	j := journal{create: inFolder(t, &open), most: 40}
	var want []byte
	for i := range 12 {
		piece := slices.Repeat([]byte{byte('a' + i)}, 7)
		at, err := j.write(piece)
		if err != nil || at != int64(len(want)) {
			t.Fatalf("write = %d, %v, want %d", at, err, len(want))
		}
		want = append(want, piece...)
		for from := range want {
			p := []byte("12345"[:min(5, len(want)-from)])
			if err := j.patch(p, int64(from)); err != nil {
				t.Fatal(err)
			}
			copy(want[from:], p)
			got := make([]byte, len(want))
			if _, err := j.ReadAt(got, 0); err != nil || string(got) != string(want) {
				t.Fatalf("after a change at %d: %q, %v, want %q", from, got, err, want)
			}
		}
	}
	if j.base == 0 || len(j.tail) == 0 {
		t.Errorf("%d bytes are in the file, %d in memory, want some in each", j.base, len(j.tail))
	}
	if err := j.close(); err != nil {
		t.Error(err)
	}
}
