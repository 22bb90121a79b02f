package run

import (
	"math/rand/v2"
	"slices"
	"testing"

	"locus/check"
	"locus/internal/spill"
)

// A placeLog yields the places that were added, from memory and from a file.
func TestPlaceLog(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{0, 64} {
		open := 0
		p := placeLog{Log: spill.Log{Create: spillFiles(inFolder(t, &open)), Most: most}}
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
		if err := p.flushBuffer(); err != nil {
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
			t.Errorf("with at most %d bytes in memory, all() yields %d places that differ from the %d that were added", most, len(got), len(want))
		}
		if isInFile := p.Spilled() > 0; isInFile != (most > 0) {
			t.Errorf("with at most %d bytes in memory, the file has %d bytes", most, p.Spilled())
		}
		_, _ = p.Append([]byte{9}) // a link without its line
		var last error
		for _, err := range p.all() {
			last = err
		}
		if last == nil {
			t.Errorf("with at most %d bytes in memory, all() yields no error for a place that is cut off", most)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
