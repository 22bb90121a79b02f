package document

import "testing"

func TestGemtext(t *testing.T) {
	hold(t, Gemtext, Options{SkipCode: true}, []marked{
		{"# Tea ⟦http://h/heading⟧\n=> ⟦gemini://h/a⟧ A page\n=>⟦/b⟧\n=>\t⟦c.gmi⟧\tsee ⟦http://h/t⟧\r\n=> \n=>\n", []string{
			"url http://h/heading", "link: gemini://h/a", "link: /b", "link: c.gmi", "url http://h/t",
		}},
		{"```alt http://no/\n=> no\nhttp://no/\n```\n=> ⟦yes⟧\n> ⟦http://h/quote⟧\n* ⟦http://h/item⟧\n ⟦http://h/text⟧ => no\n", []string{
			"link: yes", "url http://h/quote", "url http://h/item", "url http://h/text",
		}},
		{"```\n=> never ended", nil},
		{"=>⟦>⟧ A file\n=> ⟦=⟧\n", []string{"link: >", "link: ="}}, // the URL is in the mark, too
	})
	hold(t, Gemtext, Options{}, []marked{{"```\n=> no ⟦http://h/code⟧\n```\n", []string{"url http://h/code"}}})
}
