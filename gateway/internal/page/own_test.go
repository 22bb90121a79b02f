package page_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"locus/access"
	"locus/compare"
	"locus/gateway/internal/page"
	"locus/url"
)

func equal(a, b []string) bool { return slices.Equal(a, b) }

// The front page groups its links by their headings, in the order of the first link of each group.
func TestFront(t *testing.T) {
	shown := []page.FrontLink{
		{Group: "Files", Title: "One", URL: url.MustParse("ftp://u:sesame@h/1"), About: "The first & best."},
		{Title: "Plain", URL: url.MustParse("gopher://h/")},
		{Group: "Files", Title: "Two", URL: url.MustParse("ftp://h/2")},
	}
	places := []page.FrontLink{
		{Group: "Gopher", Title: "Hole", URL: url.MustParse("gopher://g/"), About: "Deep."}, {Group: "FTP", Title: "Mirror", URL: url.MustParse("ftp://f/")},
	}
	root := parsed(t, page.Front(page.Links{Ticket: ticket}, page.Start{Links: shown, Places: places}))
	if got, want := texts(root, "h2"), []string{"Files", "Bookmarks", "Recent places", "Places to visit", "Tools"}; !equal(got, want) {
		t.Errorf("the front page has the headings %q, want %q", got, want)
	}
	lists := find(root, "ul.places")
	if got, want := texts(lists[0], "li"), []string{"One ftp://u:xxxxx@h/1 The first & best.", "Two ftp://h/2"}; !equal(got, want) {
		t.Errorf("the first group is %q, want %q", got, want)
	}
	if got, want := links(lists[1]), []string{"Plain → /gopher://h/"}; !equal(got, want) {
		t.Errorf("the second group has the links %q, want %q", got, want)
	}
	if got, want := texts(root, "h3"), []string{"Gopher", "FTP"}; !equal(got, want) {
		t.Errorf("the places have the headings %q, want %q", got, want)
	}
	if got, want := links(one(t, root, "section[aria-labelledby=places-title]")), []string{"Hole → /gopher://g/", "Mirror → /ftp://f/", "save this list → /-/places"}; !equal(got, want) {
		t.Errorf("the places have the links %q, want %q", got, want)
	}
	if field := one(t, root, "#url"); attr(field, "value") != "" || len(find(root, "input[autofocus]")) != 1 {
		t.Error("the field of the front page is not empty, or does not have the focus")
	}
	if got := attr(one(t, root, "input[name=ticket]"), "value"); got != "T" {
		t.Errorf("the form has the ticket %q, want T", got)
	}
	shared := parsed(t, page.Front(page.Links{Shared: true}, page.Start{}))
	if len(find(shared, "#recent")) > 0 || len(find(shared, "#bookmarks")) > 0 || len(find(shared, "script[src=/-/recent.js]")) > 0 {
		t.Errorf("the front page of a shared gateway remembers URLs:\n%s", outline(shared))
	}
	proxied := parsed(t, page.Front(page.Links{Proxied: true, Origin: "http://gate", Ticket: ticket}, page.Start{}))
	if len(find(proxied, "input[name=ticket]")) > 0 {
		t.Error("a page for the client of a proxy has a ticket, which the page of a server could use")
	}
}

