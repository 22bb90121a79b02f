package document

import (
	"slices"
	"testing"
)

// Documents that violate their specifications are read as other readers read them, because their authors see the result
// of these readers.
func TestWild(t *testing.T) {
	for _, test := range []struct {
		mode Mode
		in   string
		want []string
	}{
		// refreshes that browsers accept
		{HTML, `<meta http-equiv=refresh content="0; http://h/a"><meta http-equiv=refresh content=" 1.5 ,URL = 'b' c"><meta http-equiv=refresh content=5>`, []string{"meta content: http://h/a", "meta content: b"}},
		{HTML, `<meta http-equiv=refresh content="0;url=c?url=d ">`, []string{"meta content: c?url=d"}},
		// an a element without an href, perhaps without an end
		{HTML, `<a name=x>http://h/a <a href=b>http://no/<a name=y></a> http://h/c`, []string{"http://h/a", "a href: b", "http://h/c"}},
		{HTML, `<svg><a xlink:href=a>http://no/</a></svg>`, []string{"a xlink:href: a"}},
		// HTML in HTML
		{HTML, `<noscript><img src="a.png?b&amp;c"></noscript><iframe srcdoc="&lt;a href=&quot;d&quot;&gt;&lt;/a&gt; http://h/">`, []string{
			`img src: a.png?b&c from "a.png?b&amp;c"`, "a href: d", "iframe srcdoc: http://h/",
		}},
		{HTML, `<p style="a:image-set('b.png' 1x,url(c.png) 2x,&quot;d.png&quot; type('image/png'))">`, []string{"image-set(): b.png", "url(): c.png", "image-set(): d.png"}},
		{CSS, `a{b:-webkit-image-set("c.png" 1x)} d{content:"e"} no-image-set("f")`, []string{"image-set(): c.png", "image-set(): f"}},

		// bytes that are not UTF-8, control characters, and references to them
		{XML, "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9\x01&#1;</a><b href='c&amp;d'/><link>http://h/?a&amp;b</link>", []string{
			`b href: c&d from "c&amp;d"`, `link: http://h/?a&b from "http://h/?a&amp;b"`,
		}},
		{XML, `<guid isPermaLink="false">a/1</guid><guid isPermaLink='true'>b/2</guid><guid isPermaLink="false">http://h/</guid>`, []string{"guid: b/2", "guid: http://h/"}},
		{XML, `<svg><style>a{b:url(c)}</style><style><![CDATA[@import "d";]]></style></svg>`, []string{"url(): c", "@import: d"}},

		{JSON, `{"a":"http://h/\ud55c\ud83d\uDE00"}`, []string{`a: http://h/한😀 from "http://h/\\ud55c\\ud83d\\uDE00"`}},

		{RST, ".. _a: http://h/b\\_\n.. _c: d_\n`e <f\\_>`_\n", []string{`target: http://h/b_ from "http://h/b\\_"`, `target: f_ from "f\\_"`}},

		// the output of DocBook, pandoc and mandoc
		{Man, "\\m[blue]\\fBhttp://h/a\\fR\\m[]\\&\\s-2\\u[1]\\d\\s+2, \\s-1http://h/b\\s0 \\s10http://h/c\\s[+2] \\s'8'http://h/d.\n", []string{
			"http://h/a", "http://h/b", "http://h/c", "http://h/d",
		}},
		{Man, "http://h/\\[ti]a\\[u00E9]\\(ul \\*(lqhttp://h/b\\*(rq \\*[x]http://h/c\\*[y] http://h/d\\(bu http://h/e\\~f\n", []string{
			`http://h/~aé_ from "http://h/\\[ti]a\\[u00E9]\\(ul"`, "http://h/b", "http://h/c", "http://h/d", "http://h/e",
		}},
		{Man, ".UR <http://h/a>\n\\h'http://no/'http://h/b\\v'1'\\n(xx\n\\f[B]http://h/c\\f[\n.MT\n.UR\n\\[\n\\s\n\\(\n\\*", []string{".UR: http://h/a", "http://h/b", "http://h/c"}},

		// parameters that are invalid or missing
		{Mail, "Content-Type: multipart/mixed; boundary=--=_x\n\n----=_x\nContent-Type: text/html; charset=\"utf-8\n\n<a href='a&amp;b'>\n----=_x--\n", []string{
			`a href: a&b from "a&amp;b"`,
		}},
		{Mail, "Content-Type: text/html; x; y\n\n<a href=a>", []string{"a href: a"}},
		{Mail, "Content-Type: multipart/mixed\n\nhttp://h/", []string{"text/plain: http://h/"}},
		{Mail, "Content-Type: gibberish\n\nhttp://h/", []string{"text/plain: http://h/"}},
		{Mail, "Content-Transfer-Encoding: quoted-printable\n\nhttp://h/a= \t\nb=  c http://h/=\n", []string{
			`text/plain: http://h/ab= from "http://h/a= \t\nb="`, "text/plain: http://h/",
		}},
	} {
		if got := read(t, test.mode, test.in, Options{}); !slices.Equal(got, test.want) {
			t.Errorf("%v.All(%q) =\n\t%q, want\n\t%q", test.mode, test.in, got, test.want)
		}
	}
}
