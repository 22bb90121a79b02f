package extract

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/internal/vectors"
	"locus/url"
)

// everything are the Options that find every kind of match.
func everything(tb testing.TB) Options {
	tb.Helper()
	base, err := url.Parse("http://base.example/dir/page")
	if err != nil {
		tb.Fatal(err)
	}
	return Options{Bare: true, Mail: true, Base: base}
}

// collect returns all matches in a text.
func collect(tb testing.TB, text string, o Options) []Match {
	tb.Helper()
	var all []Match
	for m, err := range All(strings.NewReader(text), o) {
		if err != nil && !errors.Is(err, ErrTooLong) {
			tb.Fatalf("All(%q): %v", text, err)
		}
		all = append(all, m)
	}
	return all
}

// texts returns the texts of matches.
func texts(matches []Match) (found []string) {
	for _, m := range matches {
		found = append(found, m.Text)
	}
	return found
}

// req: 1738-A-1
// req: 1738-A-2
// req: 1738-A-3
// req: 1630-ctx-1
func TestWrapped(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{ // RFC 1738, appendix
			"Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;\n      type=d> but you can probably pick it up " +
				"from <URL:ftp://ds.in\n      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.\n" +
				"      net/instructions/overview.html#WARNING>.",
			[]string{
				"ftp://info.cern.ch/pub/www/doc;type=d", "ftp://ds.internic.net/rfc",
				"http://ds.internic.net/instructions/overview.html#WARNING",
			},
		},
		{"<URL:ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol\n       /Gopher+/Gopher+.txt>", []string{"ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt"}},
		{"see URL:http://a.b/c, or (url:news:x@y).", []string{"http://a.b/c", "news:x@y"}},
		{"URL:unheard-of:x y", []string{"unheard-of:x"}},
		{"<url: http://a.b/ >", []string{"http://a.b/"}},
		{"<URL:http://a.b/\tc\r\nd>", []string{"http://a.b/cd"}},
		{"<URL:http://never.closed/a b", []string{"http://never.closed/a"}},
		{"<URL:http://a/ <URL:http://b/>", []string{"http://a/", "http://b/"}},
		{"<URL:http://a/é>", []string{"http://a/é"}},
		{"<URL:relative> <URL:http://h:port/>", nil},
		{"curl:x my-url:y", nil},
		{"http://h/?url:z", []string{"http://h/?url:z"}},
		{"URL:URL:http://h/", []string{"http://h/"}},
		{"<URL:ftp://ds.in\u00a0\n\u00a0 ternic.net/rfc>", []string{"ftp://ds.internic.net/rfc"}},
		{"<URL:\u3000ftp://ds.in\u0085ter\u2003nic\u2028.net\u202f/rfc\u3000>", []string{"ftp://ds.internic.net/rfc"}},
		{"see\u00a0URL:unheard-of:x\u00a0y \u3000url:news:z\u2003.", []string{"unheard-of:x", "news:z"}},
		{"\u2060URL:unheard-of:x éurl:y:z", nil}, // continues a word
		{"<URL:>", nil},
		{"URL:", nil},
		{"no colon", nil},
		{"", nil},
	} {
		if got := texts(collect(t, test.in, Options{})); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// The appendix of RFC 1738 has the same URLs if its spaces are U+00A0, as in some published copies.
//
// req: 1738-A-3
func TestAppendixWithNoBreakSpaces(t *testing.T) {
	const nbsp = "\u00a0"
	text := vectors.Read(t, "../spec/rfc1738-nbsp.txt")
	if !strings.Contains(string(text), nbsp) {
		t.Fatal("the appendix has no U+00A0")
	}
	got := texts(collect(t, string(text), Options{}))
	for _, want := range []string{
		"ftp://info.cern.ch/pub/www/doc;type=d", "ftp://ds.internic.net/rfc",
		"http://ds.internic.net/instructions/overview.html#WARNING",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the URLs of the appendix are %q, want %q among them", got, want)
		}
	}
	if want := texts(collect(t, strings.ReplaceAll(string(text), nbsp, " "), Options{})); !slices.Equal(got, want) {
		t.Errorf("the URLs of the appendix with U+00A0 are %q, want %q as with spaces", got, want)
	}
}

