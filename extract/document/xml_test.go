package document

import (
	"strings"
	"testing"

	"locus/url"
)

func TestXMLAttributes(t *testing.T) {
	hold(t, XML, Options{}, []marked{
		{`<a href="⟦b⟧"/><a href='⟦b⟧'></a><a  HREF = "⟦b⟧" ><c src="⟦d⟧" url="⟦e⟧" action="⟦f⟧" xlink:href="⟦#g⟧" xmlUrl="⟦h⟧" htmlUrl="⟦i⟧"/>`, []string{
			"a href: b", "a href: b", "a HREF: b", "c src: d", "c url: e", "c action: f", "c xlink:href: #g", "c xmlUrl: h", "c htmlUrl: i",
		}},
		{"<a\n href=\" ⟦b⟧\n\"\n\ttitle='⟦http://h/⟧ x ⟦http://i/⟧'/><a x:href='⟦http://h/⟧'/>", []string{"a href: b", "url a title: http://h/", "url a title: http://i/", "url a x:href: http://h/"}},
		{`<rdf:D rdf:about="⟦b⟧"><x rdf:resource="⟦c⟧" rdf:id="d"/></rdf:D>`, []string{"rdf:D rdf:about: b", "x rdf:resource: c"}},
		{`<a href="⟦?a&amp;b⟧" b='⟦http://h/?a&#38;b⟧' c="⟦&#x68;ttp://h/⟧" href=''/><a href="⟦a'b&apos;⟧"/>`, []string{"a href: ?a&b", "url a b: http://h/?a&b", "url a c: http://h/", "a href: a'b'"}},
		{`<package prefix="a: http://no/# b: http://no/"><svg epub:prefix="c: http://no/"/></package>`, nil},
		{`<a xmlns="http://no/" xmlns:x="http://no/" XMLNS:y='http://no/' xml:base="http://b/"/><xmlnsx xmlnsx="⟦http://h/⟧"/>`, []string{"url xmlnsx xmlnsx: http://h/"}},
		{`<p xsi:schemaLocation="http://no/4.0 ⟦http://h/a.xsd⟧
 http://no/5.0 ⟦b.xsd⟧" xsi:noNamespaceSchemaLocation="⟦c.xsd⟧"><xs:import namespace="http://no/" schemaLocation="⟦d.xsd⟧"/><xs:schema targetNamespace="http://no/"/>`, []string{
			"p xsi:schemaLocation: http://h/a.xsd", "p xsi:schemaLocation: b.xsd", "p xsi:noNamespaceSchemaLocation: c.xsd", "xs:import schemaLocation: d.xsd",
		}},
		{"<p xsi:schemaLocation='http://no/\u00a0x\r\n⟦b\u0085c⟧\tno'/>", []string{"p xsi:schemaLocation: b\u0085c"}}, // only the white space of XML §2.3 separates URLs
		{`<svg style="fill:url(⟦#a⟧)"><rect style='b:url(&quot;⟦c⟧&quot;)'/></svg>`, []string{"url(): #a", "url(): c"}},
		{`<?xml version="1.0" href="no"?><?xml-stylesheet type="text/xsl" href="⟦a.xsl⟧"?><?x href="http://no/"?><!DOCTYPE a SYSTEM "http://no/" [<!ENTITY b "http://no/">]><!-- http://no/ <a href="no"> -->`, []string{"xml-stylesheet href: a.xsl"}},
		{`<a b=unquoted c href="⟦d⟧">⟦http://h/⟧</a>`, []string{"a href: d", "url a: http://h/"}},
	})
}

