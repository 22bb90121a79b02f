package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"locus/extract"
	"locus/scheme"
	"locus/url"
)

// read returns the matches in a document: the place, the text, and the bytes of the document at the offset of each.
func read(t *testing.T, m Mode, text string, o Options) []string {
	t.Helper()
	var all []string
	for found, err := range m.All(strings.NewReader(text), o) {
		if err != nil {
			t.Fatalf("%v.All(%q): %v", m, text, err)
		}
		line := found.Text
		if found.Place != "" {
			line = found.Place + ": " + line
		}
		if in := text[found.Offset : found.Offset+int64(found.Length)]; in != found.Text {
			line += fmt.Sprintf(" from %q", in)
		}
		all = append(all, line)
	}
	return all
}

func TestModes(t *testing.T) {
	for _, test := range []struct {
		mode Mode
		in   string
		want []string
	}{
		{Text, "see http://h/a.", []string{"http://h/a"}},
		{HTML, `<a href="/x?a=1&amp;b=2&copy=3">http://no/</a> http://h/&amp;z, <img src=i.png srcset="a.png 1x, b,c.png 2x" alt=http://no/>`, []string{
			`a href: /x?a=1&b=2&copy=3 from "/x?a=1&amp;b=2&copy=3"`, `http://h/&z from "http://h/&amp;z"`, "img src: i.png", "img srcset: a.png", "img srcset: b,c.png",
		}},
		{HTML, `<script>"http://no/"</script><style>@import "a.css"; b{background:url( 'c d.png' )}</style><!-- http://no/ --><p style="c:url(x)">`, []string{"@import: a.css", "url(): c d.png", "url(): x"}},
		{HTML, `<meta http-equiv=Refresh content="5; URL='http://h/n'"><link rel=x href=' l '><form action=f><button formaction=g><video poster=p><object data=d><q cite=c><a ping="p1  p2">`, []string{
			"meta content: http://h/n", "link href: l", "form action: f", "button formaction: g", "video poster: p", "object data: d", "q cite: c", "a ping: p1", "a ping: p2",
		}},
		{HTML, `<meta property="og:image" content="/i.png"><meta name=description content="no"><body background=b><a href=x>http://no/</a>`, []string{"meta content: /i.png", "body background: b", "a href: x"}},
		{HTML, `<a href='unclosed`, nil},
		{Markdown, "[a](b.md \"t\") ![i](<c d.png>) <http://h/> [r][x] http://p/q.\n\n[x]: /def\n\n<a href=raw>y</a> <me@h.org> [e](a\\(b&amp;c)", []string{
			"link: b.md", "image: c d.png", "autolink: http://h/", "http://p/q", "reference: /def", "a href: raw", `autolink: mailto:me@h.org from "me@h.org"`,
			`link: a(b&c from "a\\(b&amp;c"`,
		}},
		{Markdown, "> - [a](x)\n>   [b](x)\n\n    http://code/\n", []string{"link: x", "link: x", "http://code/"}},
		{Markdown, "<div>\n<img src=\"y\">\n</div>\n", []string{"img src: y"}},
		{XML, `<?xml version="1.0"?><feed xmlns="http://no/" xml:base="http://b/"><link href="l"/><id>tag:x</id><entry xml:base="e/"><content>http://h/&amp;a</content></entry></feed>`, []string{
			"link href: l", "id: tag:x", `content: http://h/&a from "http://h/&amp;a"`,
		}},
		{XML, `<rss><channel><link>http://h/</link><description><![CDATA[<a href="d">]]></description><enclosure url="e.mp3"/></channel></rss>`, []string{"link: http://h/", "a href: d", "enclosure url: e.mp3"}},
		{XML, `<urlset><url><loc> http://h/a </loc><lastmod>2026</lastmod></url></urlset>`, []string{"loc: http://h/a"}},
		{XML, `<a b="http://h/x y" xlink:href='z'>broken & <`, []string{"a b: http://h/x", "a xlink:href: z"}},
		{JSON, `{"url": "http:\/\/h\/a", "n": [1, "see http://h/\u00e9."], "http://k/": "\ud83d\ude00 http://e/"}`, []string{
			`url: http://h/a from "http:\\/\\/h\\/a"`, `n: http://h/é from "http://h/\\u00e9"`, "name: http://k/", "http://k/: http://e/",
		}},
		{JSON, `{"a": "http://h/`, []string{"a: http://h/"}},
		{RST, "`text <rel>`_ and http://h/x_ .\n\n.. _n: http://t/\n.. image:: i.png\n   :target: g\n.. _alias: other_\n", []string{"target: rel", "http://h/x_", "target: http://t/", "target: i.png", "target: g"}},
		{Man, ".UR http://h/\\-a\nx\n.UE\n.MT me@h\n.ME\nsee \\fBhttp://h/\\:b\\(tic\\fR.\n.\\\" http://no/\n.Lk http://l/ name\n", []string{
			`.UR: http://h/-a from "http://h/\\-a"`, `.MT: mailto:me@h from "me@h"`, `http://h/b~c from "http://h/\\:b\\(tic"`, ".Lk: http://l/",
		}},
		{Gopher, "1Dir\t/d\th.org\t70\r\nhWeb\tURL:http://w/\th.org\t70\r\niinfo http://i/\tx\th\t70\r\n8Tel\tme\tt.org\t23\r\n0F\tf g\th.org\t7070\r\n.\r\n1no\t\th\t70\r\n", []string{
			`item 1: gopher://h.org/1/d from "1Dir\t/d\th.org\t70"`, `item h: http://w/ from "hWeb\tURL:http://w/\th.org\t70"`, "http://i/",
			`item 8: telnet://me@t.org:23 from "8Tel\tme\tt.org\t23"`, `item 0: gopher://h.org:7070/0f%20g from "0F\tf g\th.org\t7070"`,
		}},
		{Mail, "Subject: =?utf-8?q?see_http://s/?=\nList-Post: <mailto:l@h>\nContent-Type: multipart/mixed; boundary=b\n\nno\n--b\n\nhttp://h/1\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3D\"x=\ny\">\n--b\nContent-Transfer-Encoding: base64\n\nc2VlIGh0\ndHA6Ly9iLw==\n--b--\nhttp://no/\n", []string{
			`subject: http://s/ from " =?utf-8?q?see_http://s/?="`, "list-post: mailto:l@h", "text/plain: http://h/1",
			"a href: xy from \"x=\\ny\"", `text/plain: http://b/ from "IGh0\ndHA6Ly9iLw=="`,
		}},
		{Mail, "From me Mon\nSubject: a\n\nhttp://h/1\nFrom here on http://h/2\n\nFrom me Tue\r\nContent-Transfer-Encoding: base64\r\n\r\naHR0cDovL2kv\r\n\r\nFrom me Wed\n\n>From http://h/3\n", []string{
			"text/plain: http://h/1", "text/plain: http://h/2", `text/plain: http://i/ from "aHR0cDovL2kv"`, "text/plain: http://h/3",
		}},
		{Mail, "Subject: =?utf-8?b?aHR0cDovL3Mv?= and\n =?iso-8859-1?q?http://t/=E9?=\n\n", []string{
			`subject: http://s/ from " =?utf-8?b?aHR0cDovL3Mv?= and"`, `subject: http://t/é from " =?iso-8859-1?q?http://t/=E9?="`,
		}},
		{CSS, `@import url(a.css); /* url(no) */ x{y:url("b\"c")} "url(no)" z{w:url(d\29 e)}`, []string{"url(): a.css", `url(): b"c from "b\\\"c"`, `url(): d)e from "d\\29 e"`}},
	} {
		if got := read(t, test.mode, test.in, Options{}); !slices.Equal(got, test.want) {
			t.Errorf("%v.All(%q) =\n\t%q, want\n\t%q", test.mode, test.in, got, test.want)
		}
	}
}

