package fetch

import (
	"fmt"
	"strings"
	"testing"

	"locus/internal/weburl/hard"
	"locus/url"
)

// Links are read as RFC 8288 writes them, and bad ones end the list.
func TestParseLinks(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`<http://m/f>; rel=duplicate; pri=1; geo=de`, `[http://m/f geo=de pri=1 rel=duplicate]`},
		{`<a>;rel="duplicate x" , <b> ; REL = describedby;type="application/metalink4+xml"`, `[a rel=duplicate x] [b rel=describedby type=application/metalink4+xml]`},
		{`<a,b;c>; title="x, <y>; \"z\""; rel=duplicate,, <d>`, `[a,b;c rel=duplicate title=x, <y>; "z"] [d]`},
		{`<a>; rel=duplicate; rel=other; flag`, `[a flag= rel=duplicate]`},
		{`<a>; title="no end`, `[a title=no end]`},
		{`<a`, ``},
		{`a; rel=duplicate`, ``},
		{`<a> x, <b>`, `[a]`},
		{``, ``},
		{strings.Repeat("<a>;;;", 10), `[a =]`},
	} {
		var got []string
		for _, l := range parseLinks(test.in) {
			text := l.target
			for _, name := range []string{"", "flag", "geo", "pri", "rel", "title", "type"} {
				if value, ok := l.params[name]; ok {
					text += " " + name + "=" + value
				}
			}
			got = append(got, "["+text+"]")
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("parseLinks(%s) = %s, want %s", test.in, got, test.want)
		}
	}
}

// The best mirrors come first, and URLs of other schemes than the web and FTP are left out.
func TestAddLinks(t *testing.T) {
	var l Linked
	from := url.MustParse("http://h/d/f")
	l.addLinks(`<http://c/f>; rel=duplicate, <ftp://b/f>; rel=duplicate; pri=2, <http://a/f>; rel=duplicate; pri=1; geo=de, <file:///etc/passwd>; rel=duplicate; pri=1, <smtp://h/>; rel=duplicate`, from)
	l.addLinks(`<http://c/f>; rel=duplicate; pri=1, <../m.meta4>; rel=describedby; type="application/metalink4+xml", <x>; rel=describedby, </d>; rel=next`, from)
	if got, want := fmt.Sprint(l.Mirrors, l.Metalink), "[http://a/f ftp://b/f http://c/f] http://h/m.meta4"; got != want {
		t.Errorf("addLinks of two fields makes %s, want %s", got, want)
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "<http://h/%d>; rel=duplicate,", i)
	}
	if l.addLinks(many.String(), from); len(l.Mirrors) != maxLinked {
		t.Errorf("%d mirrors are kept", len(l.Mirrors))
	}
}

// The target of a Link leads where the Location of a redirect would lead a browser.
func TestHardLinks(t *testing.T) {
	from := url.MustParse("http://h.example/dir/f")
	for _, test := range hard.References() {
		if strings.ContainsAny(test.Text, `<>`) {
			continue // ">" ends a target
		}
		for _, target := range []string{"/" + test.Text, "http://h.example/" + test.Text} {
			var l Linked
			l.addLinks("<"+target+">; rel=duplicate", from)
			if len(l.Mirrors) != 1 || l.Mirrors[0].PathAndQuery() != test.Target {
				t.Errorf("a Link to %q leads to %v, want the target %q", target, l.Mirrors, test.Target)
			}
		}
	}
}