func TestXMLText(t *testing.T) {
	hold(t, XML, Options{}, []marked{
		{"<a>⟦http://h/⟧ x <b>⟦http://i/⟧</b>⟦http://j/⟧</a>\n<C>é ⟦http://h/é⟧</C> ⟦http://k/⟧", []string{"url a: http://h/", "url b: http://i/", "url a: http://j/", "url c: http://h/é", "url http://k/"}},
		{`<a>⟦http://h/?a&amp;b⟧ ⟦http://h/⟧&lt;x ⟦http://h/a⟧&#160;b ⟦&#x68;ttp://h/⟧ ⟦http://h/&unheard;c⟧</a>`, []string{
			"url a: http://h/?a&b", "url a: http://h/", "url a: http://h/a", "url a: http://h/", "url a: http://h/&unheard;c",
		}},
		{`<a><![CDATA[⟦http://h/⟧]]></a><a><![CDATA[⟦http://h/?a&amp;b⟧ <b>]]>⟦http://i/⟧<![CDATA[]]></a>`, []string{"url a: http://h/", "url a: http://h/?a&amp;b", "url a: http://i/"}},
		// elements that contain a URL
		{"<link>⟦http://h/⟧</link><link>\n ⟦a/b⟧\t</link><url>⟦/c⟧</url><loc>⟦d.html⟧</loc><uri>⟦e/⟧</uri><icon>⟦f.ico⟧</icon><logo>⟦g.png⟧</logo><comments>⟦h/i⟧</comments><docs>⟦j/k⟧</docs><guid>⟦l/m⟧</guid>", []string{
			"link: http://h/", "link: a/b", "url: /c", "loc: d.html", "uri: e/", "icon: f.ico", "logo: g.png", "comments: h/i", "docs: j/k", "guid: l/m",
		}},
		{`<wfw:commentRss>⟦a/b⟧</wfw:commentRss><x:link>⟦c/d⟧</x:link><image:loc><![CDATA[ ⟦e/f⟧ ]]></image:loc><video:content_loc>⟦g/h⟧</video:content_loc><thumbnail_loc>⟦i/j⟧</thumbnail_loc><player_loc>⟦k/l⟧</player_loc><kml><href>⟦m.png⟧</href></kml>`, []string{
			"wfw:commentrss: a/b", "x:link: c/d", "image:loc: e/f", "video:content_loc: g/h", "thumbnail_loc: i/j", "player_loc: k/l", "href: m.png",
		}},
		// a reference ends with a semicolon (XML §4.1), which many authors omit
		{`<loc>⟦http://h/?a=1&copy=2&reg=3&amp;sect=4&ampx;⟧</loc><link><![CDATA[⟦http://h/?a&amp;copy=1⟧]]></link><p>⟦http://h/?a&sect=1⟧ ⟦http://h/&amp⟧ ⟦http://h/&copy;&#233;&#xe9;⟧</p>`, []string{
			"loc: http://h/?a=1&copy=2&reg=3&sect=4&ampx;", "link: http://h/?a&amp;copy=1", "url p: http://h/?a&sect=1", "url p: http://h/&amp", "url p: http://h/©éé",
		}},
		{`<a href="⟦?a&copy=1&amp;b&lt;⟧" title="⟦http://h/?a&not=b⟧" style="b:url(⟦?c&reg=d⟧)" x:schemaLocation="no ⟦?e&para=f⟧"/>`, []string{
			"a href: ?a&copy=1&b<", "url a title: http://h/?a&not=b", "url(): ?c&reg=d", "a x:schemaLocation: ?e&para=f",
		}},
		{`<link>⟦http://h/?a&amp;b⟧</link><loc>⟦http://h/&#38;⟧</loc>`, []string{"link: http://h/?a&b", "loc: http://h/&"}},
		{`<link>word</link><link>a b.c</link><link></link><link> </link><link/><url>a &lt;b/></url>`, nil},
		{`<link>see ⟦http://h/⟧</link><link>http://h:x/</link>`, []string{"url link: http://h/"}},
		// an identifier is a link only if it is a URL
		{`<id>⟦tag:h,2026:x⟧</id><id>⟦urn:isbn:1⟧</id><id>⟦http://h/⟧</id><id>Json.Net</id><id>group:artifact.x</id><id>a/b</id><atom:id>⟦http://h/a⟧</atom:id>`, []string{"id: tag:h,2026:x", "id: urn:isbn:1", "id: http://h/", "atom:id: http://h/a"}},
		{`<guid isPermaLink="false">a/1</guid><guid isPermaLink="true">⟦b/2⟧</guid><guid isPermaLink="false">⟦http://h/⟧</guid><guid x="false">⟦c/3⟧</guid>`, []string{"guid: b/2", "url guid: http://h/", "guid: c/3"}},
		// HTML and CSS in them
		{`<description>&lt;a href="⟦b⟧">http://no/&lt;/a> ⟦http://h/⟧</description><content:encoded><![CDATA[<img src="⟦c⟧">]]></content:encoded><content>&lt;p style="x:url(⟦d⟧)"></content><summary>&lt;a href='⟦?e&amp;amp;f⟧'></summary>`, []string{
			"a href: b", "url description: http://h/", "img src: c", "url(): d", "a href: ?e&f",
		}},
		{`<description>⟦http://h/?a&amp;amp;b⟧</description><description>&lt;br> ⟦http://h/?a&amp;amp;b⟧</description><summary>a &amp;lt; ⟦http://h/⟧</summary>`, []string{
			"url description: http://h/?a&amp;b", "url description: http://h/?a&b", "url summary: http://h/",
		}},
		{`<description>⟦http://h/⟧ href="x"</description><title>&lt;a href="x">⟦http://h/⟧</title><style>a{b:url(⟦c⟧)}</style><svg:style><![CDATA[@import "⟦d⟧"]]></svg:style>`, []string{
			"url description: http://h/", "url title: http://h/", "url(): c", "@import: d",
		}},
	})
}