// A sitemap, an Atom feed and an RSS feed as sites publish them. The names of their namespaces are not links, because
// they need not lead to a resource.
func TestFeeds(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{`<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="/map.xsl"?>
<sitemapindex xmlns="http://www.sitemaps.example/schemas/0.9"><sitemap><loc>http://h/a.xml.gz</loc></sitemap></sitemapindex>`, []string{
			"xml-stylesheet href: /map.xsl", "loc: http://h/a.xml.gz",
		}},
		{`<urlset xmlns:image="http://no/" xmlns:xhtml="http://no/"><!-- http://no/ -->
<url><loc>http://h/?a=1&amp;b=2</loc><xhtml:link rel="alternate" hreflang="de" href="http://h/de"/>
<image:image><image:loc><![CDATA[http://h/i.png]]></image:loc></image:image>
<video:video><video:player_loc>http://h/p</video:player_loc><video:description>at http://h/d.</video:description></video:video></url></urlset>`, []string{
			`loc: http://h/?a=1&b=2 from "http://h/?a=1&amp;b=2"`, "xhtml:link href: http://h/de", "image:loc: http://h/i.png",
			"video:player_loc: http://h/p", "video:description: http://h/d",
		}},
		{`<feed xmlns="http://no/" xml:lang="en"><id>urn:uuid:60a76c80-d399-11d9-b93c-0003939e0af6</id><link rel="self" href="/feed.atom"/>
<author><name>Jo</name><uri>http://jo.example/</uri></author><icon>/i.ico</icon>
<entry><title type="html">&lt;a href="t"&gt;x&lt;/a&gt;</title><link href="/e/1"/><content type="html">&lt;img src="c.png"&gt; http://h/c</content>
<content type="xhtml"><div><a href="x">y</a></div></content></entry></feed>`, []string{
			"id: urn:uuid:60a76c80-d399-11d9-b93c-0003939e0af6", "link href: /feed.atom", "uri: http://jo.example/", "icon: /i.ico",
			"link href: /e/1", "img src: c.png", "content: http://h/c", "a href: x",
		}},
		{`<rss version="2.0" xmlns:media="http://no/"><channel><title>T</title><link>http://h/</link><atom:link href="http://h/rss" rel="self"/>
<item><guid isPermaLink="false">abc-1</guid><guid>http://h/1</guid><comments>http://h/1#c</comments><enclosure url="http://h/1.mp3" length="1"/>
<media:thumbnail url="t.jpg"/><itunes:image href="http://h/i.jpg"/><description>&lt;p&gt;&lt;a href='d'&gt;</description><source url="http://o/rss">O</source></item></channel></rss>`, []string{
			"link: http://h/", "atom:link href: http://h/rss", "guid: http://h/1", "comments: http://h/1#c", "enclosure url: http://h/1.mp3",
			"media:thumbnail url: t.jpg", "itunes:image href: http://h/i.jpg", "a href: d", "source url: http://o/rss",
		}},
	} {
		if got := read(t, XML, test.in, Options{}); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) =\n\t%q, want\n\t%q", test.in, got, test.want)
		}
	}
}

