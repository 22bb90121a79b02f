package extract

import (
	"errors"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
)

// mixed is a text of several MiB with matches of every kind. Some matches extend over the border between two parts.
func mixed() string {
	var b strings.Builder
	for i := 0; b.Len() < 5<<18; i++ {
		b.WriteString(seeds[i%len(seeds)])
		b.WriteString([]string{"\n", " ", strings.Repeat("x", i%5000)}[i%3])
	}
	return b.String()
}

// An outcome is a match and an error that a loop gets.
type outcome struct {
	Match
	error
}

// outcomes yields the outcomes of a part.
func outcomes(part iter.Seq2[Match, error]) iter.Seq[outcome] {
	return func(yield func(outcome) bool) {
		for m, err := range part {
			if !yield(outcome{m, err}) {
				return
			}
		}
	}
}

// inOrder yields the outcomes of all parts in order.
func inOrder(all iter.Seq[outcome]) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		for o := range all {
			if !yield(o.Match, o.error) {
				return
			}
		}
	}
}

func TestParallel(t *testing.T) {
	text, o := mixed(), everything(t)
	want := collect(t, text, o)
	for _, workers := range []int{0, 3} {
		var got []Match
		for m, err := range inOrder(Parallel(strings.NewReader(text), int64(len(text)), o, workers, outcomes)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("with %d workers, Parallel finds %d matches, want %d", workers, len(got), len(want))
		}
	}
	n := 0
	for range inOrder(Parallel(strings.NewReader(text), int64(len(text)), o, 2, outcomes)) {
		if n++; n == 3 {
			break
		}
	}
	for range inOrder(Parallel(strings.NewReader(""), 0, o, 2, outcomes)) {
		t.Error("Parallel of an empty text yields a match")
	}
}

// Parallel finds the same matches as a Scanner in a text without white space at which parts could start, and in a text
// whose matches extend over two parts.
func TestParallelParts(t *testing.T) {
	for _, piece := range []string{
		"http://h.example/aaaa,", "a.example;", "jo@h.example,b", "http://h/aaaa(http://i/b", "'http://h/a','", "1::2,3", "x=/a,", "://", "a.b@c.example.",
		"http://h/" + strings.Repeat("a", 1500) + "|", "http://h/" + strings.Repeat("a", 3000) + ";", "<URL:http://h/\n a-\n b>", "<URL:http://" + strings.Repeat("a\n", 900) + ">",
		strings.Repeat("x", 6000) + "http://h/", "é", "http://h/é", "\n" + strings.Repeat("y", 5000), "URL:x:yz", "日本h.example",
		"<URL:" + strings.Repeat("http://h/ \n", 150) + ">", "jo@h.example-x@i.example/ab", // the match before it prevents two other matches
	} {
		text := strings.Repeat(piece, 1+20_000/len(piece))
		for _, o := range []Options{{MaxLength: 2000}, {MaxLength: 2000, Bare: true, Mail: true, Base: everything(t).Base}} {
			var want, got []outcome
			for m, err := range All(strings.NewReader(text), o) {
				want = append(want, outcome{m, err})
			}
			for m, err := range inOrder(parallel(&splitText{r: strings.NewReader(text), size: int64(len(text)), options: o, part: 700}, 2, outcomes)) {
				got = append(got, outcome{m, err})
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("with %.30q… many times and Bare %v, Parallel finds %d matches, want %d", piece, o.Bare, len(got), len(want))
			}
		}
	}
}

// A brokenAt is a reader that returns an error from an offset on.
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
	for _, at := range []int64{3_000_000, 3*partSize + 10_010, 20} { // inside a part, after a part, and in the first match
		count, last := int64(0), error(nil)
		for _, err := range inOrder(Parallel(brokenAt{strings.NewReader(text), at}, int64(len(text)), Options{}, 2, outcomes)) {
			if last != nil {
				t.Fatalf("with an error at %d, Parallel yields more after the error", at)
			}
			if last = err; err == nil {
				count++
			}
		}
		if want := (at + 2) / 21; !errors.Is(last, errBroken) || count != want {
			t.Errorf("with an error at %[2]d, Parallel yields %[1]d matches and %[3]v, want %[4]d and %[5]v", count, at, last, want, errBroken)
		}
	}
	var last error
	for _, err := range inOrder(Parallel(strings.NewReader("http://h/"), 100, Options{}, 1, outcomes)) {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("Parallel of a text that is shorter than its size gives the error %v", last)
	}
}

