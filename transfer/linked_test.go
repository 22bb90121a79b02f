package transfer

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/url"
)

// Links are read as RFC 8288 writes them, and bad ones end the list.
func TestParseLinks(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
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
		for _, l := range parseLinks(tt.in) {
			text := l.target
			for _, name := range []string{"", "flag", "geo", "pri", "rel", "title", "type"} {
				if value, ok := l.params[name]; ok {
					text += " " + name + "=" + value
				}
			}
			got = append(got, "["+text+"]")
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("parseLinks(%s) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

// The best mirrors come first, and of other schemes than those of files there are none.
func TestAddLinks(t *testing.T) {
	var l Linked
	from := url.MustParse("http://h/d/f")
	l.addLinks(`<http://c/f>; rel=duplicate, <ftp://b/f>; rel=duplicate; pri=2, <http://a/f>; rel=duplicate; pri=1; geo=de, <file:///etc/passwd>; rel=duplicate; pri=1, <smtp://h/>; rel=duplicate`, from)
	l.addLinks(`<http://c/f>; rel=duplicate; pri=1, <../m.meta4>; rel=describedby; type="application/metalink4+xml", <x>; rel=describedby, </d>; rel=next`, from)
	if got, want := fmt.Sprint(l.Mirrors, l.Metalink), "[http://a/f ftp://b/f http://c/f] http://h/m.meta4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "<http://h/%d>; rel=duplicate,", i)
	}
	if l.addLinks(many.String(), from); len(l.Mirrors) != maxLinked {
		t.Errorf("%d mirrors are kept", len(l.Mirrors))
	}
}

// A result has what servers say of mirrors and digests, after a failure and of redirects, too.
func TestResultLinked(t *testing.T) {
	const text = "hello"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirected":
			w.Header().Set("Link", "<http://m.example/f>; rel=duplicate; pri=1")
			w.Header().Set("Digest", "SHA-256="+sum256(text))
			w.Header().Set("Repr-Digest", "sha-256=:"+sum256("the text of this redirect")+":")
			http.Redirect(w, r, "/f", http.StatusFound)
		case "/other":
			w.Header().Set("Digest", "SHA-256="+sum256("another page")) // no mirror: not of the file
			http.Redirect(w, r, "/f", http.StatusFound)
		case "/wrong":
			w.Header().Set("Link", "<http://m.example/f>; rel=duplicate")
			w.Header().Set("Digest", "SHA-256="+sum256("other"))
			http.Redirect(w, r, "/f", http.StatusFound)
		case "/broken":
			w.Header().Set("Link", "</f>; rel=duplicate; pri=3")
			w.Header().Set("Repr-Digest", "sha-512=:"+sum512(text)+":, sha-256=:"+sum256(text)+":")
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, text)
		default:
			fmt.Fprint(w, text)
		}
	}))
	defer server.Close()
	engine := &locus.Client{Dial: new(net.Dialer).DialContext}
	defer engine.Close()
	for _, tt := range []struct {
		path, mirrors string
		digest        int // in bytes
		isWhole       bool
	}{
		{"/f", "[]", 0, true},
		{"/redirected", "[http://m.example/f]", 32, true},
		{"/other", "[]", 0, true},
		{"/wrong", "[http://m.example/f]", 32, false},
		{"/broken", "[" + server.URL + "/f]", 64, false},
	} {
		root, dir := folder(t)
		result, err := Get(t.Context(), engine, &access.Request{URL: url.MustParse(server.URL + tt.path)}, root, "f", Options{Retry: hasty})
		if (err == nil) != tt.isWhole || tt.path == "/wrong" && !errors.Is(err, ErrDigest) {
			t.Errorf("%s: %v", tt.path, err)
		}
		if got := fmt.Sprint(result.Linked.Mirrors); got != tt.mirrors || len(result.Linked.Digest.sum) != tt.digest {
			t.Errorf("%s: mirrors %s, a digest of %d bytes, want %s, %d", tt.path, got, len(result.Linked.Digest.sum), tt.mirrors, tt.digest)
		}
		if _, has := contents(t, dir)["f"]; has != tt.isWhole {
			t.Errorf("%s: the file is there: %v", tt.path, has)
		}
	}
}
