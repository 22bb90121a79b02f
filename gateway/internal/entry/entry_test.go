package entry_test

import (
	"errors"
	"io"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/url"
)

func TestCleanType(t *testing.T) {
	for _, test := range []struct{ given, clean, base string }{
		{"", "", ""},
		{"text/plain", "text/plain", "text/plain"},
		{"Text/HTML; Charset=UTF-8", "text/html; charset=UTF-8", "text/html"},
		{"text/plain ;a=b", "text/plain; a=b", "text/plain"},
		{"text", "", "text"},
		{"text/", "", "text/"},
		{"text/plain; a", "", "text/plain"},
		{"text/plain\r\nX: y", "", "text/plain\r\nx: y"},
	} {
		if clean, base := entry.CleanType(test.given), entry.BaseType(test.given); clean != test.clean || base != test.base {
			t.Errorf("CleanType(%q) = %q, BaseType = %q, want %q, %q", test.given, clean, base, test.clean, test.base)
		}
	}
}

func TestHasDots(t *testing.T) {
	for _, test := range []struct {
		path string
		want bool
	}{
		{"", false},
		{"/a/b", false},
		{"/.../.a/a.", false},
		{"/a/../b", true},
		{"/.", true},
		{"/%2e/x", true},
		{"/a/.%2E", true},
		{"/%2e%2e", true},
	} {
		if got := entry.HasDots(test.path); got != test.want {
			t.Errorf("HasDots(%q) = %v, want %v", test.path, got, test.want)
		}
	}
}

// An entry is below a folder only if its text shows it. Archives and mounted folders rely on this.
func TestIsBelow(t *testing.T) {
	for _, test := range []struct {
		root, u string
		want    bool
	}{
		{"ftp://h/d/", "ftp://h/d/x", true},
		{"ftp://h/d", "ftp://h/d/x", true},
		{"ftp://h/d/;type=d", "ftp://h/d/x", true},
		{"http://h/d/?C=M", "http://h/d/x", true},
		{"ftp://h/d/", "ftp://h/d/", false},
		{"ftp://h/d/", "ftp://h/dx", false},
		{"ftp://h/d/", "ftp://h/d/../x", false},
		{"ftp://h/d/", "ftp://h/d/%2e%2e/x", false},
		{"ftp://h/d/", "ftp://h2/d/x", false},
		{"ftp://h/d/", "http://h/d/x", false},
	} {
		if got := entry.IsBelow(url.MustParse(test.root), url.MustParse(test.u)); got != test.want {
			t.Errorf("IsBelow(%s, %s) = %v, want %v", test.root, test.u, got, test.want)
		}
	}
}

func TestName(t *testing.T) {
	for _, test := range []struct{ u, want string }{
		{"ftp://h/pub/a%20b", "a b"},
		{"ftp://h/pub/", "pub"},
		{"ftp://h/", "ftp://h"},
		{"ftp://h/a%1B%5B31mb", "a"},   // the rest may be an escape sequence of a terminal
		{"x://h/a/%E2%80%8B", "x://h"}, // an invisible name
	} {
		if got := entry.Name(url.MustParse(test.u)); got != test.want {
			t.Errorf("Name(%s) = %q, want %q", test.u, got, test.want)
		}
	}
}

func TestIsBlank(t *testing.T) {
	for _, test := range []struct {
		text string
		want bool
	}{
		{"", true},
		{" \t\n", true},
		{"\u200b\u2060", true},
		{"\u2800", true},
		{"\u00a0", true},
		{"\u3164", true},
		{"\x00", true},
		{"a", false},
		{" .", false},
		{"\u200bé", false},
	} {
		if got := entry.IsBlank(test.text); got != test.want {
			t.Errorf("IsBlank(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

// SafeName returns the name of one file in the current folder, whatever a server calls it.
func FuzzSafeName(f *testing.F) {
	for _, seed := range []string{"a.txt", "", ".", "..", "../x", `..\x`, "/etc/passwd", "C:x", "con", "CON.txt", "com¹", "lpt1 .x", "a\x00b", "\u202egpj.exe", " x ", "x.", strings.Repeat("é", 200), "\xff", `a*?"<>|b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := entry.SafeName(name)
		if got == "" || got == "." || got == ".." || path.Base(got) != got || len(got) > 200 || !utf8.ValidString(got) {
			t.Errorf("SafeName(%q) = %q", name, got)
		}
		if strings.ContainsAny(got, "/\\:*?\"<>|\x00\r\n\u202e") || strings.HasSuffix(got, ".") && got != "_" || strings.HasSuffix(got, " ") {
			t.Errorf("SafeName(%q) = %q", name, got)
		}
		if again := entry.SafeName(got); again != got {
			t.Errorf("SafeName(%q) = %q, and SafeName of that = %q", name, got, again)
		}
	})
}

func TestSafeName(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"a.txt", "a.txt"},
		{".profile", ".profile"},
		{"a b", "a b"},
		{"ä漢", "ä漢"},
		{"", "_"},
		{"..", "_"},
		{"a/b", "a_b"},
		{"x.", "x"},
		{" x ", "x"},
		{strings.Repeat("x", 199) + " y", strings.Repeat("x", 199)},
		{strings.Repeat("x", 190) + strings.Repeat(".", 20) + "y", strings.Repeat("x", 190)},
		{"con", "_con"},
		{"Aux.txt", "_Aux.txt"},
		{"com1", "_com1"},
		{"lpt9.x", "_lpt9.x"},
		{"com¹", "_com¹"},
		{"com10", "com10"},
		{"console", "console"},
	} {
		if got := entry.SafeName(test.name); got != test.want {
			t.Errorf("SafeName(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

// Names that differ only in case are the same on some systems.
func TestTake(t *testing.T) {
	used := make(entry.Used)
	for _, test := range []struct{ name, want string }{
		{"a.txt", "a.txt"},
		{"A.txt", "A (2).txt"},
		{"a.txt", "a (3).txt"},
		{"a (2).txt", "a (2) (2).txt"},
		{"b", "b"},
		{"b", "b (2)"},
		{".x", ".x"},
		{".x", ".x (2)"},
	} {
		if got := used.Take(test.name); got != test.want {
			t.Errorf("Take(%q) = %q, want %q", test.name, got, test.want)
		}
	}
	seen := map[string]bool{}
	for range 1000 {
		name := strings.ToLower(used.Take("same"))
		if seen[name] {
			t.Fatalf("Take returns %q twice", name)
		}
		seen[name] = true
	}
}

// endless is a listing without an end.
type endless struct {
	text string
	read int
}

func (l *endless) Next() (access.Entry, error) {
	l.read++
	return access.Entry{Title: l.text}, nil
}

// Bounded ends an endless listing of long and of empty lines, and passes errors on.
func TestBounded(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("x", 1<<20)} {
		l := &endless{text: text}
		bounded := entry.Bounded(l)
		var err error
		for err == nil && l.read < 10_000_000 {
			_, err = bounded.Next()
		}
		if !errors.Is(err, entry.ErrLong) {
			t.Errorf("after %d entries with %d bytes: %v, want %v", l.read, len(text), err, entry.ErrLong)
		}
	}
	if _, err := entry.Bounded(failing{}).Next(); err != io.ErrUnexpectedEOF {
		t.Errorf("Bounded changes %v to %v", io.ErrUnexpectedEOF, err)
	}
}

type failing struct{}

func (failing) Next() (access.Entry, error) { return access.Entry{}, io.ErrUnexpectedEOF }
