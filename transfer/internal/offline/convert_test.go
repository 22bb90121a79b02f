package offline

import (
	"strings"
	"testing"

	"locus/url"
)

// filesOf returns a nameOf for a copy whose files are named by URLs without fragments.
func filesOf(files map[string]string) func(url.URL, bool) (string, bool) {
	return func(u url.URL, _ bool) (string, bool) {
		text, _, _ := strings.Cut(u.String(), "#")
		name, ok := files[text]
		return name, ok
	}
}

func TestConvert(t *testing.T) {
	page := Page{Name: "a/b.html", URL: url.MustParse("http://h/a/b"), Type: "text/html"}
	nameOf := filesOf(map[string]string{
		"http://h/a/b": "a/b.html", "http://h/a/c": "a/c.html", "http://h/d.png": "d.png", "http://h/a/q?x=1": "a/q?x=1.html",
		"http://other/e.css": "_outside/http_other/e.css", "http://h/m.json": "m.json", "http://h/send": "send.html",
	})
	for _, test := range []struct{ in, want string }{
		{`<a href="c">`, `<a href="c.html">`},
		{`<a href="/a/c#top">`, `<a href="c.html#top">`},
		{`<a href="http://h/a/c">`, `<a href="c.html">`},
		{`<img src="/d.png">`, `<img src="../d.png">`},
		{`<a href="q?x=1">`, `<a href="q%3Fx%3D1.html">`},
		{`<link rel=stylesheet href="//other/e.css">`, `<link rel=stylesheet href="../_outside/http_other/e.css">`},
		{`<a href="missing">`, `<a href="http://h/a/missing">`},
		{`<a href="http://h/missing">`, `<a href="http://h/missing">`},
		{`<a href="#top">`, `<a href="#top">`},
		{`<a href="">`, `<a href="">`},
		{`<a href="mailto:a@h">`, `<a href="mailto:a@h">`},
		{`<base href="/">`, `<base href=".">`},
		{`<base href="/x/"><a href="/a/c">`, `<base href="."><a href="c.html">`},
		{`<link rel="preconnect" href="//cdn">`, `<link rel="preconnect" data-href="//cdn">`},
		{`<link rel="manifest" href="/m.json">`, `<link rel="manifest" data-href="/m.json">`},
		{`<form action="/send">`, `<form action="http://h/send">`},
		{`<form method=post action="/a/c">`, `<form method=post action="http://h/a/c">`},
		{`<style>p { background: url("/d.png") }</style>`, `<style>p { background: url("../d.png") }</style>`},
		{`<p>http://h/a/c</p>`, `<p>http://h/a/c</p>`},
	} {
		got, err := page.Convert([]byte(test.in), 0, nameOf)
		if string(got) != test.want || err != nil {
			t.Errorf("Convert(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
}

// Convert says which references the page loads.
func TestConvertParts(t *testing.T) {
	page := Page{Name: "b", URL: url.MustParse("http://h/b"), Type: "text/html"}
	var parts, links []string
	_, err := page.Convert([]byte(`<a href=c><img src=d.png><script src=e.js></script><form action=f></form>`), 0, func(u url.URL, isPart bool) (string, bool) {
		if isPart {
			parts = append(parts, u.String())
		} else {
			links = append(links, u.String())
		}
		return "", false
	})
	if got := strings.Join(parts, " "); got != "http://h/d.png http://h/e.js" || err != nil {
		t.Errorf("parts %q, %v", got, err)
	}
	if got := strings.Join(links, " "); got != "http://h/c" {
		t.Errorf("links %q, want http://h/c", got)
	}
}

// A page that becomes larger than maxSize is an error.
func TestConvertLimit(t *testing.T) {
	page := Page{Name: "b", URL: url.MustParse("http://h/b"), Type: "text/html"}
	nameOf := func(url.URL, bool) (string, bool) { return strings.Repeat("x", 100), true }
	in := []byte(`<a href=c>`)
	if _, err := page.Convert(in, 50, nameOf); err == nil {
		t.Errorf("Convert(%q) with at most 50 bytes succeeds", in)
	}
	if _, err := page.Convert(in, 500, nameOf); err != nil {
		t.Errorf("Convert(%q) with at most 500 bytes: %v", in, err)
	}
}

func TestRelativeURL(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"a", "b", "b"},
		{"a", "a", "a"},
		{"d/a", "d/b", "b"},
		{"d/a", "b", "../b"},
		{"a", "d/b", "d/b"},
		{"d/e/a", "d/f/b", "../f/b"},
		{"d/a", "d", "../d"},
		{"a", `<"&'>?#%`, "%3C%22%26%27%3E%3F%23%25"},
	} {
		if got := relativeURL(test.from, test.to); got != test.want {
			t.Errorf("relativeURL(%q, %q) = %q, want %q", test.from, test.to, got, test.want)
		}
	}
}
