package document

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document/internal/soup"
	"locus/url"
)

func TestHTMLAttributes(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		// values without quotation marks, and with each of them
		{`<a href="⟦a⟧"><a href='⟦b⟧'><a href=⟦c⟧><a href = "⟦d⟧"><a HREF="⟦e⟧"><A Href=⟦f⟧>`, []string{"a href: a", "a href: b", "a href: c", "a href: d", "a href: e", "a href: f"}},
		{`<a href=""><a href=>`, nil},
		{`<a ='x href=⟦c'⟧><a ==x href=⟦d⟧><a x==y href=⟦e⟧><a href=⟦==f⟧><a / href / = / g>`, []string{"a href: c'", "a href: d", "a href: e", "a href: ==f"}},
		{`<a/href="⟦a⟧"/><a title="x"href="⟦b⟧"><a =x href=⟦c⟧><a title=">" href=⟦d⟧>`, []string{"a href: a", "a href: b", "a href: c", "a href: d"}},
		{`<a href=⟦b/⟧><img src=⟦a.png/⟧><a title='"' href='⟦e"f⟧'><a href=⟦u"v⟧>`, []string{"a href: b/", "img src: a.png/", `a href: e"f`, `a href: u"v`}},
		{"<a\n\thref\n=\n'⟦a⟧'\n><a href='⟦b\nc⟧'><a href='⟦d⟧\n'><a href='\t⟦e⟧'>", []string{"a href: a", "a href: b\nc", "a href: d", "a href: e"}},
		{`<img src="⟦a⟧" src="b" longdesc=⟦c⟧><img SRC="⟦a⟧" src=b alt=x alt=y longdesc=⟦c⟧>`, []string{"img src: a", "img longdesc: c", "img src: a", "img longdesc: c"}},
		{`<object data=⟦a⟧ data=b href=⟦c⟧>`, []string{"object data: a", "object href: c"}},
		{`<a href="⟦a⟧" href="b"><img alt=x src=⟦c⟧ title=y longdesc=⟦d⟧>`, []string{"a href: a", "img src: c", "img longdesc: d"}},
		{`<a hrefs=x data-hrefx=x xhref=x title=x class=x data=x><a href><a href= >`, nil},
		{`<a href="x`, nil},
		{`</a href="x"><!-- <a href="x"> --><!doctype a href="x">`, nil},
		// only the white space of HTML separates attributes (HTML §13.2.5.32)
		{"<a \vhref=x><a href=⟦b\vc⟧><a title\v=d href\v=e><a\fhref\f=\f⟦f⟧\ftitle=g><a href=⟦h\u0085\u00a0i⟧>", []string{"a href: b\vc", "a href: f", "a href: h\u0085\u00a0i"}},
		{"<é href=x> <1 href=x> < a href=x> <a\x00 href=⟦y⟧>", []string{"a\ufffd href: y"}},
		{"<a h\x00ref=x href=⟦y⟧>", []string{"a href: y"}},
		{"<img ſrc=a ſrc=b src=⟦c⟧>", []string{"img src: c"}}, // only ASCII letters are equal in both cases

		// references to characters
		{`<a href="⟦?a=1&amp;b=2⟧"><a href=⟦&#x2F;a&#47;b⟧><a href="⟦?a&ampb⟧"><a href='⟦?x&copy=1⟧'><a href="⟦a&nbsp;b⟧">`, []string{
			"a href: ?a=1&b=2", "a href: /a/b", "a href: ?a&ampb", "a href: ?x&copy=1", "a href: a\u00a0b",
		}},

		// each element with a URL
		{`<base href="⟦b/⟧"><link href=⟦l⟧><a href=⟦a⟧></a><area href=⟦r⟧><img src=⟦i⟧ lowsrc=⟦w⟧ dynsrc=⟦y⟧ usemap=⟦#m⟧ longdesc=⟦g⟧><script src=⟦s⟧></script>`, []string{
			"base href: b/", "link href: l", "a href: a", "area href: r", "img src: i", "img lowsrc: w", "img dynsrc: y", "img usemap: #m", "img longdesc: g", "script src: s",
		}},
		{`<iframe src=⟦f⟧></iframe><embed src=⟦e⟧><track src=⟦t⟧><audio src=⟦u⟧><input type=image src=⟦n⟧ formaction=⟦o⟧><video poster=⟦p⟧ src=⟦v⟧><button formaction=⟦x⟧><form action=⟦z⟧>`, []string{
			"iframe src: f", "embed src: e", "track src: t", "audio src: u", "input src: n", "input formaction: o", "video poster: p", "video src: v", "button formaction: x", "form action: z",
		}},
		{`<blockquote cite=⟦a⟧><q cite=⟦b⟧><ins cite=⟦c⟧><del cite=⟦d⟧><body background=⟦e⟧><td background=⟦f⟧><html manifest=⟦g⟧><object data=⟦h⟧ codebase=⟦i⟧ classid=⟦clsid:j⟧>`, []string{
			"blockquote cite: a", "q cite: b", "ins cite: c", "del cite: d", "body background: e", "td background: f", "html manifest: g", "object data: h", "object codebase: i", "object classid: clsid:j",
		}},
		{`<command icon=⟦a⟧><x icon=b><div data=c itemid=⟦urn:d⟧><div data-src=⟦e⟧ data-href=⟦f⟧><svg><use xlink:href=⟦#g⟧></svg>`, []string{
			"command icon: a", "div itemid: urn:d", "div data-src: e", "div data-href: f", "use xlink:href: #g",
		}},
		{`<div itemscope itemtype="⟦http://a/⟧ ⟦http://b/⟧"><head profile=" ⟦http://c/⟧
⟦http://d/⟧ "><object archive="⟦e.jar⟧ ⟦f.jar⟧"><a ping="⟦/g⟧ ⟦/g⟧" href=⟦h⟧>`, []string{
			"div itemtype: http://a/", "div itemtype: http://b/", "head profile: http://c/", "head profile: http://d/", "object archive: e.jar", "object archive: f.jar", "a ping: /g", "a ping: /g", "a href: h",
		}},
		{"<a ping=\"⟦/b\u00a0c\u0085⟧\f⟦/d⟧\"><applet codebase='⟦x,y⟧' archive='⟦a.jar⟧, ⟦b.jar⟧,⟦c.jar⟧'><object archive='⟦d,e⟧'>", []string{ // HTML 4.01 §13.3, §13.4
			"a ping: /b\u00a0c\u0085", "a ping: /d", "applet codebase: x,y", "applet archive: a.jar", "applet archive: b.jar", "applet archive: c.jar", "object archive: d,e",
		}},
	})
}

