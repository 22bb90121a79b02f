package extract

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/internal/ascii"
)

// A slow is a reader that returns one byte at a time, and several times 0 bytes before each.
type slow struct {
	text       string
	nothing, n int
}

func (s *slow) Read(p []byte) (int, error) {
	if s.n++; s.n <= s.nothing {
		return 0, nil
	}
	if s.n = 0; s.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:1], s.text)
	s.text = s.text[n:]
	return n, nil
}

// A reader may return 0 bytes several times, but not without end.
func TestNoProgress(t *testing.T) {
	const text = "http://a/ http://b/"
	for nothing, want := range map[int]error{0: io.EOF, 1: io.EOF, 99: io.EOF, 100: io.ErrNoProgress, 1000: io.ErrNoProgress} {
		s := NewScanner(&slow{text: text, nothing: nothing}, Options{})
		var found []string
		var last error
		for last == nil {
			var m *RawMatch
			if m, last = s.Next(); last == nil {
				found = append(found, string(m.Bytes))
			}
		}
		all := 2
		if !errors.Is(want, io.EOF) {
			all = 0
		}
		if !errors.Is(last, want) || len(found) != all {
			t.Errorf("with 0 bytes %d times before each byte, Next finds %q and %v, want %d and %v", nothing, found, last, all, want)
		}
		if m, again := s.Next(); m != nil || !errors.Is(again, want) {
			t.Errorf("with 0 bytes %d times before each byte, after the error %v, Next() = %v, %v", nothing, last, m, again)
		}
	}
}

// An error comes after all matches before it, wherever it is, and whether the reader returns it with the last bytes or
// after them. Reset forgets it.
func TestErrorAnywhere(t *testing.T) {
	const text = "x <URL:http://a/\n b-\n c> http://b/(d) ftp://c/\u00e9 http://e/f, z"
	broken := errors.New("broken")
	s := NewScanner(nil, Options{})
	for n := range len(text) + 1 {
		want := collect(t, text[:n], Options{})
		for name, r := range map[string]io.Reader{
			"after":      &failing{r: strings.NewReader(text[:n]), err: broken},
			"with":       &failing{r: iotest.DataErrReader(strings.NewReader(text[:n])), err: broken},
			"one by one": &failing{r: iotest.OneByteReader(strings.NewReader(text[:n])), err: broken},
		} {
			s.Reset(r)
			var got []Match
			for {
				m, err := s.Next()
				if err != nil {
					if m != nil || !errors.Is(err, broken) {
						t.Errorf("for %q and an error %s, Next() = %v, %v", text[:n], name, m, err)
					}
					break
				}
				got = append(got, m.Match())
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("for %q and an error %s, Next finds %q, want %q", text[:n], name, texts(got), texts(want))
			}
		}
	}
}

// Reset forgets the last text, even if only a part of it was read.
func TestReset(t *testing.T) {
	o := everything(t)
	s := NewScanner(strings.NewReader("\n\n ../x <URL:http://a/-\nb> http://c/ jo@h.example"), o)
	for n := range 5 {
		for range n {
			if _, err := s.Next(); err != nil {
				t.Fatalf("Next before match %d: %v", n, err)
			}
		}
		s.Reset(strings.NewReader("http://d/\n http://e/ "))
		all := drain(t, s)
		want := []Match{
			{Offset: 0, Length: 9, Line: 1, Column: 1, Text: "http://d/"},
			{Offset: 11, Length: 9, Line: 2, Column: 2, Text: "http://e/"},
		}
		if !reflect.DeepEqual(all, want) {
			t.Errorf("after %d matches and Reset, Next finds %+v, want %+v", n, all, want)
		}
		s.Reset(strings.NewReader("\n\n ../x <URL:http://a/-\nb> http://c/ jo@h.example"))
	}
}

