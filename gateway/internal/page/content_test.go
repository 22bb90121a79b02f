package page_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/page"
	"locus/internal/bibliography"
)

func TestView(t *testing.T) {
	e := access.Entry{Type: "text/plain", Size: 2048, ModTime: time.Date(1994, 12, 1, 2, 3, 0, 0, time.UTC)}
	root := parsed(t, page.View(at("ftp://h/d/x%20y"), page.Content{Kind: "text", Entry: e, Text: "a <b> & ftp://h/z\n\tsee <1@h>\x1b[31m", Cut: true, Problem: "it <broke>"}))
	pre := one(t, root, "pre")
	if got, want := textOf(pre), "a <b> & ftp://h/z see <1@h>[31m"; strings.ReplaceAll(got, "\u241b", "") != want && !strings.HasPrefix(got, "a <b> & ftp://h/z see <1@h>") || strings.Contains(got, "\x1b") {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if got := links(pre); !slices.Contains(got, "ftp://h/z → /ftp://h/z") {
		t.Errorf("the text has the links %q", got)
	}
	if got, want := texts(root, "p.note"), []string{"The text is incomplete: it <broke>", "This page shows only the beginning. Show the whole text."}; !equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
	want := []string{
		"Previous → /-/beside?step=previous&in=ftp%3A%2F%2Fh%2Fd%2F&url=ftp%3A%2F%2Fh%2Fd%2Fx%2520y",
		"Next → /-/beside?step=next&in=ftp%3A%2F%2Fh%2Fd%2F&url=ftp%3A%2F%2Fh%2Fd%2Fx%2520y",
		"View source → /-/raw?url=ftp%3A%2F%2Fh%2Fd%2Fx%2520y",
		"Download → /-/download?url=ftp%3A%2F%2Fh%2Fd%2Fx%2520y",
		"Details → /-/about?url=ftp%3A%2F%2Fh%2Fd%2Fx%2520y",
	}
	if got := links(one(t, root, "nav.tools")); !equal(got, want) {
		t.Errorf("the tools are %q, want %q", got, want)
	}
	for _, test := range []struct{ kind, element string }{{"image", "img"}, {"audio", "audio"}, {"video", "video"}} {
		root := parsed(t, page.View(at("ftp://h/d/x"), page.Content{Kind: test.kind, Entry: e}))
		if got := attr(one(t, one(t, root, "main"), test.element), "src"); got != "/ftp://h/d/x" {
			t.Errorf("the page of kind %s embeds %q", test.kind, got)
		}
		if len(find(root, "pre")) > 0 {
			t.Errorf("the page of kind %s has a text", test.kind)
		}
	}
}

// A field of a form has the label, the default and the kind of its question. A form with a file is
// sent in parts.
func TestFormPage(t *testing.T) {
	for _, test := range []struct {
		question access.Question
		want     string // "element type name value", and the choices
	}{
		{access.Question{Kind: access.AskLine, Default: `"><b>`}, `input  q0 "><b>`},
		{access.Question{Kind: access.AskPassword, Default: "never"}, "input password q0 "},
		{access.Question{Kind: access.AskText, Default: "</textarea>"}, "textarea  q0 </textarea>"},
		{access.Question{Kind: access.AskChoice, Default: "b", Choices: []string{"a", "b", "<c>"}}, "select  q0 a *b <c>"},
		{access.Question{Kind: access.AskSelect, Default: "1"}, "input checkbox q0 1 checked"},
		{access.Question{Kind: access.AskSelect, Default: "0"}, "input checkbox q0 1"},
		{access.Question{Kind: access.AskFile}, "input file q0 "},
		{access.Question{Kind: access.AskSave, Default: "kept.txt"}, "input  q0 "},
		{access.Question{Kind: access.AskNote}, ""},
	} {
		test.question.Prompt = "Your <name>"
		root := parsed(t, page.Form(at("gopher://h/0ask"), &access.Questions{Title: "A <form>", Items: []access.Question{test.question}}))
		form := one(t, root, "form.ask")
		if got := textOf(one(t, root, "h1")); got != "A <form>" {
			t.Errorf("%+v: the title is %q", test.question, got)
		}
		if attr(form, "action") != "/gopher://h/0ask" || attr(form, "method") != "post" || (attr(form, "enctype") == "multipart/form-data") != (test.question.Kind == access.AskFile) {
			t.Errorf("%+v: the form is %v", test.question, form.Attr)
		}
		if !strings.HasPrefix(textOf(form), "Your <name>") {
			t.Errorf("%+v: the form has the text %q", test.question, textOf(form))
		}
		got := ""
		for _, field := range find(form, "[name=q0]") {
			got += field.Data + " " + attr(field, "type") + " " + attr(field, "name") + " " + attr(field, "value")
			if _, isChecked := lookup(field, "checked"); isChecked {
				got += " checked"
			}
			if field.Data == "textarea" {
				got += textOf(field)
			}
			for i, option := range find(field, "option") {
				if got += strings.Repeat(" ", min(i, 1)); len(find(option.Parent, "option[selected]")) == 1 && option == find(option.Parent, "option[selected]")[0] {
					got += "*"
				}
				got += textOf(option)
			}
		}
		if got != test.want {
			t.Errorf("%+v: the field is %q, want %q", test.question, got, test.want)
		}
	}
}

// The page of an article decodes its header, links to newsgroups, articles and addresses, and shows
// the first plain text.
func TestMessagePage(t *testing.T) {
	const message = "From: =?utf-8?q?Ad=C3=A1?= <ada@h>\r\nSubject: =?UTF-8*en?B?PGI+SGk=?=\r\nNewsgroups: misc.test, b.c\r\nMessage-ID: <1@h>\r\nReferences: <0@h>\r\n" +
		"X-Hidden: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n" +
		"--B\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>\r\n" +
		"--B\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nna=EFve <b> ftp://h/x\r\n--B--\r\n"
	m, mistake, err := content.ReadMail(strings.NewReader(message))
	if err != nil || mistake != nil {
		t.Fatalf("ReadMail: %v, %v", mistake, err)
	}
	root := parsed(t, page.Message(at("news:1@h"), m))
	if got := textOf(one(t, root, "h1")); got != "<b>Hi" {
		t.Errorf("the title is %q", got)
	}
	if got, want := textOf(one(t, root, "pre")), "naïve <b> ftp://h/x"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	main := one(t, root, "article")
	if got, want := texts(main, "dt"), []string{"From", "Newsgroups", "References", "Message-Id"}; !equal(got, want) {
		t.Errorf("the fields are %q, want %q", got, want)
	}
	want := []string{"ada@h → /mailto:ada@h", "misc.test → /news:misc.test", "b.c → /news:b.c", "0@h → /news:0@h", "1@h → /news:1@h", "b → /news:b", "ftp://h/x → /ftp://h/x"}
	if got := links(main); !equal(got, want) {
		t.Errorf("the links are %q, want %q", got, want)
	}
	for _, test := range []struct {
		name, message string
		text          string
		mistake, err  bool
	}{
		{"plain", "Subject: x\r\n\r\ntext\r\n", "text\r\n", false, false},
		{"without a text", "Content-Type: text/html\r\n\r\n<b>", "", false, false},
		{"base64", "Content-Transfer-Encoding: base64\r\n\r\ndGV4dA==", "text", false, false},
		{"base64 that breaks off", "Content-Transfer-Encoding: base64\r\n\r\ndGV4d", "tex", true, false},
		{"an unknown charset", "Content-Type: text/plain; charset=none\r\n\r\ntext", "text", false, false},
		{"a part without an end", "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nhalf", "half", true, false},
		{"parts without a text and without an end", "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/html\r\n\r\nx", "", false, false},
		{"parts in parts without an end", strings.Repeat("Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n", 20), "", false, false},
		{"not a message", "no header\r\n\r\n", "", false, true},
		{"an empty one", "", "", false, true},
	} {
		m, mistake, err := content.ReadMail(strings.NewReader(test.message))
		if m.Text != test.text || (mistake != nil) != test.mistake || (err != nil) != test.err {
			t.Errorf("%s: ReadMail = %q, %v, %v, want %q, a mistake: %v, an error: %v", test.name, m.Text, mistake, err, test.text, test.mistake, test.err)
		}
	}
}

// GatherMail takes the lines up to the first that is not a field for the header.
func TestGatherMail(t *testing.T) {
	var entries []access.Entry
	for _, line := range []string{"subject: a: b", "From: ada@h", "", "Note: this is text", "end"} {
		entries = append(entries, entry(access.Info, line, "", ""))
	}
	entries = append(entries, entry(access.Object, "part <1>", "mid:1@h/2@h", "image/png"))
	m := content.GatherMail(entries)
	if m.Header.Get("Subject") != "a: b" || m.Header.Get("From") != "ada@h" || len(m.Header) != 2 || m.Text != "Note: this is text\nend\n" || len(m.Parts) != 1 {
		t.Fatalf("GatherMail = %+v", m)
	}
	m.Cut, m.Problem = true, "it <broke>"
	root := parsed(t, page.Message(at("mid:1@h"), m))
	if got, want := links(one(t, root, "ul.menu")), []string{"part <1> → /mid:1@h/2@h"}; !slices.Equal(got[:1], want) {
		t.Errorf("the parts are %q, want %q", got, want)
	}
	if got, want := texts(root, "p.note"), []string{"The message is incomplete: it <broke>", "This page shows only the beginning of the message."}; !equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}

// The page of one record has its title. The page of several records has the name of the file.
func TestRecordsPage(t *testing.T) {
	record := func(title string) bibliography.Description {
		return bibliography.Description{Title: title, Fields: []bibliography.Field{{Name: "Author", Value: "Ada <ada@h>"}}, Problems: []string{"one <mistake>"}}
	}
	for _, test := range []struct {
		shown  content.Bibliography
		title  string
		titles []string
		facts  string
	}{
		{content.Bibliography{Descriptions: []bibliography.Description{record("The <sea>")}, Size: -1}, "The <sea>", []string{}, ""},
		{content.Bibliography{Descriptions: []bibliography.Description{record("One"), record("Two")}, Size: 2000}, "x.mrc", []string{"One", "Two"}, "Records2Size2.0 kB"},
		{content.Bibliography{Descriptions: []bibliography.Description{record("One")}, Size: -1, Cut: true, Problem: "<it>"}, "x.mrc", []string{"One"}, "Recordsthe first 1"},
	} {
		root := parsed(t, page.Records(at("ftp://h/d/x.mrc"), test.shown))
		if got := textOf(one(t, root, "h1")); got != test.title {
			t.Errorf("%d records: the title is %q, want %q", len(test.shown.Descriptions), got, test.title)
		}
		if got := texts(root, "h2"); !equal(got, test.titles) {
			t.Errorf("%d records: the titles are %q, want %q", len(test.shown.Descriptions), got, test.titles)
		}
		articles := find(root, "article.record")
		if len(articles) != len(test.shown.Descriptions) || !strings.HasSuffix(textOf(articles[0]), "AuthorAda <ada@h>one <mistake>") {
			t.Errorf("%d records: the page has %d: %s", len(test.shown.Descriptions), len(articles), outline(root))
		}
		facts := ""
		for _, dl := range find(root, "dl.facts") {
			if dl.Parent.Data == "main" {
				facts += textOf(dl)
			}
		}
		if facts != test.facts {
			t.Errorf("%d records: the facts are %q, want %q", len(test.shown.Descriptions), facts, test.facts)
		}
		if notes := strings.Join(texts(root, "p.note"), " "); strings.Contains(notes, "only the beginning") != test.shown.Cut || strings.Contains(notes, "could not be read: <it>") != (test.shown.Problem != "") {
			t.Errorf("%d records: the notes are %q", len(test.shown.Descriptions), notes)
		}
	}
}

func TestAsSentence(t *testing.T) {
	for _, test := range []struct{ text, want string }{{"the end", "The end."}, {"über", "Über."}} {
		if got := page.AsSentence(test.text); got != test.want {
			t.Errorf("AsSentence(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// Every page escapes the texts of strangers, for a browser at the gateway and for the client of a
// proxy: they do not make an element, an attribute, or a link that a browser would run.
func FuzzHostileText(f *testing.F) {
	for _, seed := range []string{"word", `"><script>alert(1)</script>`, `x" onload="alert(1)`, "</title></pre></textarea></select><iframe src=javascript:alert(1)>", "javascript:alert(1)", "a\x00b\u202e", "<!--", "&lt;b&gt;", "ftp://h/<script>"} {
		f.Add(seed)
	}
	var once sync.Once
	var plain, empty map[string][]string
	f.Fuzz(func(t *testing.T, text string) {
		once.Do(func() { plain, empty = shapes(t, "word"), shapes(t, "") })
		for name, elements := range shapes(t, text) {
			for _, e := range elements {
				if !slices.Contains(plain[name], e) && !slices.Contains(empty[name], e) && e != "a href" { // a text may have a URL
					t.Errorf("%s with %q has the element %s", name, text, e)
				}
			}
		}
	})
}

// shapes returns the names of elements with their attributes, by page. Every page shows a text.
func shapes(t *testing.T, text string) map[string][]string {
	t.Helper()
	e := entry(access.Object, text, "ftp://h/d/x", "text/plain")
	e.Header = access.Header{{Name: text, Value: text}, {Name: "Note", Value: text}}
	found := map[string][]string{}
	for name, l := range map[string]page.Links{"browser": at("ftp://h/d/"), "proxy": {URL: at("ftp://h/d/").URL, Proxied: true, Origin: "http://gate"}} {
		l.Typed = text
		g := content.Gather(&list{[]access.Entry{e, entry(access.Failure, text, "", "")}, io.EOF}, content.Display{}, 10, free)
		for kind, c := range map[string]templ.Component{
			"failed":  page.Failed(l, page.Failure{Title: text, Text: text, Hint: text, Status: "404", Ways: []page.Way{{Title: text, URL: e.URL}}}),
			"confirm": page.Confirm(l, text, "C"),
			"listing": page.Listing(l, page.List{Gathering: g, Rows: 10, Problem: text, Display: content.Display{Filter: text}}),
			"view":    page.View(l, page.Content{Kind: "text", Entry: e, Text: text, Problem: text}),
			"message": page.Message(l, content.Mail{Header: map[string][]string{"Subject": {text}, "Organization": {text}}, Text: text, Problem: text}),
			"records": page.Records(l, content.Bibliography{Descriptions: []bibliography.Description{{Title: text, Fields: []bibliography.Field{{Name: text, Value: text}}, Problems: []string{text}}, {}}, Problem: text, Size: -1}),
			"form":    page.Form(l, &access.Questions{Title: text, Items: []access.Question{{Prompt: text, Default: text}, {Kind: access.AskChoice, Prompt: text, Choices: []string{text}}, {Kind: access.AskText, Default: text}}}),
			"about":   page.About(l, e, text),
			"front":   page.Front(page.Links{Origin: l.Origin, Proxied: l.Proxied}, page.Start{Links: []page.FrontLink{{Group: text, Title: text, URL: e.URL, About: text}}, Places: []page.FrontLink{{Group: text, Title: text, URL: e.URL, About: text}}}),
		} {
			at := fmt.Sprintf("%s for %s", kind, name)
			for d := range parsed(t, c).Descendants() {
				if shape := strings.TrimSpace(shapeOf(d)); shape != "" && !slices.Contains(found[at], shape) {
					found[at] = append(found[at], shape)
				}
			}
		}
	}
	return found
}

// shapeOf returns the name of an element with the names of its attributes, and links that a browser
// would run as a script.
func shapeOf(n *html.Node) string {
	switch n.Type {
	case html.CommentNode:
		return "comment"
	case html.ElementNode:
	default:
		return ""
	}
	shape := n.Data
	for _, a := range n.Attr {
		shape += " " + a.Key
		if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
			shape += "=" + a.Val
		}
	}
	return shape
}
