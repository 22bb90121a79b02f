package walk

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// each returns a function that finds these files. A name in "!" cannot be read.
func each(names ...string) func(do func(string, error) error) error {
	return func(do func(string, error) error) error {
		for _, name := range names {
			var err error
			if strings.HasPrefix(name, "!") {
				err = errors.New("unreadable")
			}
			if err := do(name, err); err != nil {
				return err
			}
		}
		return nil
	}
}

// The values come in the order of the files, however many files are read at once. A file
// that is read alone is read by the caller.
func TestReader(t *testing.T) {
	var names, want []string
	for i := range 40 {
		name := fmt.Sprintf("%02d", i)
		switch {
		case i%7 == 0:
			name = "!" + name
			want = append(want, name+" unreadable")
		case i%5 == 0:
			name += " alone"
			want = append(want, name+" 0 true", name+" 1 true", name+" 2 true")
		default:
			want = append(want, name+" 0 false", name+" 1 false", name+" 2 false")
		}
		names = append(names, name)
	}
	for _, workers := range []int{1, 2, 8} {
		var alone atomic.Int32
		r := Reader[string]{
			Workers: workers, Waiting: 2,
			IsAlone: func(name string) bool { return strings.HasSuffix(name, "alone") },
			Read: func(name string, err error, isAlone bool) iter.Seq[string] {
				return func(yield func(string) bool) {
					if err != nil {
						yield(name + " " + err.Error())
						return
					}
					if isAlone {
						if alone.Add(1) > 1 {
							t.Errorf("workers %d: two files are read alone at once", workers)
						}
						defer alone.Add(-1)
					}
					for i := range 3 {
						if !yield(fmt.Sprint(name, " ", i, " ", isAlone)) {
							return
						}
					}
				}
			},
		}
		if got := slices.Collect(r.All(each(names...))); !slices.Equal(got, want) {
			t.Errorf("with %d workers: %q, want %q", workers, got, want)
		}
	}
}

// A Reader reads only a few values ahead, and begins only a few files. It ends its
// goroutines when the caller stops early.
func TestReaderBounds(t *testing.T) {
	var made, begun atomic.Int32
	r := Reader[int]{
		Workers: 2, Waiting: 3,
		IsAlone: func(string) bool { return false },
		Read: func(string, error, bool) iter.Seq[int] {
			begun.Add(1)
			return func(yield func(int) bool) {
				for i := range 1000 {
					made.Add(1)
					if !yield(i) {
						return
					}
				}
			}
		},
	}
	taken := 0
	for range r.All(each("a", "b", "c", "d", "e")) {
		if taken++; taken == 10 {
			break
		}
	}
	// Each of two files may have three waiting values, and one that its goroutine is
	// sending.
	if most := int32(10 + 2*4); made.Load() > most || begun.Load() > 2 {
		t.Errorf("%d values of %d files, want at most %d of 2", made.Load(), begun.Load(), most)
	}
	for value := range r.All(each()) {
		t.Errorf("no files have %d", value)
	}
}

// A Reader with one worker reads in the goroutine of its caller: no value is made before the caller wants it.
func TestReaderOfOne(t *testing.T) {
	var begun []string
	made := 0
	r := Reader[int]{
		Workers: 1, Waiting: 3,
		IsAlone: func(string) bool { return false },
		Read: func(name string, _ error, _ bool) iter.Seq[int] {
			begun = append(begun, name)
			return func(yield func(int) bool) {
				for i := range 3 {
					if made++; !yield(i) {
						return
					}
				}
			}
		},
	}
	taken := 0
	for range r.All(each("a", "b", "c")) {
		taken++
		if made != taken {
			t.Errorf("%d values are made when %d are taken", made, taken)
		}
		if taken == 5 {
			break
		}
	}
	if want := []string{"a", "b"}; !slices.Equal(begun, want) {
		t.Errorf("the files %q are begun, want %q", begun, want)
	}
}
