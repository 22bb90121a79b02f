package extract

import (
	"slices"
	"strings"
	"testing"

	"locus/url"
)

func texts(text string) (found []string) {
	for m := range Prefixed(text) {
		found = append(found, m.Text)
	}
	return found
}

// req: 1738-A-1
// req: 1738-A-2
// req: 1738-A-3
// req: 1630-ctx-1
func TestPrefixed(t *testing.T) {
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
		{"<url: http://a.b/ >", []string{"http://a.b/"}},
		{"<URL:http://a.b/\tc\r\nd>", []string{"http://a.b/cd"}},
		{"<URL:http://never.closed/a b", []string{"http://never.closed/a"}},
		{"<URL:http://a/ <URL:http://b/>", []string{"http://a/", "http://b/"}},
		{"curl:x my-url:y http://h/?url:z", nil},
		{"<URL:>", nil},
		{"URL:", nil},
		{"no colon", nil},
		{"", nil},
	} {
		if got := texts(test.in); !slices.Equal(got, test.want) {
			t.Errorf("Prefixed(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// req: 1738-A-2
func TestReadings(t *testing.T) {
	for m := range Prefixed("<URL:http://a/b-\n  c-d-\r\n e- f>") {
		got := slices.Collect(m.Readings())
		want := []string{"http://a/b-c-d-e-f", "http://a/b-c-de-f", "http://a/bc-d-e-f", "http://a/bc-de-f"}
		if !slices.Equal(got, want) {
			t.Errorf("Readings() = %q, want %q", got, want)
		}
		if m.Offset != 0 || m.Length != len("<URL:http://a/b-\n  c-d-\r\n e- f>") {
			t.Errorf("match at %d, %d long", m.Offset, m.Length)
		}
		for first := range m.Readings() {
			if first != m.Text {
				t.Errorf("first reading %q, want %q", first, m.Text)
			}
			break
		}
	}
}

// req: 1630-ctx-1
func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		"<URL:ftp://h/a>": "ftp://h/a", "url:http://h/": "http://h/", "URL:http://h/": "http://h/", "<http://h/>": "http://h/",
		" http://h/\n": "http://h/", "<URL:http://h/a\n b>": "http://h/ab", "": "", "<>": "", "x:y": "x:y", "<URL:news:*>": "news:*",
	} {
		if got := Unwrap(in); got != want {
			t.Errorf("Unwrap(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLinear(t *testing.T) {
	const n = 1 << 20
	for _, piece := range []string{"<URL:", "URL:", "<", "url:a-\n", "::"} {
		for m := range Prefixed(strings.Repeat(piece, n)) {
			_ = m
		}
	}
	long := "<URL:x:" + strings.Repeat("a-\n", n) + ">"
	for m := range Prefixed(long) {
		if len(m.Hyphens) != n-1 && len(m.Hyphens) != n {
			t.Errorf("%d hyphens, want about %d", len(m.Hyphens), n)
		}
		if got := len(slices.Collect(m.Readings())); got != 2 {
			t.Errorf("%d readings of a text with too many hyphens, want 2", got)
		}
	}
}

func FuzzPrefixed(f *testing.F) {
	f.Add("<URL:ftp://h/a\n b> URL:x", "http://h/a-b")
	f.Fuzz(func(t *testing.T, text, wrapped string) {
		end := 0
		for m := range Prefixed(text) {
			if m.Offset < end || m.Length <= 0 || m.Offset+m.Length > len(text) {
				t.Fatalf("Prefixed(%q): match %+v after %d", text, m, end)
			}
			end = m.Offset + m.Length
		}
		u, err := url.Parse(wrapped)
		if err != nil || wrapped == "" {
			return
		}
		for _, broken := range []string{u.String(), strings.ReplaceAll(u.String(), "/", "\n /")} {
			m, _ := first(Prefixed("<URL:" + broken + ">"))
			if !slices.Contains(slices.Collect(m.Readings()), wrapped) && len(m.Hyphens) < 10 {
				t.Errorf("Prefixed(<URL:%q>) reads %q", broken, m.Text)
			}
		}
	})
}

func first(matches func(func(Match) bool)) (m Match, ok bool) {
	for m := range matches {
		return m, true
	}
	return m, false
}
