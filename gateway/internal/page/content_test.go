package page_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"locus/access"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/bibliography"
	"locus/internal/marc"
)

func TestViewer(t *testing.T) {
	for _, test := range []struct {
		mediaType, viewer string
		embedded, shown   bool
	}{
		{"text/plain; charset=utf-8", "text", false, true},
		{"TEXT/Plain", "text", false, true},
		{"text/html", "", false, true},
		{"text/x-go", "text", false, false},
		{"application/json", "text", false, false},
		{"application/ld+json", "text", false, false},
		{"application/xml", "text", false, false},
		{"application/javascript", "text", false, false},
		{"application/marc", "records", false, false},
		{"application/marcxml+xml", "text", false, false},
		{"application/pdf", "", false, false},
		{"application/octet-stream", "", false, false},
		{"image/svg+xml", "image", true, true},
		{"audio/mpeg", "audio", true, true},
		{"video/mp4", "video", true, true},
		{"", "", false, true},
	} {
		base, _, _ := strings.Cut(strings.ToLower(test.mediaType), ";")
		if viewer, embedded, shown := page.Viewer(test.mediaType), page.IsEmbedded(test.mediaType), page.IsShown(base); viewer != test.viewer || embedded != test.embedded || shown != test.shown {
			t.Errorf("%q: Viewer = %q, IsEmbedded = %v, IsShown = %v, want %q, %v, %v", test.mediaType, viewer, embedded, shown, test.viewer, test.embedded, test.shown)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, test := range []struct{ mediaType, charset, start, want string }{
		{"", "", "plain text\r\n\x1b[m", "text/plain; charset=utf-8"},
		{"", "", "é", "text/plain; charset=utf-8"},
		{"", "", "a\x00b", "application/byte-stream"},
		{"", "", "\xff\xfe", "application/byte-stream"},
		{"", "", "", "application/byte-stream"},
		{"text/plain", "", "\xe9", "text/plain; charset=iso-8859-1"},
		{"text/plain", "koi8-r", "\xe9", "text/plain; charset=koi8-r"},
		{"text/plain", "koi8-r", "é", "text/plain; charset=utf-8"},
		{"text/plain", "", "", "text/plain"},
		{"text/plain; charset=latin1", "koi8-r", "é", "text/plain; charset=latin1"},
		{"image/png", "", "text", "image/png"},
		{"application/octet-stream", "", "text", "application/octet-stream"},
	} {
		if got := page.Sniff(test.mediaType, test.charset, []byte(test.start)); got != test.want {
			t.Errorf("Sniff(%q, %q, %q) = %q, want %q", test.mediaType, test.charset, test.start, got, test.want)
		}
	}
}

func TestReadText(t *testing.T) {
	for _, test := range []struct {
		mediaType, charset, body string
		most                     int64
		want                     string
		cut                      bool
	}{
		{"text/plain", "", "text", 4, "text", false},
		{"text/plain", "", "text", 3, "tex", true},
		{"text/plain", "", "é", 1, "", true}, // a character is not cut
		{"text/plain; charset=koi8-r", "", "\xc1", 9, "а", false},
		{"text/plain; charset=unknown", "koi8-r", "\xc1", 9, "а", false},
		{"text/plain", "koi8-r", "é", 9, "é", false},
		{"text/plain", "", "\xe9\x80", 9, "é€", false},
		{"", "", "", 9, "", false},
	} {
		got, cut, err := page.Links{Charset: test.charset}.ReadText(test.mediaType, strings.NewReader(test.body), test.most)
		if got != test.want || cut != test.cut || err != nil {
			t.Errorf("ReadText(%q, %q, %d) with %q = %q, %v, %v, want %q, %v", test.mediaType, test.body, test.most, test.charset, got, cut, err, test.want, test.cut)
		}
	}
	got, _, err := page.Links{}.ReadText("", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), 9)
	if got != "half" || err != io.ErrUnexpectedEOF {
		t.Errorf("ReadText of a text that breaks off = %q, %v", got, err)
	}
}

// WholeCharacters removes at most one incomplete character, and only that.
func FuzzWholeCharacters(f *testing.F) {
	for _, seed := range []string{"", "text", "é", "a\xc3", "漢\xe6\xbc", "\xf0\x9f\x98", "\xff", "a\xffé", "\x80\x80\x80\x80\x80"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := page.WholeCharacters(text)
		if !strings.HasPrefix(string(text), string(got)) || len(text)-len(got) >= utf8.UTFMax {
			t.Fatalf("WholeCharacters(%q) = %q", text, got)
		}
		if utf8.Valid(text) && len(got) != len(text) {
			t.Errorf("WholeCharacters(%q) = %q, want the whole text", text, got)
		}
		for n := 1; n < utf8.UTFMax; n++ { // a valid text that is cut in its last character
			if whole := string(text) + "漢"[:n%3]; utf8.Valid(text) && n%3 != 0 && string(page.WholeCharacters([]byte(whole))) != string(text) {
				t.Errorf("WholeCharacters(%q) = %q, want %q", whole, page.WholeCharacters([]byte(whole)), text)
			}
		}
	})
}

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
	const message = "From: =?utf-8?q?Ad=C3=A1?= <ada@h>\r\nSubject: =?utf-8?b?PGI+SGk=?=\r\nNewsgroups: misc.test, b.c\r\nMessage-ID: <1@h>\r\nReferences: <0@h>\r\n" +
		"X-Hidden: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n" +
		"--B\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>\r\n" +
		"--B\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nna=EFve <b> ftp://h/x\r\n--B--\r\n"
	m, mistake, err := page.ReadMail(strings.NewReader(message))
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
		m, mistake, err := page.ReadMail(strings.NewReader(test.message))
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
	m := page.GatherMail(entries)
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

