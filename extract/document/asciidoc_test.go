package document

import (
	"fmt"
	"testing"

	"locus/extract/document/dialect"
)

// In a site of Antora, a target may be a resource id, whose text is yielded unchanged.
func TestAsciiDocResources(t *testing.T) {
	const text = "xref:%[1]sm:p.adoc#x%[2]s[] xref:%[1]s1.0@c:m:p.adoc%[2]s[] image:%[1]sm:x.png%[2]s[] xref:⟦a.adoc⟧[]\n\ninclude::%[1]spartial$x.adoc%[2]s[]\n"
	hold(t, Asciidoc, Options{Dialect: dialect.Dialect{ResourceIDs: true}}, []marked{{fmt.Sprintf(text, "⟦", "⟧"), []string{
		"xref: m:p.adoc#x", "xref: 1.0@c:m:p.adoc", "image: m:x.png", "xref: a.adoc", "include: partial$x.adoc",
	}}})
	hold(t, Asciidoc, Options{}, []marked{{fmt.Sprintf(text, "", ""), []string{"xref: a.adoc"}}})
}

// Cross references and macros may continue in the next line of their paragraph, but not in the next block.
func TestAsciiDocWrapped(t *testing.T) {
	hold(t, Asciidoc, Options{SkipCode: true}, []marked{
		{"See <<⟦water⟧,the\nwater>> and <<⟦a.adoc#⟧,some\ncups>> and <<⟦The\ntitle⟧>>.\n", []string{"xref: #water", "xref: a.adoc", "xref: #The%20title"}},
		{"See <<water,the\n\nwater>>.\n", nil},
		{"* <<water,the\n* water>>\n", nil},
		{"<<water,the\n----\ncode\n----\nwater>>\n", nil},
		{"link:⟦a⟧[the\npot] ⟦http://h/⟧[a\nb] image:⟦b.png⟧[c\nd,link=⟦e⟧]\n", []string{"link: a", "link: http://h/", "image: b.png", "image link: e"}},
		{"link:a[the\n\npot]\n", nil},
		{"xref:⟦the title⟧[] image:⟦a b.png⟧[] link:a b[]\n", []string{"xref: #the%20title", "image: a b.png"}},
	})
}

// A backslash makes a macro, a URL or a cross reference text.
func TestAsciiDocEscapes(t *testing.T) {
	hold(t, Asciidoc, Options{}, []marked{
		{"\\http://no/a \\http://no/b[c] (\\https://no/) ⟦http://h/⟧ \\link:no[] \\xref:no[] \\<<no>> \\image:no[] \\mailto:no@h[]\n", []string{"url http://h/"}},
		{"\\include::no[]\ninclude::⟦a⟧[]\n", []string{"include: a"}},
		{"xref:⟦a\\__b__c.adoc⟧[] link:⟦d\\**e**⟧[] image:⟦f\\_g_.png⟧[] ⟦http://h/\\__i__⟧[j]\n", []string{
			"xref: a__b__c.adoc", "link: d**e**", "image: f_g_.png", "link: http://h/__i__",
		}},
	})
}

// The text of a passthrough is HTML, unless substitutions are named. In a target it stands for itself.
func TestAsciiDocPassthroughs(t *testing.T) {
	hold(t, Asciidoc, Options{SkipCode: true}, []marked{
		{"link:++⟦a b⟧++[x] link:pass:[⟦c d⟧][x] link:$$⟦e__f⟧$$[x] ⟦http://h/++a__b++⟧[x]\n", []string{"link: a b", "link: c d", "link: e__f", "link: http://h/a__b"}},
		{"++link:no[]++ $$<<no>>$$ `+xref:no[]+` +link:no[]+ a+link:⟦a⟧[]+b ++http://no/++\n", []string{"link: a"}},
		{"+++<a href=⟦a⟧>link:no[]</a>+++ pass:[<img src=⟦b⟧>] pass:q[<a href=⟦c⟧>] pass:m[link:⟦d⟧[\\]]\n", []string{"a href: a", "img src: b", "a href: c", "link: d"}},
		{"++++\n<a href=⟦a⟧>b</a>\nlink:no[]\n\n<img src=⟦c⟧>\n++++\n\nlink:⟦d⟧[]\n", []string{"a href: a", "img src: c", "link: d"}},
		{"[pass]\n<a href=⟦a⟧>\n\n[stem]\n++++\n<a href=no>\n++++\n\n[latexmath]\n<a href=no>\n\nstem:[<<no>>]\n", []string{"a href: a"}},
		{"`xref:⟦a⟧[]` `<<⟦b⟧>>` `link:⟦c⟧[d]` `http://no/` ``http://no/``\n", []string{"xref: #a", "xref: #b", "link: c"}},
	})
}