func TestBase(t *testing.T) {
	home := url.MustParse("http://h/dir/page")
	for _, test := range []struct {
		mode     Mode
		in, want string
	}{
		{HTML, "<a href=x>", "http://h/dir/x"},
		{HTML, "<base href=/other/><base href=/no/><a href=x>", "http://h/other/x"},
		{Markdown, "[a](../x)", "http://h/x"},
		{XML, "<a xml:base='b/' href='x'/>", "http://h/dir/b/x"},
		{HTML, "<a href='a b'>", "http://h/dir/a%20b"},
		{HTML, "<a href=' http://g/long\r\n\tername '>", "http://g/longername"},
	} {
		var last url.URL
		for m, err := range test.mode.All(strings.NewReader(test.in), Options{URL: home}) {
			if err != nil {
				t.Fatal(err)
			}
			u, err := m.URL()
			if err != nil {
				t.Errorf("URL of the match %q: %v", m.Text, err)
			}
			last = u
		}
		if last.String() != test.want {
			t.Errorf("the last match of %v.All(%q) leads to %v, want %v", test.mode, test.in, last, test.want)
		}
	}
}

func TestLimit(t *testing.T) {
	text := "<a href=x>" + strings.Repeat(" ", 100) + "<a href=y>"
	var found []string
	var last error
	for m, err := range HTML.All(strings.NewReader(text), Options{Limit: 50}) {
		if last = err; err == nil {
			found = append(found, m.Text)
		}
	}
	if !errors.Is(last, ErrTooLarge) || !slices.Equal(found, []string{"x"}) {
		t.Errorf("All of a document over the limit finds %q, %v, want x and %v", found, last, ErrTooLarge)
	}
	// A document as long as the limit is read completely. So is any document if the limit is the largest number.
	for _, limit := range []int64{int64(len(text)), math.MaxInt64, -1} {
		if got, want := read(t, HTML, text, Options{Limit: limit}), []string{"a href: x", "a href: y"}; !slices.Equal(got, want) {
			t.Errorf("with a limit of %d, All finds %q, want %q", limit, got, want)
		}
	}
	last = nil
	for _, err := range JSON.All(iotest.ErrReader(io.ErrUnexpectedEOF), Options{}) {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("All of a reader that fails gives %v", last)
	}
}