// One Scanner reads many texts, even if a loop over their matches ends early. A text without a match takes no memory.
func TestScannerAll(t *testing.T) {
	s := NewScanner(nil, Options{})
	for _, text := range []string{"http://a/ http://b/", "", "\nftp://c/", "http://a/ http://b/"} {
		want := collect(t, text, Options{})
		for most := range len(want) + 1 {
			var got []Match
			for m, err := range s.All(strings.NewReader(text)) {
				if err != nil {
					t.Errorf("All(%q) yields %v", text, err)
				}
				if got = append(got, m); len(got) >= most {
					break
				}
			}
			if n := min(max(most, 1), len(want)); !slices.Equal(texts(got), texts(want[:n])) {
				t.Errorf("the first %d matches of All(%q) are %q, want %q", n, text, texts(got), texts(want[:n]))
			}
		}
	}
	r := strings.NewReader("")
	text := strings.Repeat("case x: return\n", 1<<10)
	if n := testing.AllocsPerRun(10, func() {
		r.Reset(text)
		for m := range s.All(r) {
			t.Errorf("All yields %v", m)
		}
	}); n > 0 {
		t.Errorf("All of a text without a match allocates %v times, want 0", n)
	}
}

// No field of a match keeps a value of the match before it.
func TestMatchFields(t *testing.T) {
	o := everything(t)
	all := collect(t, "<URL:http://a/-\nb>\n../x\nhttp://c/ URL:x:y h.example jo@i.example", o)
	base := o.Base.String()
	want := []Match{
		{Offset: 0, Length: 18, Line: 1, Column: 1, Text: "http://a/-b", Kind: Wrapped, Hyphens: []int{9}},
		{Offset: 19, Length: 4, Line: 3, Column: 1, Text: "../x", Kind: Path, Base: base},
		{Offset: 24, Length: 9, Line: 4, Column: 1, Text: "http://c/", Kind: Plain},
		{Offset: 34, Length: 7, Line: 4, Column: 11, Text: "x:y", Kind: Prefixed},
		{Offset: 42, Length: 9, Line: 4, Column: 19, Text: "h.example", Kind: Host},
		{Offset: 52, Length: 12, Line: 4, Column: 29, Text: "jo@i.example", Kind: Address},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("All gives\n\t%+v, want\n\t%+v", all, want)
	}
	for kind, want := range []string{"url", "wrapped", "prefixed", "host", "address", "path", "reference", "unknown"} {
		if got := Kind(kind).String(); got != want {
			t.Errorf("String of kind %d = %q, want %q", kind, got, want)
		}
	}
}

// A match with more than ten hyphens has two readings, with all of the hyphens and with none of them. A loop over the
// readings may end at each.
//
// req: 1738-A-2
func TestManyReadings(t *testing.T) {
	for n := range 14 {
		m := collect(t, "<URL:x:"+strings.Repeat("a-\n", n)+"b>", Options{})[0]
		all := slices.Collect(m.Readings())
		want := 1 << n
		if n > 10 {
			want = 2
		}
		if len(all) != want || all[0] != "x:"+strings.Repeat("a-", n)+"b" || all[len(all)-1] != "x:"+strings.Repeat("a", n)+"b" {
			t.Errorf("there are %d readings of %d hyphens, from %q to %q, want %d", len(all), n, all[0], all[len(all)-1], want)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(all))); len(sorted) != want {
			t.Errorf("only %d of %d readings differ", len(sorted), want)
		}
		for stop := 1; stop <= min(len(all), 3); stop++ {
			got := 0
			for range m.Readings() {
				if got++; got == stop {
					break
				}
			}
			if got != stop {
				t.Errorf("the loop gets %d readings before its break, want %d", got, stop)
			}
		}
	}
}

// useWindow gives a Scanner a window that grows from one size to another.
func useWindow(s *Scanner, from, to int) { s.window.text, s.maxWindow = make([]byte, 0, from), to }

