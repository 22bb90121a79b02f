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

// Parts that have no white space to start after, and what is in two of them,
// give what a Scanner finds in the whole.
func TestParallelParts(t *testing.T) {
	for _, piece := range []string{
		"http://h.example/aaaa,", "a.example;", "jo@h.example,b", "http://h/aaaa(http://i/b", "'http://h/a','", "1::2,3", "x=/a,", "://", "a.b@c.example.",
		"http://h/" + strings.Repeat("a", 1500) + "|", "http://h/" + strings.Repeat("a", 3000) + ";", "<URL:http://h/\n a-\n b>", "<URL:http://" + strings.Repeat("a\n", 900) + ">",
		strings.Repeat("x", 6000) + "http://h/", "é", "http://h/é", "\n" + strings.Repeat("y", 5000), "URL:x:yz", "日本h.example",
		"<URL:" + strings.Repeat("http://h/ \n", 150) + ">", "jo@h.example-x@i.example/ab", // which a match before keeps from being others
	} {
		text := strings.Repeat(piece, 1+20_000/len(piece))
		for _, o := range []Options{{MaxLength: 2000}, {MaxLength: 2000, Bare: true, Mail: true, Base: everything(t).Base}} {
			type outcome struct {
				Match
				error
			}
			var want, got []outcome
			for m, err := range All(strings.NewReader(text), o) {
				want = append(want, outcome{keep(m), err})
			}
			for m, err := range parallel(&searcher{r: strings.NewReader(text), size: int64(len(text)), options: o, part: 700}, 2) {
				got = append(got, outcome{keep(m), err})
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%.30q… many times, bare %v: %d matches in parts, want %d", piece, o.Bare, len(got), len(want))
			}
		}
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
	for _, at := range []int64{3_000_000, 23*partSize + 10_000, 20} { // in a part, after one, in the first match
		count, last := int64(0), error(nil)
		for _, err := range Parallel(brokenAt{strings.NewReader(text), at}, int64(len(text)), Options{}, 2) {
			if last != nil {
				t.Fatal("more after the error")
			}
			if last = err; err == nil {
				count++
			}
		}
		if want := (at + 2) / 21; !errors.Is(last, errBroken) || count != want {
			t.Errorf("%d matches before %d and %v, want %d and %v", count, at, last, want, errBroken)
		}
	}
	var last error
	for _, err := range Parallel(strings.NewReader("http://h/"), 100, Options{}, 1) {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("a text shorter than it should be gives %v", last)
	}
}
