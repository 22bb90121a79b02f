package extract

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// Wrap writes the URLs in a text as the appendix of RFC 1738 recommends.
//
// req: 1738-A-1
// req: 1738-A-2
func TestWrap(t *testing.T) {
	all := everything(t)
	for _, test := range []struct {
		in, want string
		o        Options
		width    int
	}{
		{"", "", Options{}, 0},
		{"no URL <here>\n", "", Options{}, 0},
		{"See http://h/a, or (ftp://h/b).\n", "See <URL:http://h/a>, or (<URL:ftp://h/b>).\n", Options{}, 0},
		{"http://h/#f;", "<URL:http://h/#f>;", Options{}, 0}, // the wrapper contains the fragment
		{"URL:http://h/ url:x:y", "<URL:http://h/> <URL:x:y>", Options{}, 0},
		{"a <http://h/> b", "a <URL:http://h/> b", Options{}, 0},
		{"a <http://h/ b> <c http://h/>", "a <<URL:http://h/> b> <c <URL:http://h/>>", Options{}, 0},
		{"<http://h/a><http://h/b>", "<URL:http://h/a><URL:http://h/b>", Options{}, 0},
		{"<URL:http://h/\n  a-\nb> http://h/c", "<URL:http://h/\n  a-\nb> <URL:http://h/c>", Options{}, 0}, // a typesetter may have added the hyphen
		{"http://h/é|", "<URL:http://h/%C3%A9>|", Options{}, 0},
		{"at://did:plc:x/y", "<URL:at://did:plc:x/y>", Options{}, 0},
		{"h.example jo@h.example", "", Options{}, 0},
		{"h.example jo@h.example ../x", "<URL:http://h.example> <URL:mailto:jo@h.example> <URL:" + all.Base.Parts().Scheme.Text + "://base.example/x>", all, 999},
		// A line that would be too long is broken before a separator, or anywhere if it has no separator.
		{"Look at http://h.example/aaa/bbb?c#d.", "Look at <URL:http://h.example\n/aaa/bbb?c#d>.", Options{}, 32},
		{"Look at http://h.example/aaa/bbb?c#d.", "Look at <URL:http://h.example/aaa/bbb?c\n#d>.", Options{}, 40},
		{"Look at http://h.example/aaa/bbb?c#d.", "Look at <URL:http://h.example/aaa/bbb?c#d>.", Options{}, 42},
		{"Look at http://h.example/aaa.", "Look at <URL:ht\ntp://h.example\n/aaa>.", Options{}, 15},
		{"Look at http://h.example/aaa.", "Look at <URL:\nhttp://h.\nexample\n/aaa>.", Options{}, 9},
		{"a\r\nLook at http://h.example/aaa.", "a\r\nLook at <URL:http://h\r\n.example/aaa>.", Options{}, 21},
		{"ééééé http://h.example/a", "ééééé <URL:http://h.example\n/a>", Options{}, 29}, // the width counts characters
		{"ééééé http://h.example/a", "ééééé <URL:http://h.example/a>", Options{}, 30},
		// A line is never broken after a hyphen.
		{"http://a--b-c-/d", "<URL:http://a\n--b-c-/d>", Options{}, 14},
		{"http://h/----------x", "<URL:http://h\n/----------x>", Options{}, 13},
		{"http://h/----------xy", "<URL:\nhttp:\n//h\n/\n----------x\ny>", Options{}, 5},
	} {
		if test.want == "" {
			test.want = test.in
		}
		got := wrapped(t, strings.NewReader(test.in), test.o, test.width)
		if got != test.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", test.in, test.width, got, test.want)
		}
	}
	if n := len(strings.SplitN(wrapped(t, strings.NewReader("http://h/"+strings.Repeat("a", 100)), Options{}, -1), "\n", 2)[0]); n != 72 {
		t.Errorf("with the default width, Wrap writes a line of %d characters, want 72", n)
	}
}

func wrapped(t *testing.T, r io.Reader, o Options, width int) string {
	t.Helper()
	var b strings.Builder
	if err := Wrap(&b, r, o, width); err != nil {
		t.Fatalf("Wrap: %v", err)
	}
	return b.String()
}