func TestModeOf(t *testing.T) {
	for name, want := range map[string]Mode{
		"a.HTML": HTML, "x/README.md": Markdown, "feed.atom": XML, "a.json": JSON, "a.rst": RST, "ls.1": Man, "gophermap": Gopher,
		"a.eml": Mail, "a.css": CSS, "a.txt": Text, "Makefile": Text, "": Text,
	} {
		if got := ByName(name); got != want {
			t.Errorf("ByName(%q) = %v, want %v", name, got, want)
		}
	}
	for kind, want := range map[string]Mode{
		"text/html; charset=utf-8": HTML, "TEXT/MARKDOWN": Markdown, "application/x+xml": XML, "application/problem+json": JSON,
		"image/png": Text, "message/rfc822": Mail, "": Text,
	} {
		if got := ByType(kind); got != want {
			t.Errorf("ByType(%q) = %v, want %v", kind, got, want)
		}
	}
	for _, test := range []struct {
		mode              Mode
		name, types, ends string
	}{
		{Text, "text", "text/plain text/csv", "a .txt a.log .html/a"},
		{HTML, "html", "text/html application/xhtml+xml", "a.html a.htm a.xhtml a.shtml .html"},
		{Markdown, "markdown", "text/markdown text/x-markdown", "a.md a.markdown a.mdown a.mdwn a.mkd a.mkdn a.mkdown a.mdx a.qmd a.Rmd a.Rmarkdown llms.txt LLMs-full.txt"},
		{
			XML, "xml", "application/xml text/xml application/atom+xml application/rss+xml image/svg+xml application/x+xml +xml",
			"a.xml a.atom a.rss a.rdf a.svg a.xsd a.xsl a.xslt a.wsdl a.opml",
		},
		{
			JSON, "json", "application/json text/json application/ld+json application/x-ndjson application/jsonl application/problem+json",
			"a.json a.jsonl a.ndjson a.jsonld a.geojson",
		},
		{RST, "rst", "text/x-rst text/prs.fallenstein.rst", "a.rst a.rest"},
		{Man, "man", "text/troff application/x-troff-man", "a.man a.mdoc a.1 a.2 a.3 a.4 a.5 a.6 a.7 a.8 a.9 a.3pm a.1ssl a.2const"},
		{Gopher, "gopher", "application/gopher-menu text/gopher-menu application/x-gopher-menu", "gophermap GopherMap d/gophermap a.gophermap"},
		{Mail, "mail", "message/rfc822 message/news message/global", "a.eml a.mbox a.mht a.mhtml"},
		{CSS, "css", "text/css", "a.css"},
		{Asciidoc, "asciidoc", "text/asciidoc text/x-asciidoc", "a.adoc a.asciidoc"},
		{Notebook, "ipynb", "application/x-ipynb+json", "a.ipynb"},
		{TeX, "tex", "text/x-tex application/x-tex", "a.tex a.sty a.bib"},
		{Calendar, "calendar", "text/calendar text/vcard", "a.ics a.ifb a.vcf a.vcard"},
		{Org, "org", "text/org text/x-org", "a.org"},
		{Gemtext, "gemtext", "text/gemini", "a.gmi a.gemini"},
		{Manifest, "manifest", "application/manifest+json", "a.webmanifest d/manifest.json"},
	} {
		if got, ok := ByString(test.name); got != test.mode || !ok || test.mode.String() != test.name {
			t.Errorf("ByString(%q) = %v, %v, want %v", test.name, got, ok, test.mode)
		}
		for _, kind := range strings.Fields(test.types) {
			for _, kind := range []string{kind, strings.ToUpper(kind), " " + kind + " ; charset=x;y", kind + ";"} {
				if got := ByType(kind); got != test.mode {
					t.Errorf("ByType(%q) = %v, want %v", kind, got, test.mode)
				}
			}
		}
		for _, file := range strings.Fields(test.ends) {
			for _, file := range []string{file, strings.ToUpper(file), "d.css/" + file, `c:\d.css\` + file} {
				if got := ByName(file); got != test.mode {
					t.Errorf("ByName(%q) = %v, want %v", file, got, test.mode)
				}
			}
		}
	}
	for _, file := range []string{"a.html.gz", "a.10", "a.0", "a.", "a.7z", "a.3ds", "a.0pm", "md", "gophermap.x", "xgophermap", "/", "."} {
		if got := ByName(file); got != Text {
			t.Errorf("ByName(%q) = %v, want %v", file, got, Text)
		}
	}
	for _, test := range []struct {
		kind, file string
		want       Mode
	}{
		{"text/plain; charset=utf-8", "/r/README.md", Markdown},
		{"TEXT/PLAIN", "/llms.txt", Markdown},
		{"", "a.adoc", Asciidoc},
		{"application/octet-stream", "a.ipynb", Notebook},
		{"text/markdown;charset=iso-8859-1", "a.html", Markdown},
		{"text/html; charset=utf-8", "a.md", HTML},
		{"text/plain", "a.html", Text}, // a browser shows its source
		{"image/png", "a.md", Text},
	} {
		if got := ByTypeAndName(test.kind, test.file); got != test.want {
			t.Errorf("ByTypeAndName(%q, %q) = %v, want %v", test.kind, test.file, got, test.want)
		}
	}
	for _, kind := range []string{"html", "text/htmlx", "xtext/html", "text /html", "application/xmlx", "x+xml/y", "text/html,text/css"} {
		if got := ByType(kind); got != Text {
			t.Errorf("ByType(%q) = %v, want %v", kind, got, Text)
		}
	}
	for m := range Mode(len(modes)) {
		if got, ok := ByString(m.String()); got != m || !ok {
			t.Errorf("ByString(%q) = %v", m.String(), got)
		}
	}
	if _, ok := ByString("unheard"); ok || Mode(len(modes)).String() != "unknown" || Mode(99).String() != "unknown" {
		t.Error("ByString of an unknown mode returns true")
	}
}

// In a charset that contains ASCII, the matches in ASCII are found, and the bytes next to them do not change. UTF-16
// contains no ASCII, so nothing is found in it.
func TestCharsets(t *testing.T) {
	encoded := func(text string, order binary.AppendByteOrder) string {
		out := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
	for _, test := range []struct {
		mode Mode
		in   string
		want []string
	}{
		{HTML, "\ufeff<a href=a>b</a>\xe9 http://h/\xe9", []string{"a href: a", "http://h/"}},
		{HTML, "<meta charset=koi8-r><a href='a\xc1b' title='\xc1'>", []string{"a href: a\xc1b"}},
		{XML, "\ufeff<?xml version='1.0' encoding='windows-1251'?><a href='\xe9b'>\xe9 http://h/ \xe9</a>", []string{"a href: \xe9b", "a: http://h/"}},
		{XML, "<?xml version='1.0' encoding='UTF-16'?><a href='b'/>", []string{"a href: b"}},
		{CSS, "\ufeff@charset \"iso-8859-1\"; a{b:url(c\xe9)} \xe9url(no)", []string{"url(): c\xe9"}},
		{JSON, "\ufeff\"\xff http://h/\"", []string{"http://h/"}},
		{Markdown, "\ufeff[a\xe9](b\xe9)", []string{"link: b\xe9"}},
		{Mail, "Content-Type: text/html; charset=shift_jis\n\n\x83\x5c<a href=a>\x83</a>", []string{"a href: a"}},
		{RST, "\ufeffx\n\n.. _a: b\xe9\n", []string{"target: b\xe9"}},
		{HTML, encoded("<a href=b>http://h/</a>", binary.LittleEndian), nil},
		{XML, encoded("<?xml version='1.0'?><a href='b'>http://h/</a>", binary.BigEndian), nil},
		{CSS, encoded("a{b:url(c)}", binary.LittleEndian), nil},
		{JSON, encoded("\"http://h/\"", binary.BigEndian), nil},
	} {
		if got := read(t, test.mode, test.in, Options{}); !slices.Equal(got, test.want) {
			t.Errorf("%v.All(%q) = %q, want %q", test.mode, test.in, got, test.want)
		}
	}
}

// In every format, the kinds of text without structure are found only if the caller asks for them.
func TestFind(t *testing.T) {
	home, other := url.MustParse("http://h/d/p"), url.MustParse("http://o/d/p")
	for mode, format := range map[Mode]string{
		HTML: "<p>%s<p>%[1]s", Markdown: "%s\n\n%[1]s", XML: "<a b='%s'>%[1]s</a>", JSON: "[\"%s\", \"%[1]s\"]", RST: "%s\n\n%[1]s", Man: "%s\n.B %[1]s",
		Gopher: "i%s\t\th\t1\n%[1]s", Mail: "\n%s %[1]s", Text: "%s %[1]s",
	} {
		for _, test := range []struct {
			text string
			find extract.Options
			kind extract.Kind
			want string // the URL of each of the two matches, with the URL of the document
		}{
			{"h.example", extract.Options{Bare: true}, extract.Host, "http://h.example"},
			{"jo@h.example", extract.Options{Mail: true}, extract.Address, "mailto:jo@h.example"},
			{"./x", extract.Options{Base: home}, extract.Path, "http://h/d/x"},
			{"acme:x", extract.Options{Schemes: scheme.Table{"acme": {Name: "acme"}}}, extract.Plain, "acme:x"},
		} {
			text := fmt.Sprintf(format, test.text)
			var got []string
			for _, m := range gather(t, mode, strings.NewReader(text), Options{Find: test.find}) {
				u, err := m.URL()
				if got = append(got, u.String()); err != nil || m.Kind != test.kind {
					t.Errorf("%v of %q finds the %v %q, whose URL gives the error %v", mode, text, m.Kind, m.Text, err)
				}
			}
			if !slices.Equal(got, []string{test.want, test.want}) {
				t.Errorf("%v of %q gives the URLs %q, want %s twice", mode, text, got, test.want)
			}
			if all := gather(t, mode, strings.NewReader(text), Options{URL: home}); len(all) > 0 {
				t.Errorf("%v of %q without the option finds %v, want no match", mode, text, all)
			}
		}
	}
	// A path is relative to the base that the document gives, or to the base in the Options.
	for _, test := range []struct {
		in   string
		home url.URL
		want string
	}{
		{"<p>./x", url.URL{}, "http://o/d/x"},
		{"<p>./x", home, "http://h/d/x"},
		{"<base href='/c/'>./x", home, "http://h/c/x"},
		{"<base href='http://b/c/'>./x", url.URL{}, "http://b/c/x"},
		{"<base href='/c/'>./x", url.URL{}, "http://o/d/x"},
	} {
		all := gather(t, HTML, strings.NewReader(test.in), Options{URL: test.home, Find: extract.Options{Base: other}})
		if u, err := all[len(all)-1].URL(); err != nil || u.String() != test.want {
			t.Errorf("the path in %q leads to %v, %v, want %s", test.in, u, err, test.want)
		}
	}
}

// In every document, the matches are in the order of their offsets and do not overlap.
func FuzzModes(f *testing.F) {
	for m := range Mode(len(modes)) {
		for _, seed := range []string{
			`<a href="x&amp;y" style="a:url(b)"><base href=/x>`, "[a](b) ![c](<d>)\n\n[e]: f", `{"a":"\u0041http:\/\/h"}`,
			".UR x\\-\\f[B\n\\s[+1]\\h'x'\\*(lq\\[u41]", "<noscript><a srcdoc='&lt;p&gt;'></noscript><meta http-equiv=refresh content=\"0;url='http://h'\">", "1a\tb\tc\t70\n", "A: =?utf-8?q?http://h?=\nContent-Type: multipart/x; boundary=b\n\n--b\n\n--b--", "<a b='c'><![CDATA[http://h]]>",
			"From a\nB: c\n\nhttp://h/\n\nFrom d\n\n",
			"Content-Type: text/plain; format=flowed; delsp=yes\nContent-Transfer-Encoding: quoted-printable\n\n> http://h/=\n \n>a =\n\n-- \n",
			".. _`a: b`: http://h/\n   c\n.. |a| image:: d\n`e <f\n>`_\n__ jo@h", "x\n[^a]: [b](c)\n\n    [d](e)\n> [^", ".An x Mt \\-a@b\n. UR \\(ti", "<title/><noframes><a href=b></noframes>",
			"@import/**/'a';@namespace url(b);image-set('c'", "<a x:schemaLocation=' b c  d e'><id>tag:f</id>", "hA\tURL:http://h/",
			"= T\n:a: b \\\n c\n\nlink:++a b++[c] <<d,e\nf>> image:g[link=\"h\"] pass:[<a href=i>] \\http://h/ `+x+` {a}[z]\n\n++++\n<a href=b>\n++++\nifdef::a[]\n[source]\ncode\n",
			"T\n=\n\n.. raw:: html\n\n   <a href=b>\n\n.. toctree::\n\n   A <b>\n\n- c::\n\n    d\n\nhttp://h/\\*a :rfc:`1#b` _`t`",
			"* TODO a :b:\n[[file:c.org::*d][e]] [[#f]] <<g>> ~h~\n#+LINK: i http://h/%s\n[[i:j]]\n#+begin_export html\n<a href=k>\n#+end_export\n",
			"URL;X=\"a:b\":http://h/\n c\nDESCRIPTION:d\\nhttp://h/\\,e\nX;FMTTYPE=text/html:<a href=f>\n", `{"start_url":"a.b","icons":[{"src":"c.d"}]}`,
			"<script type=importmap>{\"imports\":{\"a\":\"/b.c\"}}</script><script type=application/ld+json>{\"url\":\"d.e\"}</script><form method=post action=f><input formaction=g>",
		} {
			f.Add(uint8(m), seed)
		}
	}
	home := url.MustParse("http://h/")
	f.Fuzz(func(t *testing.T, mode uint8, text string) {
		m := Mode(mode) % Mode(len(modes))
		var all []extract.Match
		for found, err := range m.All(strings.NewReader(text), Options{URL: home, Find: extract.Options{Bare: true, Mail: true}}) {
			if err != nil && !errors.Is(err, extract.ErrTooLong) {
				t.Fatalf("%v.All(%q): %v", m, text, err)
			}
			if err == nil {
				all = append(all, found)
			}
		}
		laws(t, m, text, all)
	})
}

func TestCharsetOf(t *testing.T) {
	for _, test := range []struct{ mediaType, want string }{
		{"text/html; charset=windows-1251", "windows-1251"},
		{`Text/HTML;Charset="Shift_JIS"; x=y`, "Shift_JIS"},
		{"text/html", ""},
		{"", ""},
		{"text/html; charset", ""},
	} {
		if got := CharsetOf(test.mediaType); got != test.want {
			t.Errorf("CharsetOf(%q) = %q, want %q", test.mediaType, got, test.want)
		}
	}
}
