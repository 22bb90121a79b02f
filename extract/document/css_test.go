package document

import "testing"

func TestCSS(t *testing.T) {
	hold(t, CSS, Options{}, []marked{
		// url()
		{`a{b:url(⟦a.png⟧)} b{c:url("⟦b.png⟧")} c{d:url('⟦c.png⟧')} d{e:URL( "⟦d.png⟧" )} e{f:url(	⟦e.png⟧
)}`, []string{"url(): a.png", "url(): b.png", "url(): c.png", "url(): d.png", "url(): e.png"}},
		{`a{b:url(⟦a.woff2⟧) format("woff2"),url(⟦b.woff⟧)format('woff')}c{d:url(⟦c⟧)}`, []string{"url(): a.woff2", "url(): b.woff", "url(): c"}},
		{`a{b:url(⟦#frag⟧)} c{d:url(⟦data:image/svg+xml;utf8,%3Csvg/%3E⟧)} e{f:url("⟦data:,a)b⟧")} g{--h:url(⟦http://h/⟧)}`, []string{
			"url(): #frag", "url(): data:image/svg+xml;utf8,%3Csvg/%3E", "url(): data:,a)b", "url(): http://h/",
		}},
		{`a{b:url()} c{d:url("")} e{f:url( )} g{h:url(''`, nil},
		{`curl(a) my-url(b) my_url(c) 1url(d) éurl(e) urls(f) url (g)`, nil},
		{`url(⟦a⟧`, []string{"url(): a"}},
		{"url(⟦a\\⟧", []string{`url(): a\`}},
		{"url(\"⟦a\\⟧", []string{`url(): a\`}},
		{"Àurl(a) \x7furl(⟦b⟧)", []string{"url(): b"}},
		{"url(⟦a⟧\nb) url(⟦c⟧ ", []string{"url(): a", "url(): c"}},
		{"url(\"⟦a⟧\nurl(⟦b⟧)", []string{"url(): a", "url(): b"}},
		{"url(", nil},
		{"url(\"", nil},

		// comments and strings
		{`/* url(a) */ url(⟦b⟧) /* "*/ url(⟦c⟧) /**/url(⟦d⟧)/*/ url(e) */ url(⟦f⟧)`, []string{"url(): b", "url(): c", "url(): d", "url(): f"}},
		{`url(⟦a⟧) /* url(b)`, []string{"url(): a"}},
		{`/* reset */* {b:url(⟦c⟧)}`, []string{"url(): c"}},
		{`a{content:"url(a)"} b{content:'url(b)'} c{content:"\"url(c)"} d:url(⟦d⟧) "*/" '/*' url(⟦e⟧)`, []string{"url(): d", "url(): e"}},
		{"\"open\nurl(⟦a⟧) 'open\\\nurl(b)' url(⟦c⟧)", []string{"url(): a", "url(): c"}},
		// a line ends with LF, CR, FF, or CR and LF, which are one (CSS Syntax §3.3)
		{"url(\"⟦a⟧\rurl(⟦b⟧\rc) url('⟦d⟧\furl(⟦e⟧\ff) \"g\r\nurl(⟦h⟧)", []string{"url(): a", "url(): b", "url(): d", "url(): e", "url(): h"}},
		{"url(\"⟦a\\\r\nb⟧\") url('⟦c\\\fd⟧') @import \"⟦e\\\rf⟧\"; url(\"⟦g\\\r⟧", []string{"url(): ab", "url(): cd", "@import: ef", "url(): g"}},

		// URLs that are imported, and other names after @import
		{`@import "⟦a.css⟧"; @import '⟦b.css⟧' screen;@import url(⟦c.css⟧);@IMPORT"⟦d.css⟧";@import
"⟦e.css⟧";`, []string{"@import: a.css", "@import: b.css", "url(): c.css", "@import: d.css", "@import: e.css"}},
		{`@import/**/'⟦a.css⟧'; @import /* b */ /* c */ url("⟦d⟧"); @import`, []string{"@import: a.css", "url(): d"}},
		{`@import /* abc */ "⟦a⟧"; @import /* "b"`, []string{"@import: a"}},
		{`@import "`, nil},
		{`@imports "a"; @import a "b"; @import-x "c"`, nil},
		{`@namespace url(http://no/); @namespace svg url("http://no/"); @NAMESPACE "http://no/"; a{b:url(⟦c⟧)}`, []string{"url(): c"}},
		{`@namespace svg "a;b"; url(⟦c⟧) @namespace x`, []string{"url(): c"}},
		{`@namespace svg url(a) {b:url(c)} d{e:url(⟦f⟧)}`, []string{"url(): f"}}, // a block also ends the rule (CSS Syntax §5.5.2)

		// image-set()
		{`image-set("⟦a⟧" 1x, url(⟦b⟧) 2x, url("⟦c⟧") 3x, '⟦d⟧' type("image/png")) "e"`, []string{"image-set(): a", "url(): b", "url(): c", "image-set(): d"}},
		{`-webkit-image-set(url(⟦a⟧) 1x) "b" cross-fade(image-set("⟦c⟧"), "d") IMAGE-SET('⟦e⟧'`, []string{"url(): a", "image-set(): c", "image-set(): e"}},
		{`image-set(linear-gradient("a", (b)) 1x, "⟦c⟧" 2x) f(image-set("⟦d⟧")) "e"`, []string{"image-set(): c", "image-set(): d"}},
		{`image-set(image-set("a") 1x, "⟦b⟧" 2x) url("⟦c⟧" "d")`, []string{"image-set(): b", "url(): c"}},

		// escapes
		{`url(⟦a\(1\).png⟧) url("⟦a\"b⟧") url('⟦\'⟧') url(⟦a\ b⟧) url("⟦\\⟧")`, []string{"url(): a(1).png", `url(): a"b`, "url(): '", "url(): a b", `url(): \`}},
		{"url(\"⟦a\\\nb⟧\") url(⟦\\2f x⟧) url(⟦\\00002Fx⟧) url(⟦\\2F\tx⟧) url(⟦\\0000e9⟧) url(⟦\\000e91⟧)", []string{
			"url(): ab", "url(): /x", "url(): /x", "url(): /x", "url(): é", "url(): \u0e91",
		}},
		{`url(⟦http\:\/\/h\/⟧) url(⟦me\@h⟧) url(⟦a\z⟧)`, []string{"url(): http://h/", "url(): me@h", "url(): az"}},
		{`url(⟦\41\42 \43⟧) url(⟦\4a\4A\4g⟧)`, []string{"url(): ABC", "url(): JJ\x04g"}},
	})
}

// The offsets of matches in a style are offsets in the HTML document.
func TestCSSInHTML(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{"<style>\n@import '⟦a.css⟧';\n</style>\n<p style='b:url(⟦c⟧); d:url(&quot;⟦e⟧&quot;)'>", []string{"@import: a.css", "url(): c", "url(): e"}},
		{"<style><!-- a{b:url(⟦c⟧)} --></style>", []string{"url(): c"}},
	})
}
