package url_test

import (
	"fmt"

	"locus/url"
)

func ExampleStandard_Parse() {
	u, err := url.RFC1738.Parse("ftp://foo:@host.com/pub/a?b")
	password, hasPassword := u.Password()
	_, hasQuery := u.Query() // "?" is data in ftp
	fmt.Printf("%q %v %q %v %v\n", password, hasPassword, u.Path(), hasQuery, err)
	_, err = url.RFC1738.Parse("http://host/#top")
	fmt.Println(err)
	// Output:
	// "" true "/pub/a?b" false <nil>
	// parse "http://host/#top": offset 12: found '#', want a byte that may stand in a path, or an escape (RFC 1738 §2.2)
}

func ExampleURL_Resolve() {
	base := url.MustParse("http://a/b/c/d;p?q")
	for _, ref := range []string{"../g", "?y", "//h", "#s", "g:h"} {
		u, err := base.Resolve(ref)
		fmt.Println(u, err)
	}
	// Output:
	// http://a/b/g <nil>
	// http://a/b/c/d;p?y <nil>
	// http://h <nil>
	// http://a/b/c/d;p?q#s <nil>
	// g:h <nil>
}

func ExampleURL_Normalize() {
	http := url.Facts{DefaultPort: 80, Hierarchical: true, Roots: []string{"/", ""}}
	u := url.MustParse("HTTP://Example.ORG:80/a/../%7eb%2f")
	fmt.Println(u.Normalize(url.AllRewrites, http))
	fmt.Println(u.Normalize(url.LowerScheme|url.LowerHost, http))
	// Output:
	// http://example.org/~b%2F
	// http://example.org:80/a/../%7eb%2f
}

// The examples of RFC 1630: an escaped hyphen means a hyphen, but an escaped slash does not mean the slash of a
// hierarchy.
func ExampleURL_Difference() {
	a, _ := url.RFC1630.Parse("http://info.cern.ch/albert/bertram/marie-claude")
	b, _ := url.RFC1630.Parse("http://info.cern.ch/albert/bertram/marie%2Dclaude")
	c, _ := url.RFC1630.Parse("http://info.cern.ch/albert/bertram%2Fmarie-claude")
	_, _, _, differ := a.Difference(b, url.Facts{})
	fmt.Println(differ)
	fmt.Println(a.Difference(c, url.Facts{}))
	// Output:
	// false
	// path 34 34 true
}

func ExampleEscape() {
	segment := url.RFC3986.Allowed(url.Path).Without("/")
	fmt.Println(url.Escape("a/b c;100%", segment))
	// Output: a%2Fb%20c;100%25
}

func ExampleUnescape() {
	fmt.Println(url.Unescape("a%2Fb+c"))
	_, err := url.Unescape("100%")
	fmt.Println(err)
	// Output:
	// a/b+c <nil>
	// unescape: offset 3: found a bad escape, want two hex digits after the "%" (RFC 3986 §2.1)
}

func ExampleStandard_Build() {
	p := url.Parts{Scheme: url.Some("http"), Host: url.Some("h"), Port: url.Some("8080"), Path: "/a%20b", Query: url.Some("")}
	fmt.Println(url.RFC3986.Build(p))
	p.Host = url.Some("h/evil")
	_, err := url.RFC3986.Build(p)
	fmt.Println(err)
	// Output:
	// http://h:8080/a%20b? <nil>
	// parse "http://h/evil:8080/a%20b?": offset 8: found '/', want a byte that may stand in a host, or an escape (RFC 3986 §3.2.2)
}

func ExampleStandard_Split() {
	p := url.RFC3986.Split("ht tp://u@h ost/<a>?b#c") // not a URL, but Split divides it
	fmt.Printf("%q %q %q %q\n", p.Scheme.Text, p.Host.Text, p.Path, p.Query.Text)
	fmt.Println(p.Port.Present, p)
	// Output:
	// "ht tp" "h ost" "/<a>" "b"
	// false ht tp://u@h ost/<a>?b#c
}

func ExampleURL_With() {
	u := url.MustParse("http://h/a?b#c")
	fmt.Println(u.With(url.Query, url.Part{}))
	fmt.Println(u.With(url.Path, url.Some("/x%2Fy")))
	// Output:
	// http://h/a#c <nil>
	// http://h/x%2Fy?b#c <nil>
}
