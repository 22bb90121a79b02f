package weburl

import (
	"strings"
	"testing"

	"locus/internal/weburl/hard"
	"locus/url"
	"locus/url/whatwg"
)

func TestHardReferences(t *testing.T) {
	base := url.MustParse("http://u:p@h.example:8080/dir/page")
	for _, test := range hard.References() {
		for ref, base := range map[string]url.URL{
			"/" + test.Text:                          base,
			" \t/" + test.Text + "\n":                base,
			"http://h.example:8080/" + test.Text:     {},
			"HTTP:\\\\H.example:8080/" + test.Text:   url.MustParse("ftp://f/"),
			"//h.example:8080/dir/../" + test.Text:   base,
			"//h.example:8080/di\nr/../" + test.Text: base,
		} {
			u, ok := Resolve(base, ref)
			if !ok || u.PathAndQuery() != test.Target {
				t.Errorf("Resolve(%v, %q) = %q, %t, want the target %q", base, ref, u, ok, test.Target)
				continue
			}
			if again, err := Parse(u.String()); err != nil || again != u {
				t.Errorf("Parse(%q) = %q, %v, want the same URL", u, again, err)
			}
		}
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"http://H.example/a/../b", "http://H.example/a/../b"}, // a URL of RFC 3986 stays
		{"ftp://h/a[1]", ""},
		{"gopher://h/1/a b", ""},
		{"http://h/a[1]", "http://h/a[1]"},
		{"http://h/a b", "http://h/a%20b"},
		{"HTTPS://h/?|", "https://h/?|"},
		{"http://[1]/|", ""},
		{"http://h/caf\xe9?\xe9\u00e9#\xff", "http://h/caf%E9?%E9%C3%A9#%FF"}, // bytes that are not UTF-8
		{"http://\u65e5/\xe9", "http://xn--wgv/%E9"},
		{"http://h\xe9/", ""},
		{"a|b", ""},
		{"", ""},
	} {
		u, err := Parse(test.in)
		if same, sameErr := url.Parse(test.want); test.want != "" && sameErr == nil && u != same {
			t.Errorf("Parse(%q) is by %v, want a URL of RFC 3986", test.in, u.Standard())
		}
		if u.String() != test.want || (err == nil) != (test.want != "" || test.in == "") {
			t.Errorf("Parse(%q) = %q, %v, want %q", test.in, u, err, test.want)
		}
	}
}

// A link of another scheme is read by RFC 3986.
func TestLink(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{" http://H.example/a/../b[1] ", "http://h.example/b[1]"},
		{"https:h.example?|", "https://h.example/?|"},
		{" ftp://H/a ", "ftp://H/a"},
		{"http://h/caf\xe9", "http://h/caf%E9"},
		{"ftp://h/a[1]", ""},
		{"a/b", "a/b"},
		{"http://[1]/|", ""},
	} {
		u, err := Link(test.in)
		if u.String() != test.want || (err == nil) != (test.want != "") {
			t.Errorf("Link(%q) = %q, %v, want %q", test.in, u, err, test.want)
		}
	}
}

func TestResolveElsewhere(t *testing.T) {
	for _, test := range []struct{ base, ref string }{
		{"http://h/", "mailto:a@b"},
		{"http://h/", "gopher://h/1"},
		{"http://h/", "http://[1]/"},
		{"http://h/", "javascript:x"},
		{"ftp://h/", "a"},
		{"file:///a", "b|c"},
		{"", "a"},
		{"", ""},
	} {
		base, _ := url.Parse(test.base)
		if u, ok := Resolve(base, test.ref); ok || !u.IsZero() {
			t.Errorf("Resolve(%q, %q) = %q, %t, want no URL", test.base, test.ref, u, ok)
		}
	}
}

func TestStrict(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"http://h/a%2fb?c#d", "http://h/a%2fb?c#d"},
		{"http://h/[1]{}|^`%/%4?[]|%zz#a#b", "http://h/%5B1%5D%7B%7D%7C%5E%60%25/%254?%5B%5D%7C%25zz#a%23b"},
		{`http://u[:p|@[::1]:8/\?\#\`, "http://u%5B:p%7C@[::1]:8//?%5C#%5C"},
		{"http://a{b}/|", "http://a%7Bb%7D/%7C"},
		{"http://é/é", "http://xn--9ca/%C3%A9"},
	} {
		u, ok := Resolve(url.URL{}, test.in)
		got := Strict(u.String())
		if _, err := url.Parse(got); !ok || got != test.want || err != nil {
			t.Errorf("Strict(%q) = %q, %v, want %q", u, got, err, test.want)
		}
	}
}

func TestEncode(t *testing.T) {
	latin1 := func(r rune) ([]byte, rune) { return []byte{byte(r)}, 0 }
	page := Page{Base: "http://h/", Encode: latin1}
	if u, ok := page.Resolve("é?é#é"); u.String() != "http://h/%C3%A9?%E9#%C3%A9" {
		t.Errorf("Resolve(%q) = %q, %t in a page in Latin-1", "é?é#é", u, ok)
	}
}

// Every result is an http or https URL that Parse reads unchanged, and is a URL of RFC 3986 wherever it can be.
func FuzzResolve(f *testing.F) {
	for _, test := range hard.References() {
		f.Add("http://h/", test.Text)
	}
	f.Add("https://h", "//\\x:80")
	f.Fuzz(func(t *testing.T, base, ref string) {
		at, err := url.Parse(base)
		if err != nil {
			return
		}
		u, ok := Resolve(at, ref)
		if !ok {
			return
		}
		_, err = url.Parse(u.String())
		if u.Standard() != whatwg.Standard && err != nil || !strings.HasPrefix(u.Scheme(), "http") {
			t.Errorf("Resolve(%q, %q) = %q by %v, %v", base, ref, u, u.Standard(), err)
		}
		if again, err := Parse(u.String()); err != nil || again != u {
			t.Errorf("Parse(%q) = %q, %v, want the same URL", u, again, err)
		}
		if strict := Strict(u.String()); Strict(strict) != strict {
			t.Errorf("Strict(%q) = %q, and Strict of that is %q", u, strict, Strict(strict))
		} else if _, err := url.Parse(strict); err != nil {
			t.Errorf("Strict(%q) = %q: %v", u, strict, err)
		}
	})
}
