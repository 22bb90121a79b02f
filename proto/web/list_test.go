package web

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access"
	"locus/internal/autoindex"
	"locus/internal/markup"
	"locus/url"
)

// page returns a Resource like a Resource of the engine.
func page(at, mime, text string) *access.Resource {
	return &access.Resource{
		Entry: access.Entry{
			URL: url.MustParse(at), Type: mime, Size: int64(len(text)),
		}, HTTPStatus: 200, Body: io.NopCloser(strings.NewReader(text)),
	}
}

// entriesOf lists r. It returns the URL of each entry, with the name if the URL has
// another name.
func entriesOf(t *testing.T, r *access.Resource) ([]string, error) {
	t.Helper()
	l, ok := r.List, r.List != nil
	if !ok {
		return nil, errors.New("no listing")
	}
	var got []string
	err := access.Entries(l, func(e access.Entry) error {
		if (e.Kind == access.Directory) != strings.HasSuffix(e.URL.String(), "/") || e.Kind != access.Directory && e.Kind != access.Object || e.Kind == access.Directory && e.Size != -1 {
			t.Errorf("the entry of %q is %+v", e.URL, e)
		}
		got = append(got, e.Title+" "+e.URL.String())
		return nil
	})
	return got, err
}

// Listed recognises the directory pages of many servers by their first lines, and no other pages.
func TestListed(t *testing.T) {
	const mime = "text/html; charset=utf-8"
	for _, test := range []struct {
		name, at, mime, text string
		want                 []string // nil if it is not a listing
	}{
		{
			"nginx", "http://h/pub/", mime,
			"<html>\r\n<head><title>Index of /pub/</title></head>\r\n<body>\r\n<h1>Index of /pub/</h1><hr><pre><a href=\"../\">../</a>\r\n" +
				"<a href=\"sub/\">sub/</a>                20-Nov-2026 10:11       -\r\n<a href=\"a%20b%25.txt\">a b%.txt</a>      20-Nov-2026 10:11     12\r\n</pre><hr></body>\r\n</html>\r\n",
			[]string{"sub http://h/pub/sub/", "a b%.txt http://h/pub/a%20b%25.txt"},
		},
		{
			"Apache", "http://h/pub/", mime,
			`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><html><head><title>Index of /pub</title></head><body><h1>Index of /pub</h1>
<table><tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><a href="/">Parent Directory</a></td></tr>
<tr><td><a href="sub/"><img src="/icons/folder.gif" alt="[DIR]"></a></td><td><a href="sub/">sub/</a></td></tr>
<tr><td><a href="x&amp;y">x&amp;y</a></td></tr></table></body></html>`,
			[]string{"sub http://h/pub/sub/", "x&y http://h/pub/x&y"},
		},
		{
			"lighttpd", "http://h/", "text/html",
			"<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\" /><title>Index of /</title>\n<style type=\"text/css\">\na, a:active {}\n</style></head>\n<body>" +
				"<a href=\"sub/\">sub</a>/ <a href=\"x.txt\">x.txt</a><script>document.write('<a href=\"none\">')</script></body></html>",
			[]string{"sub http://h/sub/", "x.txt http://h/x.txt"},
		},
		{
			"Python", "http://h/", mime,
			"<!DOCTYPE HTML>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Directory listing for /</title>\n</head>\n<body><ul>\n<li><a href=\"q%3F%23x\">q?#x</a></li>\n<li><a href=\"sub/\">sub/</a></li></ul></body></html>",
			[]string{"q?#x http://h/q%3F%23x", "sub http://h/sub/"},
		},
		{
			"Go", "http://h/", mime,
			"<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n<a href=\"./a:b\">a:b</a>\n<a href=\"sub/\">sub/</a>\n</pre>\n",
			[]string{"a:b http://h/a:b", "sub http://h/sub/"},
		},
		{"an empty one", "http://h/", mime, "<pre>\n</pre>\n", []string{}},
		{
			"links of every kind", "http://u:pw@h/p%75b/", mime,
			`<title> INDEX OF /x</title><a>x</a><a name="n">x</a><a class="c" href="one">x</a><A HREF=two>x</A><a href='three' href="no">x</a>
<a href="/pub/four">x</a><a href="//h/pub/five">x</a><a href="http://h:80/pub/six">x</a><a href="HTTP://h/pub/seven#f">x</a><a href=" eight ">x</a><a href="ni ne">x</a><a href="日">x</a>
<a href="">x</a><a href=".">x</a><a href="./">x</a><a href="..">x</a><a href="/">x</a><a href="/pub">x</a><a href="#f">x</a><a href="no?q">x</a><a href="?">x</a>
<a href="sub/no">x</a><a href="../no">x</a><a href="/no">x</a><a href="//other/pub/no">x</a><a href="https://h/pub/no">x</a><a href="http://h:81/pub/no">x</a>
<a href="ftp://h/pub/no">x</a><a href="file:///pub/no">x</a><a href="mailto:a@b">x</a><a href="javascript:no">x</a><a href="%2e%2e">x</a><a href="%2E%2e/">x</a><a href="%">x</a><a href="%zz">x</a>
<link href="no"><area href="no"><img src="no"><!-- <a href="no"> --><a href="last/">x</a><a href="last/">x</a>`,
			[]string{
				"one http://u:pw@h/p%75b/one", "two http://u:pw@h/p%75b/two", "three http://u:pw@h/p%75b/three", "four http://u:pw@h/p%75b/four",
				"five http://u:pw@h/p%75b/five", "six http://u:pw@h/p%75b/six", "seven http://u:pw@h/p%75b/seven", "eight http://u:pw@h/p%75b/eight",
				"ni ne http://u:pw@h/p%75b/ni%20ne", "日 http://u:pw@h/p%75b/%E6%97%A5", "last http://u:pw@h/p%75b/last/",
			},
		},
		{"a page", "http://h/", mime, "<title>My files</title><pre><a href=x>x</a></pre>", nil},
		{"a page with no title", "http://h/", mime, "<p><pre><a href=x>x</a></pre>", nil},
		{"the word further on", "http://h/", mime, "<title>The Index of /</title>", nil},
		{"the word in a heading", "http://h/", mime, "<h1>Index of /</h1>", nil},
		{"the word in a text", "http://h/", mime, "<title></title>Index of /", nil},
		{"the word too late", "http://h/", mime, strings.Repeat(" ", autoindex.HeadSize) + "<title>Index of /</title>", nil},
		{"a title without an end", "http://h/", mime, "<title", nil},
		{"nothing", "http://h/", mime, "", nil},
		{"a file", "http://h/pub", mime, "<title>Index of /</title>", nil},
		{"a search", "http://h/pub?x/", mime, "<title>Index of /</title>", nil},
		{"a text", "http://h/", "text/plain", "<title>Index of /</title>", nil},
		{"anything", "http://h/", "", "<title>Index of /</title>", nil},
		{"an upper case type", "http://h/", "TEXT/HTML ;x", "<title>Index of /</title>", []string{}},
	} {
		got, err := entriesOf(t, Listed(page(test.at, test.mime, test.text)))
		if (err == nil) != (test.want != nil) || !slices.Equal(got, test.want) {
			t.Errorf("%s lists %q, %v, want %q", test.name, got, err, test.want)
		}
		r := Listed(page(test.at, test.mime, test.text))
		if text, err := io.ReadAll(r.Body); string(text) != test.text || err != nil {
			t.Errorf("%s reads as %q, %v, want it unchanged", test.name, text, err)
		}
	}
}