// The matches do not depend on where a window ends. When the window moves, a match that was found before is not found
// again, and neither is a part of it.
func TestWindows(t *testing.T) {
	o := everything(t)
	o.MaxLength = lookBehind
	s := NewScanner(nil, o)
	size := s.finder.minWindow()
	for _, piece := range []string{
		"jo@h.example-x@i.example/ab", "http://h/a,http://b/", "1::2,3::4", "a.com.b@h.example", "<URL:http://h/-\n a>", "h.example:80/x", "../a;./b", "URL:x:y", "mailto:a@b", "::ffff:1.2.3.4]", "localhost:8/",
	} {
		for _, fill := range []string{"\n", "|", "x"} {
			for n := size - len(piece) - 3; n < size+2; n++ {
				text := strings.Repeat(fill, n) + " " + piece + piece + "\n" + strings.Repeat(fill, lookBehind) + " " + piece
				want := collect(t, text, o)
				for name, r := range map[string]io.Reader{"at once": strings.NewReader(text), "in halves": iotest.HalfReader(strings.NewReader(text)), "in a window that grows": strings.NewReader(text)} {
					useWindow(s, size, size)
					if name == "in a window that grows" {
						useWindow(s, size, size+size/4)
					}
					s.Reset(r)
					if got := drain(t, s); !reflect.DeepEqual(got, want) {
						t.Errorf("for %d times %q and twice %q, read %s, Next finds %q, want %q", n, fill, piece, name, texts(got), texts(want))
					}
				}
			}
		}
	}
}

// Lines are counted the same in pieces as in the whole text.
func TestLines(t *testing.T) {
	for _, text := range []string{"", "\n", "a", "ab", "a\n", "\na", "\n\n", "a\nb\n\nc", "\r\n\r", "é\né", "aaaa\n"} {
		for one := range len(text) + 1 {
			for two := one; two <= len(text); two++ {
				l := lines{line: 1}
				const offset = 100
				l.from = offset
				for _, to := range []int{one, two, one, len(text)} { // an offset before the last one changes nothing
					at := max(to, l.counted)
					l.count([]byte(text), offset, to)
					line, from := 1+strings.Count(text[:at], "\n"), int64(offset+strings.LastIndexByte(text[:at], '\n')+1)
					if l.line != line || l.from != from || l.counted != at {
						t.Errorf("for %q up to offset %d, the count is %+v, want line %d from offset %d", text, at, l, line, from)
					}
				}
			}
		}
	}
}

// Outside and skip give the same answer for each byte at each offset of a word.
func TestLanes(t *testing.T) {
	for _, test := range []struct {
		name  string
		l     *ascii.Lanes
		bytes string
	}{{"inURL", &inURL, "-./_"}, {"inPath", &inPath, "+,-./_"}} {
		in := func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(test.bytes, c) >= 0 }
		for c := range 256 {
			c := byte(c)
			if in(c) && classes[c] != plain {
				t.Errorf("%q is in %s, but it is not plain", c, test.name)
			}
			for place := range 8 {
				for _, around := range []byte{'a', 'Z', '9', '/', 0, 0xff, 0x80, '@', '['} {
					w := bytes.Repeat([]byte{around}, 8)
					w[place] = c
					want := uint64(0)
					for i, c := range w {
						if !in(c) {
							want |= 0x80 << (8 * i)
						}
					}
					if got := test.l.Outside(binary.LittleEndian.Uint64(w)); got != want {
						t.Fatalf("%s.Outside(%q) = %x, want %x", test.name, w, got, want)
					}
				}
			}
			for n := range 20 {
				w := append(bytes.Repeat([]byte{'a'}, n), c, 'a', 0)
				want := n
				if in(c) {
					want += 2
				}
				for i := range n + 1 {
					if got := skip(test.l, w, i); got != want {
						t.Fatalf("%s.skip(%q, %d) = %d, want %d", test.name, w, i, got, want)
					}
				}
			}
		}
		for n := range 20 {
			if got := skip(test.l, bytes.Repeat([]byte{'a'}, n), 0); got != n {
				t.Errorf("%s.skip of %d letters = %d", test.name, n, got)
			}
		}
	}
}
