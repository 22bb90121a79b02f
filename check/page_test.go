package check_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/extract/document"
	"locus/url"
)

// A paper is a resource of papers.
type paper struct {
	mediaType, text string
	moved           string // the target of its redirect
	entries         []access.Entry
}

// papers is an Engine of the resources at "ftp://h", by their paths.
func papers(all map[string]paper) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		p, ok := all[req.URL.Path()]
		switch {
		case !ok:
			return nil, notFound(req, 550)
		case p.moved != "":
			return nil, &access.Moved{To: url.MustParse(p.moved)}
		case p.entries != nil:
			l := &entries{p.entries}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: p.mediaType, Size: -1}, Body: io.NopCloser(strings.NewReader(p.text))}, nil
	})
}

// A crawl reads only pages within the scope, and only in formats that contain links. It reads the first page even if it
// is outside the scope.
func TestWalks(t *testing.T) {
	entry := func(kind access.Kind, u string) access.Entry { return access.Entry{Kind: kind, URL: url.MustParse(u)} }
	o := papers(map[string]paper{
		"/":           {"text/plain", "ftp://h/in/ and ftp://h/out/", "", nil},
		"/in/":        {"text/html", "<a href=css>c</a><a href=md>m</a><a href=xml>x</a><a href=text>t</a><a href=dir>d</a><a href=away>a</a><a href=awaydir>b</a><a href='http://[::1/'>z</a>", "", nil},
		"/in/css":     {"text/css", "a{background:url(/from/css)}", "", nil},
		"/in/md":      {"text/markdown", "[x](/from/md)", "", nil},
		"/in/xml":     {"application/xml", "<urlset><url><loc>ftp://h/from/xml</loc></url></urlset>", "", nil},
		"/in/text":    {"text/plain", "ftp://h/never/text", "", nil},
		"/in/dir":     {"", "", "", []access.Entry{entry(access.Info, "ftp://h/never/info"), entry(access.Object, "ftp://h/from/dir"), entry(access.Failure, "ftp://h/never/failure"), entry(access.Object, ""), entry(access.Object, "ftp://h/"+strings.Repeat("x", 70<<10))}},
		"/in/away":    {"", "", "ftp://h/out/page", nil},
		"/in/awaydir": {"", "", "ftp://h/out/dir", nil},
		"/out/":       {"text/html", "<a href=/never/out>n</a>", "", nil},
		"/out/page":   {"text/html", "<a href=/never/page>n</a>", "", nil},
		"/out/dir":    {"", "", "", []access.Entry{entry(access.Object, "ftp://h/never/dir")}},
		"/from/css":   {},
		"/from/md":    {},
		"/from/xml":   {},
		"/from/dir":   {},
		"/never/out":  {},
		"/never/dir":  {},
		"/never/info": {},
		"/never/page": {},
		"/never/text": {},
	})
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse("ftp://h/"), url.MustParse("ftp://h/out/dir")); err != nil {
		t.Fatal(err)
	}
	r := run(t, &check.Checker{Engine: o, Policy: check.Policy{Recursive: true, Scope: []string{"ftp://h/in/"}}}, q)
	want := `good /
good /from/css
good /from/dir
good /from/md
good /from/xml
good /in/
good /in/away
good /in/awaydir
good /in/css
good /in/dir
good /in/md
good /in/text
good /in/xml
good /never/dir
good /out/
good /out/dir
`
	got := tell(r, "ftp://h")
	last := "unchecked /" + strings.Repeat("x", 192) + "…: it has more than 64 KiB\n" +
		"dead http://[::1/: it is not a URL: offset 11: found ':', want a digit of the port (RFC 3986 §3.2.3)\n"
	if got != want+last {
		t.Errorf("the report is\n%swant\n%s%s", got, want, last)
	}
	for _, f := range findings(r) {
		if f.Link == "ftp://h/from/dir" && fmt.Sprint(f.Places) != "[ftp://h/in/dir:2]" {
			t.Errorf("the places of %s are %v", f.Link, f.Places)
		}
	}
}

// The limit of the depth applies to pages and to listings.
func TestLevelsExact(t *testing.T) {
	all := map[string]paper{"/0": {"text/html", "<a href=/1>n</a>", "", nil}, "/1": {"text/html", "<a href=/2>n</a>", "", nil}, "/2": {"text/html", "<a href=/3>n</a>", "", nil}, "/3": {"text/html", "", "", nil}}
	for level, want := range map[int]int{0: 4, 1: 3, 2: 4} {
		q := report.NewQueue(nil)
		if err := check.Start(t.Context(), q, url.MustParse("ftp://h/0")); err != nil {
			t.Fatalf("Start with the level %d: %v", level, err)
		}
		r := run(t, &check.Checker{Engine: papers(all), Policy: check.Policy{Recursive: true, Scope: []string{"ftp://h/"}, Depth: level}}, q)
		if got := len(findings(r)); got != want {
			t.Errorf("with the depth %d, the report has %d links, want %d", level, got, want)
		}
	}
}