// Listed returns a part of a page, a Resource of another engine, and a listing unchanged.
func TestListedNot(t *testing.T) {
	const text = "<pre><a href=x>x</a></pre>"
	coded := page("http://h/", "text/html", text)
	coded.Header = access.Header{{Name: "Content-Encoding", Value: "gzip"}}
	part := page("http://h/", "text/html", text)
	part.Offset = 1
	other := page("http://h/", "text/html", text)
	other.HTTPStatus = 0
	for name, r := range map[string]*access.Resource{"a coded page": coded, "a part": part, "another engine's": other} {
		if Listed(r) != r {
			t.Errorf("%s is made a listing", name)
		}
	}
	listed := Listed(page("http://h/", "text/html", text))
	if again := Listed(listed); again != listed {
		t.Error("a listing is made a listing once more")
	}
}

// A listing may have any length, and ends with its page.
func TestListedEnd(t *testing.T) {
	broken := errors.New("broken")
	const head = "<pre><a href=x>x</a>"
	for _, test := range []struct {
		name string
		body io.Reader
		n    int
		err  error
	}{
		{"a long one", strings.NewReader("<pre>" + many(20_000)), 20_000, nil},
		{"one byte at a time", iotest.OneByteReader(strings.NewReader("<pre>" + many(100))), 100, nil},
		{"one that breaks off", io.MultiReader(strings.NewReader(head), iotest.ErrReader(io.ErrUnexpectedEOF)), 1, io.ErrUnexpectedEOF},
		{"one that breaks off later", io.MultiReader(strings.NewReader("<pre>"+many(5_000)), iotest.ErrReader(broken)), 5_000, broken},
		{"a tag too long", strings.NewReader(head + "<a href=" + strings.Repeat("x", markup.MaxToken) + ">"), 1, access.ErrTooLong},
		{"a text that is long", strings.NewReader(head + strings.Repeat("x ", 100<<10) + "<a href=y>"), 2, nil},
	} {
		r := page("http://h/", "text/html", "")
		r.Body = io.NopCloser(test.body)
		got, err := entriesOf(t, Listed(r))
		if len(got) != test.n || !errors.Is(err, test.err) {
			t.Errorf("%s has %d entries, %v, want %d, %v", test.name, len(got), err, test.n, test.err)
		}
	}
	closed := false
	r := page("http://h/", "text/html", head)
	r.Body = closeRecorder{r.Body, &closed}
	if Listed(r).Body.Close(); !closed {
		t.Error("Close of a listing leaves the page open")
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=\"%d\">%d</a>\n", i, i)
	}
	return b.String()
}

type closeRecorder struct {
	io.ReadCloser
	closed *bool
}

func (c closeRecorder) Close() error { *c.closed = true; return c.ReadCloser.Close() }

// Every entry is directly under its page.
func FuzzListed(f *testing.F) {
	for _, seed := range []string{"", "x", "../x", "a/b", "%2e%2e/", "//h/p/x", "http://u@h/p/x?", "\x00", "&#46;&#46;/x", "%2Fx", "a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, href string) {
		link := strings.ReplaceAll(href, `"`, "&quot;") // a quote would end the attribute
		r := Listed(page("http://h/p/", "text/html", `<pre><a href="`+link+`">x</a>`))
		l, ok := r.List, r.List != nil
		if !ok {
			t.Fatal("it is no listing")
		}
		_ = access.Entries(l, func(e access.Entry) error {
			rest, inside := strings.CutPrefix(e.URL.String(), "http://h/p/")
			if !inside || rest == "" || strings.ContainsAny(strings.TrimSuffix(rest, "/"), "/?#") || e.Title == ".." || e.Title == "." {
				t.Errorf("%q makes the entry %q, %q", href, e.Title, e.URL)
			}
			return nil
		})
	})
}