func TestGuess(t *testing.T) {
	search := url.MustParse("gopher://g/7/v2/vs")
	for _, test := range []struct {
		words     string
		u, search url.URL
		want      []string
	}{
		{"lenses", url.URL{}, search, []string{"Search gopher for “lenses” → /gopher://g/7/v2/vs%09lenses"}},
		{"two words", url.URL{}, search, []string{"Search gopher for “two words” → /gopher://g/7/v2/vs%09two%20words"}},
		{"two words", url.URL{}, url.URL{}, nil},
		{"h.example/x", url.MustParse("https://h.example/x"), search, []string{"Open https://h.example/x → /https://h.example/x"}},
	} {
		root := parsed(t, page.Guess(page.Links{}, test.words, test.u, test.search))
		var got []string
		for _, list := range find(root, "ul.menu") {
			got = append(got, links(list)...)
		}
		if len(got) < len(test.want) || !equal(got[:len(test.want)], test.want) || test.want == nil && got != nil {
			t.Errorf("Guess(%q, %v, %v) offers %q, want first %q", test.words, test.u, test.search, got, test.want)
		}
		if got, want := textOf(one(t, root, "h1")), "“"+test.words+"” is not a complete URL"; got != want {
			t.Errorf("Guess(%q) has the title %q, want %q", test.words, got, want)
		}
	}
	if got := links(one(t, parsed(t, page.Guess(page.Links{}, "lenses", url.URL{}, url.URL{})), "ul.menu")); !slices.ContainsFunc(got, func(l string) bool { return strings.HasSuffix(l, " → /ftp://lenses/") }) {
		t.Errorf("Guess(lenses) offers %q, want the ftp server with that name too", got)
	}
}

// The page about a URL shows its parts without the password, and the attributes if they are known.
func TestAbout(t *testing.T) {
	l := at("ftp://u:sesame@h:2121/pub/a%20b;type=i")
	e := access.Entry{Kind: access.Object, Type: "text/plain", Size: 1234, ModTime: time.Date(1994, 12, 1, 2, 3, 0, 0, time.UTC), Header: access.Header{{Name: "Owner", Value: "<b>ada"}}}
	root := parsed(t, page.About(l, e, ""))
	facts := strings.Join(texts(root, "dl.facts"), " ")
	for _, want := range []string{"Kind", "file", "Typetext", "Size", "1234 bytes", "Changed", "1 December 1994, 02:03 UTC", "Owner", "<b>ada", "Scheme", "Host", "h", "Port", "2121", "Folders", "pub", "Name", "a b", "User name"} {
		if !strings.Contains(facts, want) {
			t.Errorf("the page about %v does not show %q: %q", l.URL, want, facts)
		}
	}
	if text := outline(root); strings.Contains(strings.ReplaceAll(text, `href="/ftp://u:sesame@h:2121/pub/a%20b;type=i"`, ""), "sesame") {
		t.Errorf("the page about a URL shows its password:\n%s", text)
	}
	if len(find(root, "p.note")) > 0 {
		t.Error("the page about a URL with attributes has a note")
	}
	rough := access.Entry{Size: -1, Rough: access.Rough{Size: 1229}}
	if facts = strings.Join(texts(parsed(t, page.About(l, rough, "")), "dl.facts"), " "); !strings.Contains(facts, "Size~1.2 kB") {
		t.Errorf("the page about a resource of about 1229 bytes shows %q", facts)
	}
	root = parsed(t, page.About(l, access.Entry{Size: -1}, "it is <closed>"))
	if got, want := textOf(one(t, root, "p.note")), "The server did not give more details: it is <closed>"; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	if facts = strings.Join(texts(root, "dl.facts"), " "); strings.Contains(facts, "Size") || strings.Contains(facts, "Kind") {
		t.Errorf("the page shows attributes that are not known: %q", facts)
	}
}

// The page of an address has its fields and the URL itself, for a mail program.
func TestAddressPage(t *testing.T) {
	root := parsed(t, page.Address(at("mailto:ada@h?subject=a%20%3Cb%3E&Cc=bob@h&body=1%0D%0A2")))
	if got := attr(one(t, root, "a.go"), "href"); got != "mailto:ada@h?subject=a%20%3Cb%3E&Cc=bob@h&body=1%0D%0A2" {
		t.Errorf("the link leads to %q", got)
	}
	facts := strings.Join(texts(root, "dl.facts"), " ")
	for _, want := range []string{"ada@h", "Subjecta <b>", "Ccbob@h", "Body1 2"} {
		if !strings.Contains(facts, want) {
			t.Errorf("the page does not show %q: %q", want, facts)
		}
	}
}

