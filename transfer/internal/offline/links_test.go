package offline

import (
	"errors"
	"io"
	"strings"
	"testing"

	"locus/extract/document"
	"locus/url"
)

// An endless reader never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, manyX), nil }

var manyX = strings.Repeat("x", 64<<10)

func TestLinks(t *testing.T) {
	const at = "http://h/a/b"
	for _, test := range []struct{ mime, in, want string }{
		{"text/html", `<a href="c">x</a><img src=/d.png><link rel=stylesheet href="e.css">`, "http://h/a/c http://h/d.png http://h/a/e.css"},
		{"text/html", `<base href="/x/"><base href="/y/"><a href=" z&amp;q ">`, "http://h/x/z&q"},
		{"text/html", `<A HREF='caf` + "\xe9" + `'><a href="a b"><a href=#top>`, "http://h/a/caf%C3%A9 http://h/a/a%20b http://h/a/b"},
		{"text/html", `<script>"<a href=no>"</script><!-- <a href=no> --><a href="java` + "\n" + `script:x">`, "javascript:x"},
		{"text/html", `<a href="http://[bad">http://h/no</a><p>http://h/no</p><a href=x:// >`, "http://%5Bbad/ x://"},
		{"text/html", `<img srcset="s.png 1x, l.png 2x"><video poster=p><object data=o></object>`, "http://h/a/s.png http://h/a/l.png http://h/a/p http://h/a/o"},
		{"text/html", `<style>body { background: url(s) }</style><p style="background: url('i')">`, "http://h/a/s http://h/a/i"},
		{"text/html", `<meta http-equiv=refresh content="0; url=next">`, "http://h/a/next"},
		{"text/html", `<link rel=preconnect href=//cdn><link rel="dns-prefetch" href=//dns><link rel=preload href=c>`, "http://h/a/c"},
		{"text/html", `<form action=send><button formaction=send></form><q cite=from><a ping=count href=c>`, "http://h/a/c"},
		{"text/html", `<form method=post action=logout><button formaction=delete></form><form><input formmethod=dialog formaction=send></form><a href=c>`, "http://h/a/c"},
		{"text/html", `<link rel=pingback href=send><link rel=schema.DC href=/dc/><link rel=next href=c>`, "http://h/a/c"},
		{"application/xhtml+xml", `<a href="c"/>`, "http://h/a/c"},
		{"text/css; charset=utf-8", `@import "c"; p { background: url(d.png) } /* http://h/no */`, "http://h/a/c http://h/a/d.png"},
	} {
		var links []string
		err := Links(strings.NewReader(test.in), url.MustParse(at), test.mime, func(to url.URL) error {
			links = append(links, to.String())
			return nil
		})
		if got := strings.Join(links, " "); got != test.want || err != nil || !HasLinks(test.mime) {
			t.Errorf("Links(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
	for _, mime := range []string{"", "text/plain", "image/svg+xml", "application/javascript"} {
		if HasLinks(mime) {
			t.Errorf("HasLinks(%q) = true, want false", mime)
		}
	}
	ignore := func(url.URL) error { return nil }
	if err := Links(io.MultiReader(strings.NewReader("<!--"), endless{}), url.MustParse(at), "text/html", ignore); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("Links of an endless page = %v, want %v", err, document.ErrTooLarge)
	}
}

// References also finds the files that a page loads, and tells them from its links.
func TestReferences(t *testing.T) {
	const at = "http://h/a/b"
	for _, test := range []struct{ mime, in, want string }{
		{"text/html", `<a href="c">x</a><img src=/d.png>`, "link http://h/a/c, part http://h/d.png"},
		{"text/html", `<link rel=stylesheet href=e.css><script src=f.js></script>`, "part http://h/a/e.css, part http://h/a/f.js"},
		{"text/html", `<base href=/x/><a href=y#z><form action=send></form>`, "link http://h/x/y"},
		{"text/html", `<form method=post action=logout><button formaction=delete></form><link rel=webmention href=send><a href=c>`, "link http://h/a/c"},
		{"text/css", `@import "c.css"; p { background: url(d.png) }`, "part http://h/a/c.css, part http://h/a/d.png"},
		{"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><image href="i.png"/></svg>`, "part http://h/a/i.png"},
	} {
		var found []string
		err := References(strings.NewReader(test.in), url.MustParse(at), test.mime, func(to url.URL, isPart bool) error {
			use := "link "
			if isPart {
				use = "part "
			}
			found = append(found, use+to.String())
			return nil
		})
		if got := strings.Join(found, ", "); got != test.want || err != nil {
			t.Errorf("References(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
	stop := errors.New("stop")
	in := `<a href=c><a href=d>`
	n := 0
	err := References(strings.NewReader(in), url.MustParse(at), "text/html", func(url.URL, bool) error {
		n++
		return stop
	})
	if err != stop || n != 1 {
		t.Errorf("References(%q) = %v after %d calls, want the error of the first call", in, err, n)
	}
	ignore := func(url.URL, bool) error { return nil }
	if err := References(endless{}, url.MustParse(at), "text/html", ignore); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("References of an endless page = %v, want %v", err, document.ErrTooLarge)
	}
}