// Fragments are looked for in HTML. If a page has too many anchors, a fragment that was not found is unchecked.
func TestFragmentsOfPages(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<p id=n%d>", i)
		}
		return b.String()
	}
	all := map[string]paper{
		"/html": {"text/html", "<p id=x>", "", nil}, "/pdf": {"application/pdf", "<p id=y>", "", nil},
		"/many": {"text/html", many(1 << 15), "", nil}, "/more": {"text/html", many(1<<15 + 1), "", nil}, "/none": {"text/html", "", "", nil},
	}
	o := papers(all)
	for link, want := range map[string]string{
		"http://h/html#x": "good", "http://h/html#y": "dead", "http://h/pdf#x": "good", "http://h/many#n9": "good", "http://h/many#x": "dead",
		"http://h/more#x": "unchecked", "http://h/none#x": "dead", "http://h/none": "good", "ftp://h/html#y": "good",
	} {
		if got, _, _ := strings.Cut(one(t, &check.Checker{Engine: o}, link), " "); got != want {
			t.Errorf("the link %s is %s, want %s", link, got, want)
		}
	}
}

// Links yields the URLs of a document that are links, in normalized form.
func TestLinks(t *testing.T) {
	const base = "http://h/d/"
	for _, test := range []struct {
		mode document.Mode
		text string
		want string
	}{
		{document.HTML, "<a href=x>http://h/text</a><img src=y>", "http://h/d/x http://h/d/y"},
		{document.HTML, "<base href=/b/><a href=x>", "http://h/b/x"},
		{document.HTML, "<form method=post action=/a><button formaction=/b></form><a ping=/c href=/d><p itemid=/e itemtype=http://h/f><object classid=/g data=/h></object><img usemap=#i src=/j>", "http://h/d http://h/h http://h/j"},
		{document.HTML, "<a href='javascript:x()'><img src=data:,x><iframe src=about:blank></iframe><a href=blob:http://h/x><a href=tel:1><a href=telex:1>", "telex:1"},
		{document.HTML, "<a href='HTTP://H.EXAMPLE:80'><a href=HTTPS://h:443/X?Y><a href=http://h:8080>", "http://h.example/ https://h/X?Y http://h:8080/"},
		{document.HTML, "<a href=//other/x><a href=?q><a href=#f><a href=../..>", "http://other/x http://h/d/?q http://h/d/#f http://h/"},
		{document.HTML, "<a href=/" + strings.Repeat("x", 70<<10) + "><a href=/ok>", "http://h/" + strings.Repeat("x", 191) + "… http://h/ok"},
		{document.Markdown, "![a](data:image/png;base64," + strings.Repeat("x", 70<<10) + ") <http://h/ok>", "http://h/ok"},
		{document.Text, "http://u:" + strings.Repeat("x", 70<<10) + "@h/", "http://…"},
		{document.Markdown, "[a](x) <http://h/y> http://h/z `http://h/code`", "http://h/d/x http://h/y http://h/z"},
		{document.Markdown, "[http://h/text](x \"http://h/title\") ![http://h/alt](y) $[a](z)$\n\n[//]: # (http://h/comment)", "http://h/d/x http://h/d/y"},
		{document.Notebook, `{"cells": [{"cell_type": "markdown", "source": "![a](attachment:b) ![a](attachment:c)", "attachments": {"b": {}}}]}`, "attachment:c"},
		{document.HTML, "<link rel=preconnect href=//h2><link rel='DNS-prefetch' href=//h3><link rel=preload href=x><img data-src=y src=z>", "http://h/d/x http://h/d/z"},
		{document.HTML, "<link rel=pingback href=/xmlrpc.php><link rel='webmention' href=/mention><link rel=Schema.DC href=http://purl.example/dc/><link rel='preconnect webmention' href=/a><link rel='webmention prefetch' href=/b><link rel=schemata href=/c><link rel='' href=/d>", "http://h/b http://h/c http://h/d"},
		{document.XML, "<rss><item><link>http://h/a</link><title>http://h/t</title><description>See http://h/code and &lt;a href=/b>http://h/text&lt;/a></description><content:encoded><![CDATA[<p>http://h/c <img src=d>]]></content:encoded></item></rss>", "http://h/a http://h/b http://h/d/d"},
		{document.XML, `<package><dc:identifier>urn:uuid:1</dc:identifier><dc:source>urn:isbn:1</dc:source><meta name="dtb:uid" content="urn:uuid:1"/><ncx:meta content="urn:uuid:1"/><dc:rights>http://h/a</dc:rights></package>`, "http://h/a"},
		{document.XML, `<feed><id>http://h/feed</id><entry><id>http://h/2026/a</id><atom:id>http://h/b</atom:id><link href="http://h/2026/a.html"/></entry></feed>`, "http://h/2026/a.html"},
		{document.XML, `<item><guid isPermaLink="false">http://h/?p=1</guid><guid isPermaLink="true">http://h/a</guid><guid>http://h/b</guid></item>`, "http://h/a http://h/b"},
		{document.HTML, `<epub:trigger action="show" ref="x"/><form action="/a"></form>`, "http://h/a"},
		{document.Text, `"http://127.0.0.1:" + port; http://h/{x} "http://h/"`, "http://h/"},
		{document.Text, "http://h/" + strings.Repeat("x", 2<<20) + " http://h/ok", "http://h/" + strings.Repeat("x", 191) + "… http://h/ok"},
	} {
		all, err := check.ReadLinks(strings.NewReader(test.text), test.mode, url.MustParse(base))
		var got []string
		for _, l := range all {
			got = append(got, l.URL)
		}
		if strings.Join(got, " ") != test.want || err != nil {
			t.Errorf("the links of %.60q are %.200q, %v, want %q", test.text, got, err, test.want)
		}
	}
	n := 0
	for range (check.LinkReader{}).Links(strings.NewReader("http://h/1 http://h/2"), document.Text, url.URL{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d links are yielded after the caller stopped", n)
	}
}

// A URL that is too long to be checked is unchecked. The report does not show its password.
func TestTooLong(t *testing.T) {
	long := "http://u:secret@h/" + strings.Repeat("x", 70<<10)
	for _, text := range []string{
		"<" + long + ">", "[a](" + long + ")", "[a](http://h/" + strings.Repeat("%zz", 30<<10) + ")",
		"`" + long + "` [a](" + long + ")",
	} {
		r := links(t, &check.Checker{}, text)
		var b strings.Builder
		if err := report.Text(&b, r); err != nil {
			t.Fatalf("Text of the report about %.20q…: %v", text, err)
		}
		if got := b.String(); !strings.Contains(got, "xxx") && !strings.Contains(got, "%zz") || len(got) > 1000 || strings.Contains(got, "secret") {
			t.Errorf("the report of %.60q is %.500q", text, got)
		}
	}
	all, err := check.ReadLinks(strings.NewReader(long+" http://h/ok"), document.Text, url.URL{})
	if err != nil || len(all) != 2 || all[0].Bad == "" || all[0].Column != 1 {
		t.Errorf("the links of a text with a long one are %.500v, %v", all, err)
	}
}

// Compressed sitemaps are read with every media type, and also if the server decompresses them.
func TestPackedSitemap(t *testing.T) {
	sitemap := `<sitemapindex><sitemap><loc>ftp://h/in/page</loc></sitemap></sitemapindex>`
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, sitemap); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, test := range []paper{
		{mediaType: "application/gzip", text: packed.String()},
		{mediaType: "application/x-gzip", text: packed.String()},
		{mediaType: "application/octet-stream", text: packed.String()},
		{mediaType: "text/xml", text: packed.String()},
		{mediaType: "application/gzip", text: sitemap},
		{mediaType: "", text: packed.String()},
	} {
		o := papers(map[string]paper{"/in/": {mediaType: "text/html", text: "<a href=sitemap.xml.gz>s</a>"}, "/in/sitemap.xml.gz": test})
		c := &check.Checker{Engine: o, Policy: check.Policy{Recursive: true, Scope: []string{"ftp://h/in/"}}}
		q := report.NewQueue(nil)
		if err := check.Start(t.Context(), q, url.MustParse("ftp://h/in/")); err != nil {
			t.Fatalf("Start with a sitemap of type %q: %v", test.mediaType, err)
		}
		if got := tell(run(t, c, q), ""); !strings.Contains(got, "dead ftp://h/in/page: 550 Not Found") {
			t.Errorf("with a sitemap of type %q, the report is %s", test.mediaType, got)
		}
	}
}