// Errors at which other readers of XML stop do not end the reading.
func TestXMLWild(t *testing.T) {
	hold(t, XML, Options{}, []marked{
		{"<a>\xff\x00\x01\x0b\x0c ⟦http://h/⟧\x1f&#0; &; & ⟦http://i/⟧</a>\ufffe\uffff<b href=\"⟦c⟧\"/>", []string{"url a: http://h/", "url a: http://i/", "b href: c"}},
		{"<?xml version='1.0' encoding='koi8-r'?><a href=\"⟦b⟧\">\xd0 ⟦http://h/⟧</a>", []string{"a href: b", "url a: http://h/"}},
		{`</a></b><a href="⟦c⟧"></x></a></a><b>⟦http://h/⟧`, []string{"a href: c", "url b: http://h/"}},
		{`<a href="⟦b⟧">⟦http://h/⟧ < ⟦http://i/⟧`, []string{"a href: b", "url a: http://h/", "url a: http://i/"}},
		{`<a href="⟦http://h/⟧`, []string{"url http://h/"}},
		{"<link>⟦a/\xe9⟧</link><link>⟦a/\x01⟧</link><link>⟦a/\ufffe\uffff⟧</link><link>⟦a/\x0b\x0c?⟧</link>", []string{"link: a/\xe9", "link: a/\x01", "link: a/\ufffe\uffff", "link: a/\x0b\x0c?"}},
		// an invalid part is skipped, and the rest is read
		{`<?xml version="1.1"?><a href="⟦b⟧">⟦http://h/⟧</a>`, []string{"a href: b", "url a: http://h/"}},
		{`<link>⟦a/b⟧</link>]]> ⟦http://h/⟧]]><a href="⟦c⟧"/><link>⟦d/e⟧</link>`, []string{"link: a/b", "url http://h/", "a href: c", "link: d/e"}},
		{`<a href="⟦b⟧" c='<'/> ⟦http://h/⟧ 1 <2 <e href="⟦f⟧"/></ g><h href="⟦i⟧"/>`, []string{"a href: b", "url http://h/", "e href: f", "h href: i"}},
		{`<![if IE]><a href="⟦b⟧"/><![endif]><c href="⟦d⟧" = e="f"><g>⟦http://h/⟧</g><i = "⟦http://j/⟧"`, []string{"a href: b", "c href: d", "url g: http://h/", "url http://j/"}},
		{`</ g href="no"><a href="⟦b⟧"/><!é href="no"><_c href="⟦d⟧"/><é href="⟦e⟧"/><_f href="⟦g⟧" = h="i"/><é href="⟦j⟧" = /><:k href="⟦l⟧" = /> <2 href="m" = />`, []string{
			"a href: b", "_c href: d", "é href: e", "_f href: g", "é href: j", ":k href: l",
		}},
		{`<x xml:base="http://b/"><y xml:base="c/">]]></y><a href="⟦d⟧"/></x>`, []string{"a href: d"}},
		// comments that contain "--", which XML §2.5 forbids, and texts that only look like comments
		{`<!-- a -- http://no/ <b href="no"/> --><a href="⟦b⟧"/><!---- http://no/ --- --->⟦http://h/⟧`, []string{"a href: b", "url http://h/"}},
		{`<a><![CDATA[⟦http://h/--a⟧ <!-- ]]></a><!-- http://no/ --><b href="⟦c⟧"/><d>⟦http://i/⟧<![CDATA[<!-- -->]]></d>`, []string{"url a: http://h/--a", "b href: c", "url d: http://i/"}},
		{`<!DOCTYPE a [<!-- it's -- <!ENTITY b "http://no/"> -->]><a href="⟦b⟧"/><!-- - ⟦http://h/⟧ <c href="d"/>`, []string{"a href: b", "url http://h/"}},
		{`<![CDATA[<!-- ]]><a href="⟦b⟧"/><!-- <!--><![CDATA[⟦http://h/⟧ <!-- d -->`, []string{"a href: b", "url http://h/"}},
		{`<![CDATA[<!-- ]]><b-c href="⟦d⟧"/><!-- <!--><e-f href="⟦g⟧"/><!----><!-- -- <h href="no"/> --><i-j href="⟦k⟧"/>`, []string{"b-c href: d", "e-f href: g", "i-j href: k"}},
		{`<!DOCTYPE a><!-- -- <b href="no"/> --><c href="⟦d⟧"/><![CDATA[]]><!-- -- <b href="no"/> --><e href="⟦f⟧"/>`, []string{"c href: d", "e href: f"}},
		{"\ufeff<?xml version=\"1.0\"?>\r\n<a\r\nhref=\"⟦b⟧\">\r\n⟦http://h/⟧\r\n</a>", []string{"a href: b", "url a: http://h/"}},
	})
}

