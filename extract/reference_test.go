package extract_test

import (
	"testing"

	"locus/extract"
)

// In the path and the authority of a reference in a web page, a backslash is a slash, because browsers read it so.
func TestBackslashes(t *testing.T) {
	for _, test := range []struct{ base, text, want string }{
		{"http://h/a/", `sub\page.html`, "http://h/a/sub/page.html"},
		{"file:///d/x.html", `..\y\z.png?a\b#c\d`, "file:///y/z.png?a%5Cb#c%5Cd"},
		{"https://h/a/", `\\g.h\x`, "https://g.h/x"},
		{"https://h/a/", `?q=\x`, `https://h/a/?q=\x`},
		{"https://h/a/", `#\x`, `https://h/a/#\x`},
		{"gopher://h/1/a", `0\x`, "gopher://h/1/0%5Cx"},
		{"https://h/a/", `gopher://g/0\x`, "gopher://g/0%5Cx"},
		{"https://h/a/", `http://g\x`, "http://g/x"},
		{"gopher://h/1/a", `http:\\g\x`, "http://g/x"},
		{"", `https://g/a\b`, "https://g/a/b"},
	} {
		m := extract.Match{Text: test.text, Kind: extract.Reference, Base: test.base}
		if u, err := m.URL(); err != nil || u.String() != test.want {
			t.Errorf("URL of %s with the base %s = %s, %v, want %s", test.text, test.base, u, err, test.want)
		}
	}
	plain := extract.Match{Text: `https://g/a\b`}
	if u, err := plain.URL(); err != nil || u.String() != "https://g/a%5Cb" {
		t.Errorf("in plain text, URL of %s = %s, %v", plain.Text, u, err)
	}
}