// inParts returns the matches of a text in parts of a given size.
func inParts(t *testing.T, r io.ReaderAt, size int64, o Options, part, workers int) (all []Match, last error) {
	t.Helper()
	for m, err := range inOrder(parallel(&splitText{r: r, size: size, options: o, part: part}, workers, outcomes)) {
		if last != nil {
			t.Fatalf("after the error %v comes %+v", last, m)
		}
		if err != nil && !errors.Is(err, ErrTooLong) {
			last = err
			continue
		}
		all = append(all, m)
	}
	return all, last
}

// A match is found once, wherever the border between two parts is in it, and however far it is from white space.
func TestParallelBorders(t *testing.T) {
	const part = 64
	o := everything(t)
	o.MaxLength = 512
	for _, match := range []string{
		"http://h.example/a", "<URL:http://a/-\n b>", "URL:x:y", "jo@h.example", "h.example:80/x", "[::1]:80/", "../x", "'http://h/a'", "mailto:a@b,http://c/", "http://a(http://b", "data:,\u00e9",
	} {
		for _, fill := range []string{"\n", "x", "é"} {
			for n := part - len(match) - 2; n < part+3; n++ {
				before := strings.Repeat(fill, n/len(fill))
				text := before + match + fill + match
				want := collect(t, text, o)
				got, err := inParts(t, strings.NewReader(text), int64(len(text)), o, part, 2)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("for %q after %d times %q, Parallel finds %q, %v, want %q", match, n, fill, texts(got), err, texts(want))
				}
			}
		}
	}
}

// Parallel yields the matches before an error, and then the error. It also does so if the text is shorter than its
// size.
func TestParallelErrorAnywhere(t *testing.T) {
	text := strings.Repeat("x <URL:http://a/\n b> http://b/(d) ftp://c/, http://e/f\n", 4)
	for at := range len(text) {
		want := collect(t, text[:at], Options{})
		got, err := inParts(t, brokenAt{strings.NewReader(text), int64(at)}, int64(len(text)), Options{}, 50, 2)
		if !errors.Is(err, errBroken) || !reflect.DeepEqual(got, want) {
			t.Fatalf("with an error at %d, Parallel finds %q and %v, want %q and %v", at, texts(got), err, texts(want), errBroken)
		}
		got, err = inParts(t, strings.NewReader(text[:at]), int64(len(text)), Options{}, 50, 2)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !reflect.DeepEqual(got, want) {
			t.Fatalf("with only %d bytes, Parallel finds %q and %v, want %q and %v", at, texts(got), err, texts(want), io.ErrUnexpectedEOF)
		}
		if got, err = inParts(t, strings.NewReader(text), int64(at), Options{}, 50, 3); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("of the first %d bytes, Parallel finds %q and %v, want %q", at, texts(got), err, texts(want))
		}
	}
}

// A loop may end at every match. All workers end then.
func TestParallelBreak(t *testing.T) {
	text := strings.Repeat("http://h/ ", 50)
	for stop := 1; stop <= 50; stop++ {
		n := 0
		for range inOrder(parallel(&splitText{r: strings.NewReader(text), size: int64(len(text)), part: 7}, 3, outcomes)) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("the loop gets %d matches before its break, want %d", n, stop)
		}
	}
}

// boundary returns where a part starts, and whether the bytes before it can be ignored.
func TestBoundary(t *testing.T) {
	far := strings.Repeat("x", boundaryReach)
	for _, test := range []struct {
		in   string
		at   int
		want int
		sure bool
	}{
		{"", 0, 0, true},
		{"", 5, 0, true},
		{"abc", 3, 3, true},
		{"abc", 4, 3, true},
		{"abc", 0, 0, true},
		{" abc", 0, 0, true},
		{"ab c", 1, 3, true},
		{"ab c", 2, 3, true},
		{"ab c", 3, 3, true},
		{"a \n b", 2, 2, true},
		{"a \n b", 3, 3, true},
		{"abc", 1, 1, false},
		{"a" + far[1:] + " ", 1, boundaryReach + 1, true},
		{"a" + far + " ", 1, 1, false},
		{"a" + far + " ", 2, boundaryReach + 2, true},
		{"\ta", 1, 1, true},
		{"a\vb\fc\rd", 2, 2, true},
		{"a\u00a0b", 1, 1, false},
	} {
		if got, sure := boundary([]byte(test.in), test.at); got != test.want || sure != test.sure {
			t.Errorf("boundary(%.10q… of %d, %d) = %d, %v, want %d, %v", test.in, len(test.in), test.at, got, sure, test.want, test.sure)
		}
	}
}
