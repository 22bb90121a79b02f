package spill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inFolder returns a function that creates files, and counts the open ones.
func inFolder(t *testing.T, open *int) func() (File, error) {
	dir := t.TempDir()
	n := 0
	return func() (File, error) {
		n++
		*open++
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(n)))
		return countedFile{f, open}, err
	}
}

type countedFile struct {
	*os.File
	open *int
}

func (f countedFile) Close() error {
	*f.open--
	return f.File.Close()
}

// Texts are found with their states, also after the table has grown, and wherever they are.
func TestTexts(t *testing.T) {
	for _, inMemory := range []int{1 << 10, 0, TextsInMemory} {
		testTexts(t, RecentTexts, inMemory)
		testTexts(t, 64, inMemory)
	}
}

func testTexts(t *testing.T, recent, inMemory int) {
	open := 0
	texts := NewTexts(inFolder(t, &open), recent, inMemory)
	const n = 4000
	states := make([]uint64, n)
	names, long := make([]string, n), strings.Repeat("x", 400)
	for i := range names {
		names[i] = fmt.Sprintf("http://h/%d/%s", i, long[:i%400])
	}
	set := func(i int, state uint64) {
		at, before, err := texts.Put(names[i])
		if before != states[i] {
			t.Fatalf("the state of %.30q is %d, want %d", names[i], before, states[i])
		}
		if err == nil {
			err = texts.SetState(names[i], at, state)
		}
		if err != nil {
			t.Fatal(err)
		}
		states[i] = state
	}
	for i := range n {
		set(i, uint64(i))
		set(rand.IntN(i+1), rand.Uint64())
	}
	for range n {
		set(rand.IntN(n), rand.Uint64())
		i := rand.IntN(n)
		if _, state, ok, err := texts.Find(names[i]); state != states[i] || !ok || err != nil {
			t.Fatalf("find(%.30q) = %d, %v, %v, want %d", names[i], state, ok, err, states[i])
		}
	}
	if _, _, ok, err := texts.Find("http://h/x"); ok || err != nil {
		t.Errorf("Find of a missing text = %v, %v, want false, nil", ok, err)
	}
	if _, _, ok, _ := texts.Find(""); ok {
		t.Error("the empty text is found")
	}
	i, slots := 0, 0
	err := texts.Each(func(s string, _ int64, state uint64) error {
		if s != names[i] || state != states[i] {
			t.Fatalf("text %d is %.30q with state %d", i, s, state)
		}
		i++
		return nil
	})
	if i != n || err != nil {
		t.Errorf("there are %d texts, %v, want %d", i, err, n)
	}
	for _, h := range texts.shards {
		slots += len(h.slots)
	}
	if slots > 2*n {
		t.Errorf("%d slots for %d texts, want two for each at most", slots, n)
	}
	if err := texts.Close(); err != nil {
		t.Error(err)
	}
}

// A TextSet has the texts that were added. Texts are at least TextHead bytes apart.
func TestTextSet(t *testing.T) {
	var s TextSet
	added := map[int64]bool{}
	for _, at := range []int64{0, 12, 25, 64 * 12, 1 << 20} {
		s.Add(at)
		added[at/TextHead] = true
	}
	for at := int64(0); at < 1<<21; at += 5 {
		if got := s.Has(at); got != added[at/TextHead] {
			t.Fatalf("has(%d) = %v", at, got)
		}
	}
}

// Bytes of a Log are changed wherever they are: in the file, in memory, or in both.
func TestLogPatch(t *testing.T) {
	open := 0
	j := Log{Create: inFolder(t, &open), Most: 40}
	var want []byte
	for i := range 12 {
		piece := slices.Repeat([]byte{byte('a' + i)}, 7)
		at, err := j.Append(piece)
		if err != nil || at != int64(len(want)) {
			t.Fatalf("write = %d, %v, want %d", at, err, len(want))
		}
		want = append(want, piece...)
		for from := range want {
			p := []byte("12345"[:min(5, len(want)-from)])
			if err := j.Patch(p, int64(from)); err != nil {
				t.Fatalf("Patch of text %d from %d: %v", i, from, err)
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
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