// The page of a session shows a command without the password, quoted for a shell.
func TestSessionPage(t *testing.T) {
	root := parsed(t, page.Session(at("telnet://o'neil:sesame@h:2323/")))
	if got, want := textOf(one(t, one(t, root, "main"), "code")), `locus open 'telnet://o'\''neil@h:2323/'`; got != want {
		t.Errorf("the command is %s, want %s", got, want)
	}
	terminal := one(t, root, "#session")
	if got, want := attr(terminal, "data-session"), "telnet://o'neil:sesame@h:2323/"; got != want {
		t.Errorf("the script opens %q, want %q", got, want)
	}
}

func TestFailed(t *testing.T) {
	failure := page.Failure{
		Title: "“x” was not found at <h>.", Status: "404 Not Found", Text: "open ftp://h/x: 550 <b>no\x1b[31m", Hint: "It may have moved.",
		Ways: []page.Way{{Title: "Go up to <pub>", URL: url.MustParse("ftp://h/pub/")}, {Title: "See the schemes", Own: "schemes"}, {Title: "A script", URL: url.MustParse("javascript:x")}},
	}
	for _, test := range []struct {
		name  string
		links page.Links
		ways  []string
	}{
		{"a browser", at("ftp://h/pub/x"), []string{"Go up to <pub> → /ftp://h/pub/", "See the schemes → /-/schemes", "A script → /javascript:x"}},
		{
			"the client of a proxy",
			page.Links{URL: url.MustParse("ftp://h/pub/x"), Proxied: true, Origin: "http://gate"},
			[]string{"Go up to <pub> → ftp://h/pub/", "See the schemes → http://gate/-/schemes"},
		},
	} {
		root := parsed(t, page.Failed(test.links, failure))
		if got := textOf(one(t, root, "h1")); got != failure.Title {
			t.Errorf("%s: the title is %q, want %q", test.name, got, failure.Title)
		}
		if got := textOf(one(t, root, "p.hint")); got != failure.Hint {
			t.Errorf("%s: the hint is %q, want %q", test.name, got, failure.Hint)
		}
		if got := links(one(t, root, "nav.ways")); !equal(got, test.ways) {
			t.Errorf("%s: the ways are %q, want %q", test.name, got, test.ways)
		}
		if got := textOf(one(t, root, "dl.detail")); !strings.Contains(got, "550 <b>no") || strings.Contains(got, "\x1b") || !strings.Contains(got, "404 Not Found") {
			t.Errorf("%s: the details are %q", test.name, got)
		}
		if _, remembers := lookup(one(t, root, "#main"), "data-recent"); remembers {
			t.Errorf("%s: the browser remembers a failed page", test.name)
		}
		hasStyle, loads := len(find(root, "style")) > 0, len(find(root, "script[src]"))+len(find(root, "link")) > 0
		if hasStyle != test.links.Proxied || loads == test.links.Proxied {
			t.Errorf("%s: the page has its style: %v, and loads files: %v", test.name, hasStyle, loads)
		}
	}
}

// Enter in the field of the page that asks, and scripts, must not confirm it.
func TestConfirmPage(t *testing.T) {
	l := at("telnet://u:sesame@h/?a&b")
	root := parsed(t, page.Confirm(l, "A page of <another> site started this.", "C"))
	if got := textOf(one(t, root, "p.target")); got != "telnet://u:xxxxx@h/?a&b" {
		t.Errorf("the page shows the URL as %q", got)
	}
	form := one(t, root, "form.confirm")
	if got, want := attr(form, "action"), "/-/confirmed?ticket=C&url=telnet%3A%2F%2Fu%3Asesame%40h%2F%3Fa%26b"; got != want || attr(form, "method") != "post" {
		t.Errorf("the form is sent to %q by %q, want %q by post", got, attr(form, "method"), want)
	}
	if got := attr(one(t, root, "#url"), "value"); got != "" {
		t.Errorf("the field has %q", got)
	}
	if len(find(root, "script")) > 0 || len(find(root, "nav.trail")) > 0 {
		t.Errorf("the page has scripts or a trail:\n%s", outline(root))
	}
	if got := texts(root, "p"); !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(text, "A page of <another> site started this.") }) {
		t.Errorf("the page does not say why it asks: %q", got)
	}
}

