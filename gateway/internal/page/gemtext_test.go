package page_test

import (
	"strings"
	"testing"

	"locus/gateway/internal/content"
	"locus/gateway/internal/page"
)

func TestGemtext(t *testing.T) {
	const text = "# Tea & <pots>\n\nIt is hot.\nIt is green.\n## Kinds\n* green\n* <b>black</b>\n> A quote\n```A \"pot\"\n\n  _<_\n```\n### Links\n" +
		"=> leaves.gmi Leaves\n=> gopher://g/1/x A hole\n=> gemini://other/\n=> gemini://other/ Another\n=> mailto:a@h Write\n=> telnet://h Talk\n=> http://[ Broken\n=>\n=> javascript:alert(1) Script\n"
	l := at("gemini://h/tea/")
	root := parsed(t, page.Gemtext(l, content.Gemtext{Text: text, Language: `en"><b>`, Cut: true, Problem: "it <broke>"}))
	article := one(t, root, "article.gemtext")
	for _, test := range []struct {
		selector string
		want     []string
	}{
		{"h1", []string{"Tea & <pots>"}},
		{"h2", []string{"Kinds"}},
		{"h3", []string{"Links"}},
		{"p.note", []string{"The page is incomplete: it <broke>", "This page shows only the beginning. Show the whole text."}},
		{"blockquote", []string{"A quote"}},
		{"figcaption", []string{`A "pot"`}},
	} {
		got := texts(root, test.selector)
		if !equal(got, test.want) {
			t.Errorf("%s has %q, want %q", test.selector, got, test.want)
		}
	}
	if got := attr(article, "lang"); got != `en"><b>` {
		t.Errorf("the language is %q", got)
	}
	if got := one(t, article, "pre").FirstChild.Data; got != "\n  _<_" {
		t.Errorf("the preformatted text is %q", got)
	}
	if got := texts(article, "li"); !equal(got, []string{
		"green", "<b>black</b>", "Leaves", "A hole (gopher)", "gemini://other/", "Another (other)", "Write (mailto)", "Talk (terminal)",
		"Broken (not a valid link)", "(not a valid link)", "Script (javascript)",
	}) {
		t.Errorf("the items are %q", got)
	}
	if got := links(article); !equal(got, []string{
		"Leaves → /gemini://h/tea/leaves.gmi", "A hole → /gopher://g/1/x", "gemini://other/ → /gemini://other/", "Another → /gemini://other/", "Write → /mailto:a@h",
		"Talk → /telnet://h", "Script → /javascript:alert(1)",
	}) {
		t.Errorf("the links are %q", got)
	}
	l.Proxied = true
	if got := links(one(t, parsed(t, page.Gemtext(l, content.Gemtext{Text: text})), "article")); strings.Contains(strings.Join(got, " "), "javascript:") {
		t.Errorf("the page for the client of a proxy has a script: %q", got)
	}
}

// A document that does not begin with a heading has the title of its URL, and its headings are below that title.
func TestGemtextWithoutTitle(t *testing.T) {
	root := parsed(t, page.Gemtext(at("gemini://h/tea/leaves.gmi"), content.Gemtext{Text: "text\n# Tea\n## Pots\n### Lids"}))
	for _, test := range []struct{ selector, want string }{{"h1", "leaves.gmi"}, {"h2", "Tea"}, {"h3", "Pots"}, {"h4", "Lids"}} {
		if got := texts(root, test.selector); !equal(got, []string{test.want}) {
			t.Errorf("%s has %q, want %q", test.selector, got, test.want)
		}
	}
}
