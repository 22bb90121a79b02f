package sync

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/extract/document"

	"locus/access"
	"locus/internal/autoindex"
	"locus/url"
)

// A fuse panics when it is read.
type fuse struct{}

func (fuse) Read([]byte) (int, error) { panic("in Read") }

func (fuse) Next() (access.Entry, error) { panic("in Next") }

// A panic while a page is read for its links ends the transfer of that page.
func TestInspectPanic(t *testing.T) {
	root, _ := tempRoot(t)
	m := newMirror(MirrorOptions{}, remote{tree: mustTree(t, "http://h/")}, root)
	keep, err := m.pages.inspect(task{}, fuse{}, url.MustParse("http://h/"), "index.html", "text/html")
	if _, ok := errors.AsType[*access.PanicError](err); !ok || keep {
		t.Errorf("inspect = %t, %v, want an *access.PanicError", keep, err)
	}
}

// An endless page never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, manyX), nil }

func TestReadLinks(t *testing.T) {
	const at = "http://h/a/b"
	for _, tt := range []struct{ mime, in, want string }{
		{"text/html", `<a href="c">x</a><img src=/d.png><link rel=stylesheet href="e.css">`, "http://h/a/c http://h/d.png http://h/a/e.css"},
		{"text/html", `<base href="/x/"><base href="/y/"><a href=" z&amp;q ">`, "http://h/x/z&q"},
		{"text/html", `<A HREF='caf` + "\xe9" + `'><a href="a b"><a href=#top>`, "http://h/a/caf%E9 http://h/a/a%20b http://h/a/b"},
		{"text/html", `<script>"<a href=no>"</script><!-- <a href=no> --><a href="java` + "\n" + `script:x">`, "javascript:x"},
		{"text/html", `<a href="http://[bad">http://h/no</a><p>http://h/no</p><a href=x:// >`, "http://%5Bbad/ x://"},
		{"text/html", `<img srcset="s.png 1x, l.png 2x"><video poster=p><object data=o></object>`, "http://h/a/s.png http://h/a/l.png http://h/a/p http://h/a/o"},
		{"text/html", `<style>body { background: url(s) }</style><p style="background: url('i')">`, "http://h/a/s http://h/a/i"},
		{"text/html", `<meta http-equiv=refresh content="0; url=next">`, "http://h/a/next"},
		{"text/html", `<link rel=preconnect href=//cdn><link rel="dns-prefetch" href=//dns><link rel=preload href=c>`, "http://h/a/c"},
		{"text/html", `<form action=send><button formaction=send></form><q cite=from><a ping=count href=c>`, "http://h/a/c"},
		{"application/xhtml+xml", `<a href="c"/>`, "http://h/a/c"},
		{"text/css; charset=utf-8", `@import "c"; p { background: url(d.png) } /* http://h/no */`, "http://h/a/c http://h/a/d.png"},
	} {
		var links []string
		err := readLinks(strings.NewReader(tt.in), url.MustParse(at), tt.mime, func(to url.URL) error {
			links = append(links, to.String())
			return nil
		})
		if got := strings.Join(links, " "); got != tt.want || err != nil || !hasLinks(tt.mime) {
			t.Errorf("readLinks(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	for _, mime := range []string{"", "text/plain", "image/svg+xml", "application/javascript"} {
		if hasLinks(mime) {
			t.Errorf("%q is read for its links", mime)
		}
	}
	none := func(url.URL) error { return nil }
	if err := readLinks(io.MultiReader(strings.NewReader("<!--"), endless{}), url.MustParse(at), "text/html", none); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("a page without end: %v, want %v", err, document.ErrTooLarge)
	}
}

func TestIsListing(t *testing.T) {
	for in, want := range map[string]bool{
		"": false,
		`<html><head><title> Index of /a/ </title>`:                    true,
		`<TITLE>Directory listing for /</TITLE>`:                       true,
		`<title>About the index of it</title><p>Index of`:              false,
		`<title></title><p>Index of /`:                                 false,
		`<!-- <title>Index of</title> --><p>`:                          false,
		"<p><pre>":                                                     false,
		strings.Repeat(" ", autoindex.HeadSize) + `<title>Index of /`:  false,
		`<a href="c"></a><title>Index of /</title>`:                    true,
		"<!doctype html>\n<meta name=\"viewport\">\n<pre>\n<a href=x>": true,
	} {
		r := bufio.NewReaderSize(strings.NewReader(in), autoindex.HeadSize)
		if got := isListing(r); got != want {
			t.Errorf("isListing(%q) = %v, want %v", in, got, want)
		}
		if rest, err := io.ReadAll(r); string(rest) != in || err != nil {
			t.Errorf("after isListing(%q) %q is left, %v", in, rest, err)
		}
	}
}

var manyX = strings.Repeat("x", 64<<10)