// The candidates of a srcset (HTML §4.8.4.2.1). A comma ends a URL only before white space or another candidate.
func TestSrcset(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{`<img srcset="⟦a.png⟧"><img srcset="⟦a.png⟧ 1x"><img srcset=" ⟦a.png⟧ 1x , ⟦b.png⟧ 2x ">`, []string{"img srcset: a.png", "img srcset: a.png", "img srcset: a.png", "img srcset: b.png"}},
		{`<source srcset="⟦a,b.png⟧ 1x,⟦c.png⟧, ⟦d.png⟧,">`, []string{"source srcset: a,b.png", "source srcset: c.png", "source srcset: d.png"}},
		{`<img srcset="⟦a⟧ calc(1x, 2x), ⟦b⟧ x)y, ⟦c⟧ (u (v, w), x), ⟦d⟧ 3w">`, []string{"img srcset: a", "img srcset: b", "img srcset: c", "img srcset: d"}},
		{`<img srcset="⟦a⟧ )(1x, b), ⟦c⟧ 2x">`, []string{"img srcset: a", "img srcset: c"}},
		{"<img srcset=\"⟦a⟧\n100w,\n\t⟦b⟧\n200w\">", []string{"img srcset: a", "img srcset: b"}},
		{`<img srcset="⟦data:image/png;base64,AA==⟧ 1x, ⟦b⟧ 2x"><link imagesrcset="⟦c⟧ 1x"><img data-srcset="⟦d⟧, ⟦e⟧ 2x">`, []string{
			"img srcset: data:image/png;base64,AA==", "img srcset: b", "link imagesrcset: c", "img data-srcset: d", "img data-srcset: e",
		}},
		{`<img srcset="⟦a?b&amp;c⟧ 1x, ⟦d⟧ 2x">`, []string{"img srcset: a?b&c", "img srcset: d"}},
		{`<img srcset=""><img srcset=" , ,"><img srcset=",">`, nil},
	})
}