// xml:base applies to the content of its element (XML Base §4.2). An xml:base in another is relative to it.
func TestXMLBase(t *testing.T) {
	home := url.MustParse("http://h/")
	for in, want := range map[string]string{
		`<a xml:base="b/"><c href="d"/></a><e href="f"/>`:                               "http://h/b/d http://h/f",
		`<a xml:base="b/"><c xml:base="d/" href="e"><f href="g"/></c><i href="j"/></a>`: "http://h/b/d/e http://h/b/d/g http://h/b/j",
		`<a xml:base="b/"/><c href="d"/></x></x><e href="f"/>`:                          "http://h/d http://h/f",
		`<a xml:base="b/" href="c" = ><d href="e"/>`:                                    "http://h/b/c http://h/e",
		`<a xml:base="b/">]]><c href="d"/></a><e href="f"/>`:                            "http://h/b/d http://h/f",
		`<a xml:base="b/?x&amp;y&reg=z"><c href="#d"/></a>`:                             "http://h/b/?x&y&reg=z#d",
		`<a xml:base="b/?x&amp;y"><c href="?d"/></a>`:                                   "http://h/b/?d",
		`<a xml:base="b/"><link>c/d</link></a><link>e/f</link>`:                         "http://h/b/c/d http://h/e/f",
		`<link xml:base="b/"><c xml:base="d/"/>e/f</link>`:                              "http://h/b/e/f",
		`<a href="b/"><c href="d"/></a>`:                                                "http://h/b/ http://h/d",
	} {
		var got []string
		for _, m := range gather(t, XML, strings.NewReader(in), Options{URL: home}) {
			u, err := m.URL()
			if err != nil {
				t.Errorf("URL of the match in %q: %v", in, err)
			}
			got = append(got, u.String())
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("the URL of the match in %q is %s, want %s", in, got, want)
		}
	}
}
