package scheme_test

import (
	"fmt"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// Read accepts the result of Normalize, the result means the same, and two URLs have the same result if and only if
// they are equivalent.
//
// req: 1738-2.2-4, 1738-2.2-5, 1630-enc-1, 1630-enc-2
func FuzzNormalize(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+1)%len(seeds)])
	}
	for _, pair := range [][2]string{
		{"http://h:0081/", "http://h:81"},
		{"http://h/#", "http://h/"},
		{"http://[::1]/", "http://[0:0::0:1]/"},
		{"ftp://h/a/../b;type=A", "ftp://h/b;type=a"},
		{"gopher://h", "gopher://h/1"},
		{"telnet://h", "telnet://h/"},
		{"file:///a", "file://localhost/a"},
		{"mailto://a@b", "mailto:%2F%2Fa@b"},
		{"news://a@b", "news:%2F%2Fa@b"},
		{"x-own://*a", "x-own://h"},
		{"wais://h/d?a+b", "wais://h/d?a%2Bb"},
		{"http://h/d?a+b", "http://h/d?a%20b"},
		{"ftp://h", "ftp://h/"},
		{"ftp://h?x", "ftp://h/?x"},
		{"mailto:%22a@B%22@C,d@E", "mailto:%22a@B%22@c,d@e"},
		{"mailto:a@B%5BX", "mailto:a@b%5bX"},
		{"/..//a", "/a"},
		{"file:/..//a", "file:/.//a"},
		{"http://h/%2e./a", "http://h/a"},
		{"ws://h:80", "ws://h/"},
		{"ssh://h:22/", "ssh://h/"},
		{"ldap://h:389/%61", "ldap://h/a"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, std := range standards {
			u, err := scheme.Read(std, a)
			if err != nil {
				continue
			}
			n := checkNormal(t, std, u)
			for _, near := range append(spellings(a), b) {
				v, err := scheme.Read(std, near)
				if err != nil {
					continue
				}
				m := scheme.Normalize(v, url.AllRewrites)
				if got := equivalent(u, v); got != (n == m) || equivalent(v, u) != got {
					t.Errorf("%v: equivalent(%q, %q) = %v, and %v in reverse, but Normalize returns %q and %q", std, a, near,
						got, equivalent(v, u), n, m)
				}
			}
		}
	})
}

// The normal form of a URL is valid, wherever an escape stands in it.
func TestNormalizeEscapes(t *testing.T) {
	for _, seed := range seeds {
		for at := range len(seed) + 1 {
			for _, c := range []byte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ a\x00\x80") {
				text := fmt.Sprintf("%s%%%02X%s", seed[:at], c, seed[at:])
				for _, std := range standards {
					if u, err := scheme.Read(std, text); err == nil {
						checkNormal(t, std, u)
					}
				}
			}
		}
	}
}

// spellings returns texts that may mean the same as text.
func spellings(text string) (near []string) {
	for i := range min(len(text), 40) {
		before, c, after := text[:i], text[i], text[i+1:]
		near = append(near, fmt.Sprintf("%s%%%02X%s", before, c, after))
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			near = append(near, before+string(c^0x20)+after)
		case c == '/':
			near = append(near, before+"/."+text[i:], before+"/x/.."+text[i:], before+"/%2E"+text[i:], before+after)
		case c == '%' && len(after) > 1:
			if decoded, err := url.Unescape(text[i : i+3]); err == nil {
				near = append(near, before+decoded+after[2:], before+strings.ToLower(text[i:i+3])+after[2:])
			}
		}
	}
	return append(near, text+"/", text+"#", strings.TrimSuffix(text, "/"))
}

// checkNormal checks the laws of Normalize for u, and returns the normal form.
func checkNormal(t *testing.T, std url.Standard, u url.URL) url.URL {
	t.Helper()
	n := scheme.Normalize(u, url.AllRewrites)
	again, err := scheme.Read(std, n.String())
	switch {
	case err != nil:
		t.Errorf("%v: Normalize(%q) = %q, but Read = %v", std, u, n, err)
	case again != n:
		t.Errorf("%v: Normalize(%q) = %q, but Read = %#v, want %#v", std, u, n, again, n)
	case !equivalent(u, n):
		t.Errorf("%v: Normalize(%q) = %q, which is not equivalent to it", std, u, n)
	case scheme.Normalize(n, url.AllRewrites) != n:
		t.Errorf("%v: Normalize(%q) = %q, and a second Normalize = %q", std, u, n, scheme.Normalize(n, url.AllRewrites))
	}
	return n
}