// The attributes of an image may hold a link, and the attributes of a video its poster.
func TestAsciiDocImages(t *testing.T) {
	hold(t, Asciidoc, Options{}, []marked{
		{"image:⟦a.svg⟧[link=⟦b.html⟧] image::⟦c.svg⟧[Pot,link=⟦d.html⟧,role=e] image:⟦f.svg⟧[\"x,link=no\",link=\"⟦g,h.html⟧\"] image:⟦i.svg⟧[link=self]\n", []string{
			"image: a.svg", "image link: b.html", "image: c.svg", "image link: d.html", "image: f.svg", "image link: g,h.html", "image: i.svg",
		}},
		{":home: ⟦http://h⟧\n\nimage:⟦a.svg⟧[link=⟦{home}/x⟧] image:⟦b.svg⟧[link={unknown}/x] video::⟦c.mp4⟧[poster=⟦d.png⟧] image:⟦e.svg⟧[uplink=no] link:⟦f⟧[link=no]\n", []string{
			"url http://h", "image: a.svg", "image link: http://h/x", "image: b.svg", "video: c.mp4", "video poster: d.png", "image: e.svg", "link: f",
		}},
		{":imagesdir: i\n\nimage:⟦a.svg⟧[link=⟦a.svg⟧]\n", []string{"image: i/a.svg", "image link: a.svg"}},
	})
}

// Blocks of code hold no links, but they may include files. A title may be underlined.
func TestAsciiDocBlocks(t *testing.T) {
	hold(t, Asciidoc, Options{SkipCode: true}, []marked{
		{"----\ninclude::⟦a.rb⟧[tag=x]\nlink:no[]\n include::no[]\n----\n\n////\ninclude::no[]\n////\n// include::no[]\n", []string{"include: a.rb"}},
		{"Title\n-----\n\nlink:⟦a⟧[]\n\nOther\n+++++\n\nlink:⟦b⟧[]\n", []string{"link: a", "link: b"}},
		{"[listing]\n--\nlink:no[]\n\nlink:no[]\n--\n\nlink:⟦a⟧[]\n\n[,ruby]\nlink:no[]\n\n* b\n+\n link:no[]\n", []string{"link: a"}},
	})
}

// A cross reference to another document needs the macro xref or "#". In <<…>> a name is an id of this document.
func TestAsciiDocXrefs(t *testing.T) {
	hold(t, Asciidoc, Options{}, []marked{
		{"<<⟦a.adoc⟧>> <<⟦a.adoc#⟧>> <<⟦a#b⟧>> <<⟦#c⟧>> xref:⟦a.adoc⟧[] xref:⟦d.html⟧[] xref:⟦e⟧[] xref:⟦f#⟧[] <<!no>> <<⟦g.html#h⟧>>\n", []string{
			"xref: #a.adoc", "xref: a.adoc", "xref: a.adoc#b", "xref: #c", "xref: a.adoc", "xref: d.html", "xref: #e", "xref: f.adoc", "xref: g.html#h",
		}},
	})
}

// The links in both branches of a condition are read, but an attribute is set only in the branch that is taken.
func TestAsciiDocConditions(t *testing.T) {
	hold(t, Asciidoc, Options{SkipCode: true}, []marked{
		{":b: a\nifdef::env-github[]\n:b: no\nlink:⟦x⟧[]\nendif::[]\nifndef::env-github[:l: link:]\n\nlink:⟦{b}⟧[] ⟦{l}c⟧[d]\n", []string{"link: x", "link: a", "link: c"}},
		{"ifdef::no,b[:u: http://no/]\nifdef::docname+asciidoctor[:u: http://h/]\nifeval::[1 > 2]\nendif::[]\nendif::[]\n\n⟦{u}⟧[a]\n", []string{"link: http://h/"}},
	})
}

// The text of a link has images, and no links. A list of attributes ends a paragraph of literal text.
func TestAsciiDocNested(t *testing.T) {
	hold(t, Asciidoc, Options{SkipCode: true}, []marked{
		{"link:⟦a⟧[b link:no[c] xref:⟦d⟧[e] link:⟦f⟧[image:⟦g⟧[] link:no[h] link:⟦i⟧[]\n", []string{"link: a", "xref: #d", "link: f", "image: g", "link: i"}},
		{" link:no[]\n[[x]]\nlink:⟦a⟧[]\n", []string{"link: a"}},
		{"+c\n+++<a href=⟦d⟧>+++ +e ++link:no[]++\n", []string{"a href: d"}},
	})
}

// Asciidoctor formats text before it finds URLs, so the mark that ends formatted text ends the URL, too.
func TestFormattedURLs(t *testing.T) {
	hold(t, Asciidoc, Options{}, []marked{
		{"_⟦http://h/a_b⟧_ __⟦http://h/⟧__ #⟦http://h/#x⟧# ~⟦http://h/⟧~ (_⟦http://h/a⟧_). _⟦http://h/b⟧_, x", []string{
			"link: http://h/a_b", "link: http://h/", "link: http://h/#x", "link: http://h/", "link: http://h/a", "link: http://h/b",
		}},
		{"⟦http://h/a_⟧ x_⟦http://h/b⟧", []string{"url http://h/a_", "url http://h/b"}},
	})
}

// The marks around a passthrough do not belong to the URL in it.
func TestAsciiDocPassthroughMarks(t *testing.T) {
	hold(t, Asciidoc, Options{}, []marked{
		{"+⟦http://h/a⟧+ ++⟦http://h/b⟧++ `+⟦http://h/c⟧+` $$⟦http://h/d⟧$$ x ⟦http://h/e+⟧ ⟦http://h/f⟧[g] +++⟦http://h/i⟧+++\n", []string{
			"url http://h/a", "url http://h/b", "url http://h/c", "url http://h/d", "url http://h/e+", "link: http://h/f", "url http://h/i",
		}},
	})
}