func TestMeta(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{`<meta http-equiv="Refresh" content="5; url=⟦/a⟧"><meta content='0;URL="⟦b⟧"' http-equiv=refresh><meta http-equiv=refresh content="0, ⟦c⟧"><meta http-equiv=refresh content="3;url = '⟦d⟧">`, []string{
			"meta content: /a", "meta content: b", "meta content: c", "meta content: d",
		}},
		{`<meta http-equiv=refresh content="5"><meta http-equiv=refresh content="5;"><meta http-equiv=refresh content="5;url="><meta http-equiv=refresh content="5;url=''"><meta http-equiv=refresh content="">`, nil},
		{`<meta http-equiv=refresh content="1.5;url=⟦a⟧ "><meta http-equiv=refresh content="0;⟦urls⟧"><meta http-equiv=refresh content="0;url=⟦u?url=v⟧"><meta http-equiv=refresh content="./x"><meta http-equiv=refresh content=".;⟦x⟧">`, []string{
			"meta content: a", "meta content: urls", "meta content: u?url=v", "meta content: x",
		}},
		{`<meta http-equiv=refresh itemprop=url content="0;url=⟦a⟧">`, []string{"meta content: a"}},
		{`<meta http-equiv=refresh content="0;url=⟦a?b&amp;c⟧">`, []string{"meta content: a?b&c"}},
		{`<meta property="og:url" content="⟦a⟧"><meta property=og:image content=" ⟦b⟧ "><meta name="twitter:image:src" content="⟦c⟧"><meta name=Twitter:Player content=⟦d⟧><meta itemprop=image content=⟦e⟧>`, []string{
			"meta canonical: a", "meta content: b", "meta content: c", "meta content: d", "meta content: e",
		}},
		{`<meta property="og:video" content="⟦a⟧"><meta property=og:audio content=⟦b⟧><meta itemprop=url content=⟦c⟧><meta property=og:site_name_url content=⟦d⟧>`, []string{
			"meta content: a", "meta content: b", "meta content: c", "meta content: d",
		}},
		// several names in one attribute or in several, and the secure URLs of the Open Graph protocol
		{`<meta itemprop=image property=og:image content="⟦a⟧"><meta name=twitter:image itemprop=image content=⟦b⟧><meta property="x og:url" name=y itemprop=z content=⟦c⟧><meta property=og:image:secure_url content=⟦d⟧>`, []string{
			"meta content: a", "meta content: b", "meta canonical: c", "meta content: d",
		}},
		{`<meta property="og:" name="url:" itemprop="x image:alt" content=a><meta property=og name=:x itemprop=curl content=b>`, nil},
		{`<meta property="og:title" content="a"><meta name=description content="b"><meta name=curl content=c><meta name=viewport content="width=1"><p content=x itemprop=url><meta content=y><meta property=og:image:alt content=z>`, nil},
	})
}

