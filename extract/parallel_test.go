package extract

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// mixed is a text of some MiB with matches of every kind, some across the
// borders of parts.
func mixed() string {
	var b strings.Builder
	for i := 0; b.Len() < 5<<18; i++ {
		b.WriteString(seeds[i%len(seeds)])
		b.WriteString([]string{"\n", " ", strings.Repeat("x", i%5000)}[i%3])
	}
	return b.String()
}

func TestParallel(t *testing.T) {
	text, o := mixed(), everything(t)
	want := collect(t, text, o)
	for _, workers := range []int{0, 3} {
		var got []Match
		for m, err := range Parallel(strings.NewReader(text), int64(len(text)), o, workers) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, keep(m))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers find %d matches, want %d", workers, len(got), len(want))
		}
	}
	n := 0
	for range Parallel(strings.NewReader(text), int64(len(text)), o, 2) {
		if n++; n == 3 {
			break
		}
	}
	for range Parallel(strings.NewReader(""), 0, o, 2) {
		t.Error("a match in nothing")
	}
}

// brokenAt gives an error from an offset on.
type brokenAt struct {
	*strings.Reader
	at int64
}

var errBroken = errors.New("broken")

func (b brokenAt) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) <= b.at {
		return b.Reader.ReadAt(p, at)
	}
	n, _ := b.Reader.ReadAt(p[:max(b.at-at, 0)], at)
	return n, errBroken
}

func TestParallelError(t *testing.T) {
	text := strings.Repeat("http://example.org/ \n", 200_000)
	const at = 3_000_000
	count, last := 0, error(nil)
	for _, err := range Parallel(brokenAt{strings.NewReader(text), at}, int64(len(text)), Options{}, 2) {
		if last != nil {
			t.Fatal("more after the error")
		}
		if last = err; err == nil {
			count++
		}
	}
	if want := at / 21; !errors.Is(last, errBroken) || count != want {
		t.Errorf("%d matches and %v, want %d and %v", count, last, want, errBroken)
	}
	last = nil
	for _, err := range Parallel(strings.NewReader("http://h/"), 100, Options{}, 1) {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("a text shorter than it should be gives %v", last)
	}
}