func TestComparePage(t *testing.T) {
	for _, test := range []struct {
		text   string
		agreed bool
	}{
		{"http://h/a", true},
		{`http://good@evil\@h/<b>`, false},
	} {
		c := compare.Read(test.text)
		root := parsed(t, page.Compare(page.Links{}, &c))
		if got := attr(one(t, root, "#compared"), "value"); got != test.text {
			t.Errorf("Compare(%q) keeps %q in its field", test.text, got)
		}
		if got := textOf(one(t, one(t, root, "p.compared"), "code")); strings.ReplaceAll(got, " ", "") != test.text {
			t.Errorf("Compare(%q) shows %q", test.text, got)
		}
		verdict := one(t, root, "p.verdict")
		if _, alarms := lookup(verdict, "role"); alarms == test.agreed || strings.HasPrefix(textOf(verdict), "All these programs agree") != test.agreed {
			t.Errorf("Compare(%q) says %q, want agreement: %v", test.text, textOf(verdict), test.agreed)
		}
		if got := len(find(one(t, root, "tbody"), "tr")); got != len(c.Readings) {
			t.Errorf("Compare(%q) has %d rows, want %d", test.text, got, len(c.Readings))
		}
		if marked := len(find(root, "mark")); (marked == 0) != (len(c.Findings) == 0) {
			t.Errorf("Compare(%q) marks %d characters for %d findings", test.text, marked, len(c.Findings))
		}
	}
	// A value that differs from a browser's is underlined, also if only an old RFC reads it.
	c := compare.Read("http://h?x@e/")
	for i, row := range find(one(t, parsed(t, page.Compare(page.Links{}, &c)), "tbody"), "tr") {
		if odd := len(find(row, "td.odd")); (odd > 0) != (compare.Parser(i) == compare.RFC1738) {
			t.Errorf("Compare(%q) underlines %d values of %v", c.Text, odd, compare.Parser(i))
		}
	}
	root := parsed(t, page.Compare(page.Links{}, &compare.Comparison{}))
	if len(find(root, "table")) > 0 || len(find(root, "input[autofocus]")) != 1 {
		t.Errorf("the page without a text compares, or its field does not have the focus:\n%s", outline(root))
	}
}

// The gateway's own pages have the forms and links that they promise, for every kind of client.
func TestOwnForms(t *testing.T) {
	const origin = "http://gate"
	for _, test := range []struct {
		name    string
		page    func(page.Links) templ.Component
		actions []string
	}{
		{"Schemes", func(l page.Links) templ.Component { return page.Schemes(l) }, []string{"/-/open"}},
		{"Handlers", func(l page.Links) templ.Component { return page.Handlers(l) }, []string{"/-/open"}},
		{"Tools", func(l page.Links) templ.Component { return page.Tools(l, "http://gate/-/dav/ftp://h/") }, []string{"/-/open", "/-/compare", "/-/about"}},
	} {
		for _, l := range []page.Links{{Ticket: ticket}, {Origin: origin, Proxied: true}} {
			root := parsed(t, test.page(l))
			var got []string
			for _, f := range find(root, "form") {
				got = append(got, strings.TrimPrefix(attr(f, "action"), l.Origin))
			}
			if !equal(got, test.actions) {
				t.Errorf("%s of %+v has forms for %q, want %q", test.name, l, got, test.actions)
			}
			for _, a := range find(root, "a") {
				if href := attr(a, "href"); href != "#main" && !strings.HasPrefix(href, l.Origin+"/") {
					t.Errorf("%s of %+v links to %q", test.name, l, href)
				}
			}
		}
	}
}