// Which parts of HTML are text, which are not, and which contain HTML or CSS.
func TestHTMLText(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{`⟦http://h/a⟧ <b>⟦http://h/b⟧</b><title>⟦http://h/c⟧</title><textarea>⟦http://h/d⟧ <a href=x></textarea><xmp>⟦http://h/e⟧ <a href=x></xmp>`, []string{
			"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/d", "url http://h/e",
		}},
		// raw text has no references to characters (HTML §13.2.6.4.7)
		{`<xmp>⟦http://h/?a&amp;b⟧</xmp>⟦http://h/?a&amp;b⟧<iframe>⟦http://h/?c&amp;d⟧</iframe>⟦http://h/?c&amp;d⟧<a href=⟦x⟧><xmp>http://no/</xmp></a><title>⟦http://h/?e&amp;f⟧</title><plaintext>⟦http://h/?g&amp;h⟧`, []string{
			"url http://h/?a&amp;b", "url http://h/?a&b", "url http://h/?c&amp;d", "url http://h/?c&d", "a href: x", "url http://h/?e&f", "url http://h/?g&amp;h",
		}},
		{`<p>⟦http://h/a⟧&nbsp;⟦http://h/b⟧ ⟦http://h/c⟧&lt;x ⟦&#104;ttp://h/d⟧ ⟦http://h/?a&amp;b=2⟧&gt; &quot;⟦http://h/e⟧&quot;`, []string{
			"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/d", "url http://h/?a&b=2", "url http://h/e",
		}},
		{"<p>⟦&lt;URL:ftp://ds.in&nbsp;\n&nbsp;ternic.net/rfc&gt;⟧ ⟦&lt;URL:ftp://ds.in&#x2003;ternic&ThinSpace;.net/&gt;⟧", []string{
			"wrapped ftp://ds.internic.net/rfc", "wrapped ftp://ds.internic.net/",
		}},
		{"x\n<p>é\n ⟦http://h/é⟧\n&amp;&amp; ⟦http://h/b⟧", []string{"url http://h/é", "url http://h/b"}},
		{`<a href=⟦a⟧>http://h/ <b>http://h/</b></a> ⟦http://h/⟧ <a name=b>⟦http://h/⟧</a> <a href="">⟦http://h/⟧</a>`, []string{"a href: a", "url http://h/", "url http://h/", "url http://h/"}},
		{`<script>http://h/ <a href=x> "</scr" </script>⟦http://h/⟧<style>http://h/ a{b:url(⟦c⟧)}</style>⟦http://h/⟧`, []string{"url http://h/", "url(): c", "url http://h/"}},
		{`<noscript>⟦http://h/⟧<img src=⟦a⟧><a href=⟦b⟧>http://h/</a></noscript>⟦http://h/⟧`, []string{"url http://h/", "img src: a", "a href: b", "url http://h/"}},
		{`<frameset><frame src=⟦f⟧><noframes><a href=⟦a⟧>http://h/</a></noframes></frameset><embed><noembed><img src=⟦b⟧></noembed>⟦http://h/⟧`, []string{"frame src: f", "a href: a", "img src: b", "url http://h/"}},
		{`<a href=⟦a⟧><noscript></noscript>http://h/<noframes></noframes>http://h/<noembed></noembed>http://h/<style></style>http://h/<script></script>http://h/</a>`, []string{"a href: a"}},
		{`<template><a href="⟦t⟧">x</a></template><p style="background:url(&quot;⟦a.png⟧&quot;)"><p style='b:url("⟦c⟧")'><p style=x>`, []string{"a href: t", "url(): a.png", "url(): c"}},
		{`<iframe srcdoc='<a href="⟦i⟧">http://h/</a> ⟦http://h/⟧'></iframe><iframe srcdoc="&lt;img src=&quot;⟦a?b&amp;amp;c⟧&quot;>"></iframe>`, []string{"a href: i", "url iframe srcdoc: http://h/", "img src: a?b&c"}},
		{`<p style="b:url(⟦?c&copy=d⟧);e:url(⟦?f&copy;=&copy⟧)"><iframe srcdoc="&lt;a href='⟦?g&amp;copy=h&reg=i⟧'>x&lt;/a> ⟦http://h/?j&para=k⟧"></iframe>`, []string{
			"url(): ?c&copy=d", "url(): ?f©=©", "a href: ?g&copy=h&reg=i", "url iframe srcdoc: http://h/?j¶=k",
		}},
		{`<plaintext><a href=x>⟦http://h/⟧</plaintext>`, []string{"url http://h/"}},
	})
}