// catalogued returns a MARC record with a title.
func catalogued(t *testing.T, title string) string {
	t.Helper()
	r := marc.Record{Fields: []marc.Field{{Tag: "001", Value: "1"}, {Tag: "245", Indicators: "00", Subfields: []marc.Subfield{{Code: "a", Value: title}}}}}
	text, err := r.ISO2709()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The error of a record is a mistake. Only an error of the gateway itself fails.
func TestReadBibliography(t *testing.T) {
	book := catalogued(t, "Charts")
	full := refuse.New(503, "the gateway is busy", "")
	for _, test := range []struct {
		name     string
		body     io.Reader
		records  int
		mistakes int
		cut      bool
		err      error
	}{
		{"two records", strings.NewReader(book + book), 2, 0, false, nil},
		{"a record that is cut off", strings.NewReader(book + book[:40]), 1, 1, false, nil},
		{"a body that breaks off", io.MultiReader(strings.NewReader(book), iotest.ErrReader(io.ErrUnexpectedEOF)), 1, 1, false, nil},
		{"too little memory", io.MultiReader(strings.NewReader(book), iotest.ErrReader(full)), 1, 0, false, full},
		{"a hundred", strings.NewReader(strings.Repeat(book, 100)), 100, 0, false, nil},
		{"more than a hundred", strings.NewReader(strings.Repeat(book, 101)), 100, 0, true, nil},
	} {
		b, mistakes, err := page.ReadBibliography("application/marc; x=y", test.body)
		if len(b.Descriptions) != test.records || len(mistakes) != test.mistakes || b.Cut != test.cut || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: %d records, mistakes %v, cut %v, %v, want %d, %d mistakes, %v, %v", test.name, len(b.Descriptions), mistakes, b.Cut, err, test.records, test.mistakes, test.cut, test.err)
		}
	}
	if _, _, err := page.ReadBibliography("text/plain", strings.NewReader(book)); err == nil {
		t.Error("ReadBibliography reads text/plain")
	}
}

// The page of one record has its title. The page of several records has the name of the file.
func TestRecordsPage(t *testing.T) {
	record := func(title string) bibliography.Description {
		return bibliography.Description{Title: title, Fields: []bibliography.Field{{Name: "Author", Value: "Ada <ada@h>"}}, Problems: []string{"one <mistake>"}}
	}
	for _, test := range []struct {
		shown  page.Bibliography
		title  string
		titles []string
		facts  string
	}{
		{page.Bibliography{Descriptions: []bibliography.Description{record("The <sea>")}, Size: -1}, "The <sea>", []string{}, ""},
		{page.Bibliography{Descriptions: []bibliography.Description{record("One"), record("Two")}, Size: 2000}, "x.mrc", []string{"One", "Two"}, "Records2Size2.0 kB"},
		{page.Bibliography{Descriptions: []bibliography.Description{record("One")}, Size: -1, Cut: true, Problem: "<it>"}, "x.mrc", []string{"One"}, "Recordsthe first 1"},
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
	f.Fuzz(func(t *testing.T, text string) {
		plain, shown := shapes(t, "word"), shapes(t, text)
		for name, elements := range shown {
			for _, e := range elements {
				if !slices.Contains(plain[name], e) && e != "a href" { // a text may have a URL
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
		g := page.Gather(&list{[]access.Entry{e, entry(access.Failure, text, "", "")}, io.EOF}, page.Display{}, 10, free)
		for kind, c := range map[string]templ.Component{
			"failed":  page.Failed(l, page.Failure{Title: text, Text: text, Hint: text, Status: "404", Ways: []page.Way{{Title: text, URL: e.URL}}}),
			"confirm": page.Confirm(l, text, "C"),
			"listing": page.Listing(l, page.List{Gathering: g, Rows: 10, Problem: text, Display: page.Display{Filter: text}}),
			"view":    page.View(l, page.Content{Kind: "text", Entry: e, Text: text, Problem: text}),
			"message": page.Message(l, page.Mail{Header: map[string][]string{"Subject": {text}, "Organization": {text}}, Text: text, Problem: text}),
			"records": page.Records(l, page.Bibliography{Descriptions: []bibliography.Description{{Title: text, Fields: []bibliography.Field{{Name: text, Value: text}}, Problems: []string{text}}, {}}, Problem: text, Size: -1}),
			"form":    page.Form(l, &access.Questions{Title: text, Items: []access.Question{{Prompt: text, Default: text}, {Kind: access.AskChoice, Prompt: text, Choices: []string{text}}, {Kind: access.AskText, Default: text}}}),
			"about":   page.About(l, e, text),
			"front":   page.Front(page.Links{Origin: l.Origin, Proxied: l.Proxied}, []page.FrontLink{{Group: text, Title: text, URL: e.URL, About: text}}),
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