// A text that fills many windows is copied completely, even where a URL is too long.
func TestWrapLong(t *testing.T) {
	prose := strings.Repeat("Words, and more words. ", 20_000)
	long := "http://h/" + strings.Repeat("a", 1000)
	in := prose + "http://h/a\n" + prose + long + "\n" + prose + "<URL:http://h/\n b>\n" + prose
	got := wrapped(t, iotest.HalfReader(strings.NewReader(in)), Options{MaxLength: 600}, 1<<30)
	if want := strings.Replace(in, "http://h/a\n", "<URL:http://h/a>\n", 1); got != want {
		t.Errorf("Wrap writes %d bytes, want %d", len(got), len(want))
	}
	// The maximum length is enough for the URL, but not for its wrapper.
	in = "http://h/" + strings.Repeat("a", 590-9) + " "
	if got := wrapped(t, strings.NewReader(in+in), Options{MaxLength: 595}, 1<<30); got != in+in {
		t.Errorf("Wrap of a URL whose wrapper exceeds the maximum length = %q", got)
	}
}

// A failingWriter accepts some bytes.
type failingWriter struct{ room int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestWrapError(t *testing.T) {
	var b strings.Builder
	broken := io.MultiReader(strings.NewReader("see http://h/a and\n"), iotest.ErrReader(errBroken))
	if err := Wrap(&b, broken, Options{}, 0); !errors.Is(err, errBroken) || b.String() != "see <URL:http://h/a> and\n" {
		t.Errorf("Wrap of a reader that fails = %v, after %q", err, b.String())
	}
	read := 0
	endless := readerFunc(func(p []byte) (int, error) { // a text without a URL
		read += len(p)
		if read > 1<<26 {
			return 0, io.EOF
		}
		clear(p)
		return len(p), nil
	})
	if err := Wrap(&failingWriter{1 << 20}, endless, Options{}, 0); !errors.Is(err, errBroken) || read > 1<<25 {
		t.Errorf("Wrap to a writer that fails = %v, after reading %d bytes", err, read)
	}
	if err := Wrap(&failingWriter{}, strings.NewReader(strings.Repeat("http://h/a ", 10_000)), Options{}, 0); !errors.Is(err, errBroken) {
		t.Errorf("Wrap to a writer that fails = %v", err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// All finds the same URLs in the output of Wrap as in its input. Wrapping the output again does not change it. Only the
// wrappers are new.
//
// req: 1738-A-2
func FuzzWrap(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, 20)
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		if len(text) > 1<<13 {
			return
		}
		for _, o := range []Options{{MaxLength: lookBehind}, everything(t), {Unknown: true}} {
			wrapLaw(t, text, o, width)
		}
	})
}

func wrapLaw(t *testing.T, text string, o Options, width int) {
	t.Helper()
	out := wrapped(t, strings.NewReader(text), o, width)
	before, after := collect(t, text, o), collect(t, out, o)
	if !reflect.DeepEqual(addresses(t, before), addresses(t, after)) {
		t.Errorf("Wrap(%q) = %q, which has the URLs %q, want %q", text, out, addresses(t, after), addresses(t, before))
	}
	isPlain := func(m Match) bool { return m.Kind != Wrapped }
	after = slices.DeleteFunc(after, isPlain)
	if zero := slices.DeleteFunc(collect(t, out, Options{MaxLength: o.MaxLength}), isPlain); !reflect.DeepEqual(addresses(t, zero), addresses(t, after)) {
		t.Errorf("Wrap(%q) = %q, in which the zero Options find the wrappers %q, want %q", text, out, texts(zero), texts(after))
	}
	if again := wrapped(t, strings.NewReader(out), o, width); again != out {
		t.Errorf("Wrap(%q) = %q, and Wrap of the result = %q", text, out, again)
	}
	if was, is := between(text, before), between(out, collect(t, out, o)); o.MaxLength == 0 && was != is {
		t.Errorf("Wrap(%q) = %q, with the text %q between the URLs, want %q", text, out, is, was)
	}
}

// addresses returns the URLs of matches, and the hyphens of the wrapped matches.
func addresses(t *testing.T, all []Match) (list []any) {
	t.Helper()
	for _, m := range all {
		if isTooLong(m) {
			continue
		}
		u, err := m.URL()
		if err != nil {
			t.Fatalf("URL of %q: %v", m.Text, err)
		}
		list = append(list, u.String(), m.Hyphens)
	}
	return list
}

// between returns a text without its matches and without the brackets around them.
func between(text string, all []Match) string {
	var b strings.Builder
	from := int64(0)
	for _, m := range all {
		start, end := m.Offset, m.Offset+int64(m.Length)
		if m.Kind != Wrapped && start > from && text[start-1] == '<' && strings.HasPrefix(text[end:], ">") {
			start, end = start-1, end+1
		}
		b.WriteString(text[from:start] + "\x00")
		from = end
	}
	return b.String() + text[from:]
}