// In XHTML, such as the chapters of an EPUB, an element that ends in "/>" has no content.
func TestXHTML(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{`<?xml version="1.0"?><html xmlns="http://no/"><head><title/><link href="⟦c.css⟧"/><script src="⟦s.js⟧"/><style/></head><body><a id="x"/>⟦http://h/⟧ <a href="⟦n.xhtml⟧">y</a></body></html>`, []string{
			"link href: c.css", "script src: s.js", "url http://h/", "a href: n.xhtml",
		}},
		{`<svg><title/><style/><a xlink:href="⟦a⟧"><text>x</text></a></svg><iframe src="⟦f⟧"/><textarea/><a href="⟦b⟧">`, []string{"a xlink:href: a", "iframe src: f", "a href: b"}},
		{`<noscript/><a href="⟦b⟧">`, []string{"a href: b"}},
	})
}

// The bases that documents give. A relative base counts only if the URL of the document is known.
func TestBases(t *testing.T) {
	home := url.MustParse("http://h/d/p")
	for _, test := range []struct {
		mode Mode
		in   string
		home url.URL
		want string // the URL of the last match
	}{
		{HTML, "<base href='http://b/c/'><a href=x>", url.URL{}, "http://b/c/x"},
		{HTML, "<base href='/c/'><a href=x>", home, "http://h/c/x"},
		{HTML, "<base href='/c/'><a href=x>", url.URL{}, "x"},
		{HTML, "<link href='/c/'><a href=x>", home, "http://h/d/x"},
		{HTML, "<base target=_top><base href=/c/><a href=x>", home, "http://h/c/x"},
		{HTML, "<base href='http://b:x/'><base href=/c/><a href=x>", home, "http://h/d/x"},
		{HTML, "<base href=/c/><base href=http://b/><a href=x>", url.URL{}, "x"},
		{HTML, "<base href=''><base href=/c/><a href=x>", home, "http://h/d/x"}, // the first element with an href (HTML §4.2.3)
		{HTML, "<base href><base href=http://b/><a href=x>", url.URL{}, "x"},
		{HTML, "<a href=x>", url.URL{}, "x"},
		{HTML, "<iframe srcdoc='<base href=/c/>'></iframe><a href=x>", home, "http://h/d/x"},
		{HTML, "<base href=/c/><iframe srcdoc='<a href=x>'></iframe>", home, "http://h/c/x"},
		{HTML, "<base href='&#47;c/'><p style='a:url(x)'>", home, "http://h/c/x"},
		{HTML, "<iframe srcdoc='<base href=/c/><a href=x>'></iframe>", home, "http://h/c/x"},
		{HTML, "<base href=/c/><iframe srcdoc='<base href=e/><a href=x>'></iframe>", home, "http://h/c/e/x"},
		{HTML, "<noscript><base href=/c/><a href=x></noscript>", home, "http://h/c/x"},
		{Mail, "Content-Type: multipart/related; boundary=b\nContent-Location: /c/\n\n--b\nContent-Type: text/html\nContent-Location: e/\n\n<a href=x>", home, "http://h/c/e/x"},
		{Markdown, "<base href=/c/>\n\n[a](x)", home, "http://h/d/x"},
		{XML, "<a xml:base='/c/'><b href='x'/></a>", url.URL{}, "x"},
		{XML, "<a xml:base='/c/'><b xml:base='e/'><c href='x'/></b></a>", home, "http://h/c/e/x"},
		{XML, "<a><b xml:base='/c/'/><c href='x'/></a>", home, "http://h/d/x"},
		{XML, "<a xml:base='http://b/?a&amp;b'><c href=''/><c href='#x'/></a>", home, "http://b/?a&b#x"},
		{XML, "<b xml:base='/c/'><d></d></b></b></b><c href='x'/>", home, "http://h/d/x"},
		{XML, "<a href='x' xml:base='/c/'/>", home, "http://h/c/x"},
		{XML, "<a><b xml:base='/c/'><link>x.y</link></b></a>", home, "http://h/c/x.y"},
		{Mail, "Content-Type: text/html\nContent-Location: c/\n\n<a href=x>", url.URL{}, "x"},
		{Mail, "Content-Type: text/html\nContent-Location: /c/\n\n<a href=x>", home, "http://h/c/x"},
		{CSS, "a{b:url(x)}", home, "http://h/d/x"},
		{RST, "__ x\n", home, "http://h/d/x"},
	} {
		all := gather(t, test.mode, strings.NewReader(test.in), Options{URL: test.home})
		if len(all) == 0 {
			t.Errorf("%v of %q finds no match", test.mode, test.in)
			continue
		}
		m := all[len(all)-1]
		if u, err := m.URL(); err != nil || u.String() != test.want {
			t.Errorf("%v of %q gives the URL %v (%v) of %q with the base %q, want %v", test.mode, test.in, u, err, m.Text, m.Base, test.want)
		}
		if m.Kind != extract.Reference {
			t.Errorf("%v of %q finds a match of kind %v, want a reference", test.mode, test.in, m.Kind)
		}
	}
}