func TestUnwrapUnicodeSpace(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"\u00a0<URL:ftp://ds.in\u00a0\n\u2003ternic.net/rfc>\u3000", "ftp://ds.internic.net/rfc"},
		{"<http://h/a\u2028b>", "http://h/ab"},
		{"url:http://h/", "http://h/"},
		{"http://h/", "http://h/"},
	} {
		if got := Unwrap(test.in); got != test.want {
			t.Errorf("Unwrap(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// req: 1738-A-2
func TestReadings(t *testing.T) {
	const text = "<URL:http://a/b-\n  c-d-\r\n e- f>"
	for _, m := range collect(t, text, Options{}) {
		got := slices.Collect(m.Readings())
		want := []string{"http://a/b-c-d-e-f", "http://a/b-c-de-f", "http://a/bc-d-e-f", "http://a/bc-de-f"}
		if !slices.Equal(got, want) {
			t.Errorf("Readings() of %q = %q, want %q", m.Text, got, want)
		}
		if m.Offset != 0 || m.Length != len(text) || m.Kind != Wrapped {
			t.Errorf("the match is %v at offset %d with %d bytes, want a wrapped one at offset 0 with %d bytes", m.Kind, m.Offset, m.Length, len(text))
		}
		for first := range m.Readings() {
			if first != m.Text {
				t.Errorf("the first reading of %[2]q is %[1]q, want its text", first, m.Text)
			}
			break
		}
	}
	ten := collect(t, "<URL:x:"+strings.Repeat("a-\n", 10)+"b->", Options{})
	if got := len(slices.Collect(ten[0].Readings())); got != 1<<10 {
		t.Errorf("10 hyphens have %d readings, want 2¹⁰", got)
	}
	none := collect(t, "<URL:x:a-\n> <URL:x:a- b> <URL:x:a\nb> <URL:x:a\r>", Options{})
	for _, m := range none {
		if m.Hyphens != nil {
			t.Errorf("the hyphens of %q are %v, want none", m.Text, m.Hyphens)
		}
	}
	if old := collect(t, "<URL:x:a-\rb>", Options{}); len(slices.Collect(old[0].Readings())) != 2 {
		t.Errorf("the hyphens before CR are %v, want one", old[0].Hyphens)
	}
	many := collect(t, "<URL:x:"+strings.Repeat("a-\n", 12)+"b>", Options{})
	if got := len(slices.Collect(many[0].Readings())); len(many[0].Hyphens) != 12 || got != 2 {
		t.Errorf("there are %d readings of %d hyphens, want 2 readings of 12 hyphens", got, len(many[0].Hyphens))
	}
}

// req: 1630-ctx-1
func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		"<URL:ftp://h/a>": "ftp://h/a", "url:http://h/": "http://h/", "URL:http://h/": "http://h/", "<http://h/>": "http://h/",
		"<http://h/": "<http://h/", "http://h/>": "http://h/>", "URL:": "", "<UrL: x:y >": "x:y",
		" http://h/\n": "http://h/", "<URL:http://h/a\n b>": "http://h/ab", "": "", "<>": "", "x:y": "x:y", "<URL:news:*>": "news:*",
	} {
		if got := Unwrap(in); got != want {
			t.Errorf("Unwrap(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	const text = "one http://a/\n\n  (http://b/é)\nhttp://c/ and <URL:http://d/\ne> http://f/"
	want := []struct {
		offset, line, column int
		text                 string
	}{{4, 1, 5, "http://a/"}, {18, 3, 4, "http://b/é"}, {31, 4, 1, "http://c/"}, {45, 4, 15, "http://d/e"}, {63, 5, 4, "http://f/"}}
	got := collect(t, text, Options{})
	if len(got) != len(want) {
		t.Fatalf("All finds %d matches %q, want %d", len(got), texts(got), len(want))
	}
	for i, m := range got {
		w := want[i]
		if m.Offset != int64(w.offset) || m.Line != w.line || m.Column != w.column || m.Text != w.text {
			t.Errorf("match %d is at %d, %d:%d and is %q, want %d, %d:%d and %q", i, m.Offset, m.Line, m.Column, m.Text, w.offset, w.line, w.column, w.text)
		}
	}
}

// Lines are counted even if they contain no match, and in a wide window.
func TestFarPlaces(t *testing.T) {
	const lines = 1 << 19 // of two bytes each, which fill several windows
	long := "http://h/" + strings.Repeat("a", lines)
	for _, test := range []struct {
		options Options
		url     string
	}{{Options{}, "http://h/"}, {Options{MaxLength: 2 * lines}, long}} {
		all := collect(t, strings.Repeat("x\n", lines)+" "+test.url+"\n <URL:x:\na>", test.options)
		if len(all) != 2 || all[0].Line != lines+1 || all[0].Column != 2 || len(all[0].Text) != len(test.url) || all[1].Line != lines+2 || all[1].Column != 2 {
			t.Errorf("with a URL of %d bytes, All finds %d matches, want one in the second column of each of the last lines", len(test.url), len(all))
		}
	}
}

// Match.URL returns the URL that a match of each kind means.
func TestMatchURL(t *testing.T) {
	for _, test := range []struct {
		kind           Kind
		in, base, want string
	}{
		// characters that a URL must not contain are escaped (RFC 3986 §2)
		{Plain, "http://h/100%", "", "http://h/100%25"},
		{Plain, "http://h/%4", "", "http://h/%254"},
		{Plain, "http://h/%4g%g4%zz%41%aF", "", "http://h/%254g%25g4%25zz%41%aF"},
		{Plain, "http://h/#a#b#", "", "http://h/#a%23b%23"},
		{Plain, "http://h/é#a#b", "", "http://h/%C3%A9#a%23b"},
		{Plain, "http://h/#{a}#b", "", "http://h/#%7Ba%7D%23b"},
		// brackets belong only to a host (RFC 3986 §3.2.2)
		{Plain, "http://[::1]/[x]?[y]#[z]", "", "http://[::1]/%5Bx%5D?%5By%5D#%5Bz%5D"},
		{Plain, "http://u:p@[::1]:80/", "", "http://u:p@[::1]:80/"},
		{Plain, "http://h/@[x]", "", "http://h/@%5Bx%5D"},
		{Plain, "mailto:a//[b]", "", "mailto:a//%5Bb%5D"},
		{Plain, "file:///[a]", "", "file:///%5Ba%5D"},
		{Plain, "file://", "", "file://"},
		{Plain, "http://[::1", "", ""},
		{Reference, "//[::1]/a", "http://h/", "http://[::1]/a"},
		{Reference, "a//[b]", "http://h/", "http://h/a//[b]"},
		// values of attributes
		{Reference, " \t\fhttp://h/a\r\n\tb c\v ", "", "http://h/ab%20c"},
		{Reference, "?x", "http://h/a?b", "http://h/a?x"},
		{Reference, "x", "http://[/", ""},
		{Reference, "x", "", "x"},
		// texts without a scheme
		{Host, "h.example:80/a?b#c", "", "http://h.example:80/a?b#c"},
		{Host, "1::2", "", "http://[1::2]"},
		{Host, "[1::2]:80/a", "", "http://[1::2]:80/a"},
		{Host, "h.example/a:b:c", "", "http://h.example/a:b:c"},
		{Host, "h.example?a:b:c", "", "http://h.example?a:b:c"},
		{Host, "h.example#a:b:c", "", "http://h.example#a:b:c"},
		{Address, "jo%20mo@h.example", "", "mailto:jo%20mo@h.example"},
		{Address, "jo%@é.example", "", "mailto:jo%25@%C3%A9.example"},
		{Path, "../a[b]", "http://h/c/d", "http://h/a%5Bb%5D"},
	} {
		u, err := Match{Text: test.in, Kind: test.kind, Base: test.base}.URL()
		if u.String() != test.want || (err == nil) != (test.want != "") {
			t.Errorf("URL of the %v %q with the base %q = %q, %v, want %q", test.kind, test.in, test.base, u, err, test.want)
		}
	}
	if got := Kind(len(kinds)).String(); got != "unknown" {
		t.Errorf("String of an unknown kind = %q", got)
	}
}

func TestTooLong(t *testing.T) {
	o := Options{MaxLength: 1000}
	for _, long := range []string{"http://h/" + strings.Repeat("a", 2000), "http://" + strings.Repeat("a", 2000), "mailto:" + strings.Repeat("é", 1000)} {
		text := "http://a/ \n" + long + " http://b/"
		var errs int
		s := NewScanner(strings.NewReader(text), o)
		var found []string
		for {
			m, err := s.Next()
			if errors.Is(err, ErrTooLong) {
				errs++
				if m.Offset != 11 || m.Line != 2 || m.Length != 1000 || string(m.Bytes) != text[11:][:256] {
					t.Errorf("the match of %.20q… that comes with ErrTooLong is %+v", long, m)
				}
				continue
			}
			if err != nil {
				break
			}
			found = append(found, string(m.Bytes))
		}
		if want := []string{"http://a/", "http://b/"}; errs != 1 || !slices.Equal(found, want) {
			t.Errorf("with %.20q…, Next gives %d errors and the matches %q, want 1 and %q", long, errs, found, want)
		}
	}
	// A URL that begins inside a text that is too long is not a match, and gives no second error.
	text := "data:," + strings.Repeat("x", o.MaxLength-len("data:,*U")) + "*URL:a:" + strings.Repeat("y", 2000)
	for i, m := range collect(t, text, o) {
		if want := int64(i * o.MaxLength); m.Offset < want {
			t.Errorf("All finds a match of kind %v at %d, want none before %d", m.Kind, m.Offset, want)
		}
	}
	// A "<" without its ">" within the maximum length is not a wrapper.
	text = "<URL:http://h/a" + strings.Repeat(" ", 2000) + "b>"
	if got, want := texts(collect(t, text, o)), []string{"http://h/a"}; !slices.Equal(got, want) {
		t.Errorf("All of a long wrapper = %q, want %q", got, want)
	}
}

// If a long URL comes byte by byte, it is not read again from its start for each byte. It is found as soon as it ends.
func TestSlowReader(t *testing.T) {
	long := "http://h/" + strings.Repeat("é", 20_000)
	in, out := io.Pipe()
	defer in.Close()
	go io.Copy(out, iotest.OneByteReader(strings.NewReader(long+" ")))
	s := NewScanner(in, Options{})
	looks := 1
	for {
		m, st := s.finder.find(s.window, &s.cursor)
		if st == hit {
			if got := string(s.window.text[m.from:m.end]); got != long {
				t.Errorf("All finds %d bytes, want %d", len(got), len(long))
			}
			break
		}
		s.fill()
		looks++
	}
	if most := 2 * rescanThreshold; looks > most {
		t.Errorf("the text is examined %d times for %d bytes, want at most %d times", looks, len(long), most)
	}
}

func TestReaderError(t *testing.T) {
	broken := errors.New("broken")
	r := iotest.DataErrReader(strings.NewReader("http://a/ x http://b/"))
	s := NewScanner(&failing{r: r, err: broken}, Options{})
	var found []string
	for {
		m, err := s.Next()
		if err != nil {
			if !errors.Is(err, broken) {
				t.Errorf("Next() = %v, want %v", err, broken)
			}
			break
		}
		found = append(found, string(m.Bytes))
	}
	if want := []string{"http://a/", "http://b/"}; !slices.Equal(found, want) {
		t.Errorf("before the error, Next finds %q, want %q", found, want)
	}
	count, last := 0, error(nil)
	for m, err := range All(&failing{r: strings.NewReader("http://a/ x http://b/"), err: broken}, Options{}) {
		if last = err; err == nil {
			count++
		} else if m.Length != 0 {
			t.Errorf("the match that comes with the error is %+v, want the zero Match", m)
		}
	}
	if count != 2 || !errors.Is(last, broken) {
		t.Errorf("All gives %d matches and the error %v, want 2 and %v", count, last, broken)
	}
	if _, err := NewScanner(idle{}, Options{}).Next(); err == nil {
		t.Error("Next() with a reader that returns 0 bytes and no error = nil, want an error")
	}
}

// A failing is a reader that returns another error instead of io.EOF.
type failing struct {
	r interface {
		Read(p []byte) (int, error)
	}
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil {
		err = f.err
	}
	return n, err
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// A match of All and Parallel does not change while the rest of the text is read.
func TestMatchesStay(t *testing.T) {
	const n = 20_000 // which fill several windows
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "http://h/%d <URL:x:-\n%d>\n", i, i)
	}
	for name, all := range map[string]iter.Seq2[Match, error]{
		"All":      All(strings.NewReader(text.String()), Options{}),
		"Parallel": inOrder(Parallel(strings.NewReader(text.String()), int64(text.Len()), Options{}, 2, outcomes)),
	} {
		var kept []Match
		for m, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, m)
		}
		if len(kept) != 2*n {
			t.Fatalf("%s finds %d matches, want %d", name, len(kept), 2*n)
		}
		for i, m := range kept {
			want, hyphens := fmt.Sprintf("http://h/%d", i/2), []int(nil)
			if i%2 == 1 {
				want, hyphens = fmt.Sprintf("x:-%d", i/2), []int{2}
			}
			if m.Text != want || !slices.Equal(m.Hyphens, hyphens) {
				t.Fatalf("after the whole text, match %[2]d of %[1]s is %[3]q, %[4]v, want %[5]q, %[6]v", name, i, m.Text, m.Hyphens, want, hyphens)
			}
		}
	}
}
