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

		// what is imported, and what is a name alone
		{`@import "⟦a.css⟧"; @import '⟦b.css⟧' screen;@import url(⟦c.css⟧);@IMPORT"⟦d.css⟧";@import
"⟦e.css⟧";`, []string{"@import: a.css", "@import: b.css", "url(): c.css", "@import: d.css", "@import: e.css"}},
		{`@import/**/'⟦a.css⟧'; @import /* b */ /* c */ url("⟦d⟧"); @import`, []string{"@import: a.css", "url(): d"}},
		{`@import /* abc */ "⟦a⟧"; @import /* "b"`, []string{"@import: a"}},
		{`@import "`, nil},
		{`@imports "a"; @import a "b"; @import-x "c"`, nil},
		{`@namespace url(http://no/); @namespace svg url("http://no/"); @NAMESPACE "http://no/"; a{b:url(⟦c⟧)}`, []string{"url(): c"}},
		{`@namespace svg "a;b"; url(⟦c⟧) @namespace x`, []string{"url(): c"}},
		{`@namespace svg url(a) {b:url(c)} d{e:url(⟦f⟧)}`, []string{"url(): f"}}, // a block ends it too (CSS Syntax §5.5.2)

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

// The places of a style in HTML are those of the document.
func TestCSSInHTML(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{"<style>\n@import '⟦a.css⟧';\n</style>\n<p style='b:url(⟦c⟧); d:url(&quot;⟦e⟧&quot;)'>", []string{"@import: a.css", "url(): c", "url(): e"}},
		{"<style><!-- a{b:url(⟦c⟧)} --></style>", []string{"url(): c"}},
	})
}

func TestCSSUnescape(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"a", "a"},
		{`\`, `\`},
		{`a\`, `a\`},
		{`\g`, "g"},
		{`\\41`, `\41`},
		{`\\\41`, `\A`},
		{"\\\n", ""},
		{`\0`, "\ufffd"}, // as what is no character (CSS Syntax §4.3.7)
		{`\000000a`, "\ufffda"},
		{`\10fffe`, "\U0010fffe"},
		{`\ffffff`, "\ufffd"},
		{`\dfff`, "\ufffd"},
		{`\e000`, "\ue000"},
		{"a\\\r\nb\\\rc\\\fd\\\n\re", "abcd\re"},
		{"\\41\r\nb\\41\r\\41\fc\\41\t d", "AbAAcA d"},
		{"\\\r", ""},
		{"\\41\r", "A"},
		{`\10FFFF`, "\U0010ffff"},
		{`\110000`, "\ufffd"},
		{`\d800x`, "\ufffdx"},
		{"\\41 ", "A"},
		{"\\41\v", "A\v"},
		{"\\41  ", "A "},
		{"\\41\nb", "Ab"},
		{`\0000411`, "A1"},
	} {
		if got := cssUnescape([]byte(test.in)); got != test.want {
			t.Errorf("cssUnescape(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// Where strings and what url(…) holds stand, and where is gone on after them.
func TestCSSPlaces(t *testing.T) {
	for _, test := range []struct {
		name          string
		read          func(text []byte, i int) (from, to, end int)
		in            string
		i             int
		from, to, end int
	}{
		{"string", cssString, `"a"b`, 0, 1, 2, 3},
		{"string", cssString, `x'a'`, 1, 2, 3, 4},
		{"string", cssString, `''`, 0, 1, 1, 2},
		{"string", cssString, `"a'"`, 0, 1, 3, 4},
		{"string", cssString, `'a"'`, 0, 1, 3, 4},
		{"string", cssString, `"a\"b"`, 0, 1, 5, 6},
		{"string", cssString, `"a\\"b"`, 0, 1, 4, 5},
		{"string", cssString, `"`, 0, 1, 1, 1},
		{"string", cssString, `"a`, 0, 1, 2, 2},
		{"string", cssString, `"a\`, 0, 1, 3, 3},
		{"string", cssString, `"a\"`, 0, 1, 4, 4},
		{"string", cssString, "\"a\nb\"", 0, 1, 2, 2},
		{"string", cssString, "\"a\rb\"", 0, 1, 2, 2},
		{"string", cssString, "\"a\fb\"", 0, 1, 2, 2},
		{"string", cssString, "\"a\vb\"", 0, 1, 4, 5},
		{"string", cssString, "\"a\\\nb\"", 0, 1, 5, 6},
		{"string", cssString, "\"a\\\r\nb\"", 0, 1, 6, 7},
		{"string", cssString, "\"a\\\n\rb\"", 0, 1, 4, 4},
		{"string", cssString, "\"a\\\r\n\nb\"", 0, 1, 5, 5},
		{"string", cssString, "\"\n", 0, 1, 1, 1},

		{"url", cssURL, "a)b", 0, 0, 1, 1},
		{"url", cssURL, " \t\n a \t\n )b", 0, 4, 5, 7}, // the end of a line is as good as the bracket
		{"url", cssURL, " a )b", 0, 1, 2, 3},
		{"url", cssURL, "a b)", 0, 0, 3, 3},
		{"url", cssURL, "\va\v)", 0, 0, 3, 3}, // no white space of CSS (CSS Syntax §4.2)
		{"url", cssURL, ")", 0, 0, 0, 0},
		{"url", cssURL, " )", 0, 1, 1, 1},
		{"url", cssURL, "", 0, 0, 0, 0},
		{"url", cssURL, "  ", 0, 2, 2, 2},
		{"url", cssURL, "a", 0, 0, 1, 1},
		{"url", cssURL, "a ", 0, 0, 1, 2},
		{"url", cssURL, "a\\)b)c", 0, 0, 4, 4},
		{"url", cssURL, "a\\\\)b", 0, 0, 3, 3},
		{"url", cssURL, "a\\", 0, 0, 2, 2},
		{"url", cssURL, "a\rb)", 0, 0, 1, 1},
		{"url", cssURL, "a\fb)", 0, 0, 1, 1},
		{"url", cssURL, "a(b)", 0, 0, 3, 3},
		{"url", cssURL, ` "a)b" )c`, 0, 2, 5, 6},
		{"url", cssURL, `'a'`, 0, 1, 2, 3},
		{"url", cssURL, `a'b')`, 0, 0, 4, 4},
		{"url", cssURL, `"`, 0, 1, 1, 1},
	} {
		if from, to, end := test.read([]byte(test.in), test.i); from != test.from || to != test.to || end != test.end {
			t.Errorf("%s at %d of %q: %d, %d, %d, want %d, %d, %d", test.name, test.i, test.in, from, to, end, test.from, test.to, test.end)
		}
	}
	for in, want := range map[string]int{
		"": 0, "a": 0, " a": 1, " \t\r\n\fa": 5, "/**/a": 4, " /* * / */ /*/*/ a": 17, "/* a": 4, "/*/": 3, "/*": 2, "/a": 0, " /": 1, "/**": 3, "/***/": 5,
	} {
		if got := cssBlank([]byte(in), 0); got != want {
			t.Errorf("cssBlank(%q) = %d, want %d", in, got, want)
		}
	}
	for in, want := range map[string]int{"": 0, "a\n": 0, "\n": 1, "\n\r": 1, "\r": 1, "\rx": 1, "\r\n": 2, "\r\n\n": 2, "\f": 1, "\f\n": 1, "\v": 0, "\u0085": 0} {
		if got := cssBreak([]byte(in)); got != want {
			t.Errorf("cssBreak(%q) = %d, want %d", in, got, want)
		}
	}
}