// References omits the URLs in text. Anchor is called with the names of anchors.
func TestReferencesAndAnchors(t *testing.T) {
	const page = `<p id="a&amp;b" name=no>http://no/ <a name=c href=x>http://no/</a><title>http://no/</title><!-- <p id=no> --><script>"<p id=no>"</script>` +
		`<style>p { background: url(y) }</style><noscript><p id=d></noscript><p ID=e id=no><svg id=f />`
	var anchors, references []string
	o := Options{References: true, Anchor: func(name string) { anchors = append(anchors, name) }}
	for _, m := range gather(t, HTML, strings.NewReader(page), o) {
		references = append(references, m.Text)
	}
	if want := []string{"a&b", "c", "d", "e", "f"}; !slices.Equal(anchors, want) {
		t.Errorf("the anchors are %q, want %q", anchors, want)
	}
	if want := []string{"x", "y"}; !slices.Equal(references, want) {
		t.Errorf("the references are %q, want %q", references, want)
	}
	if got := gather(t, Markdown, strings.NewReader("http://no/ [a](b)"), o); len(got) != 1 || got[0].Text != "b" {
		t.Errorf("the references of Markdown are %v", got)
	}
}

// The matches that Known accepts, together with the others, are the matches without Known, at the same offsets.
func TestKnown(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	tags := append([]string{
		"<a href=", "<a href='", `<img src="`, "<link rel=canonical href=", "<link rel=preconnect href=", "<base href=", "<p style='x:url(", "<iframe srcdoc='<a href=b>'>",
		"<noscript>", "</noscript>", "<style>", "</style>", "<script>", "</script>", "<!--", "-->", ">", "\n", "http://h/", "<a href='c'>", "<meta content=",
	}, soup.Words()...)
	for range 20_000 {
		checkKnown(t, soup.Of(random, tags, 20))
	}
}

func FuzzKnown(f *testing.F) {
	for _, seed := range []string{"<a href=b><img src='c&amp;d'>", "<base href=/x/>\n<a href=' b '><link rel=canonical href=c>"} {
		f.Add(seed)
	}
	f.Fuzz(checkKnown)
}

func checkKnown(t *testing.T, text string) {
	t.Helper()
	show := func(place, base, text string, line, column int) string {
		return fmt.Sprintf("%d:%d %s %q %q", line, column, place, base, text)
	}
	o := Options{URL: url.MustParse("http://h/p"), References: true}
	var want, got []string
	for m, err := range HTML.All(strings.NewReader(text), o) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, show(m.Place, m.Base, m.Text, m.Line, m.Column))
	}
	o.Known = func(k Known) bool {
		isTaken := len(got)%3 != 0
		if isTaken {
			got = append(got, show(k.Place, k.Base, string(k.Text), k.Line, k.Column))
		}
		return isTaken
	}
	for m, err := range HTML.All(strings.NewReader(text), o) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, show(m.Place, m.Base, m.Text, m.Line, m.Column))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("with Known, %q gives\n%q, want\n%q", text, got, want)
	}
}
