package page_test

import (
	"errors"
	"io"
	neturl "net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/page"
)

// folder returns the entries of a folder at ftp://h/d/: a folder, a picture, and text files.
func folder() []access.Entry {
	day := func(n int) time.Time { return time.Date(1994, 12, n, 10, 30, 0, 0, time.UTC) }
	all := []access.Entry{
		entry(access.Object, "b.txt", "ftp://h/d/b.txt", "text/plain"),
		entry(access.Directory, "sub", "ftp://h/d/sub/", ""),
		entry(access.Object, "A <i>.txt", "ftp://h/d/A%20%3Ci%3E.txt", "text/plain"),
		entry(access.Object, "c.png", "ftp://h/d/c.png", "image/png"),
	}
	all[0].Size, all[0].ModTime = 1500, day(3)
	all[2].Size, all[2].ModTime = 20, day(1)
	all[3].Size, all[3].ModTime = 7, day(2)
	return all
}

// listing returns the page that shows entries at u by the query of a path.
func listing(t *testing.T, u, query string, rows int, l access.Lister) page.List {
	t.Helper()
	q, err := neturl.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	d, ok := content.ParseDisplay(q)
	if !ok {
		t.Fatalf("ParseDisplay(%q) fails", query)
	}
	d.IsDirectory = strings.HasPrefix(u, "ftp:")
	return page.List{Display: d, Gathering: content.Gather(l, d, rows, free), Rows: rows}
}

// names returns the names in the rows of a table.
func names(t *testing.T, c page.List, l page.Links) []string {
	t.Helper()
	return texts(one(t, parsed(t, page.Listing(l, c)), "tbody"), "td.name")
}

func TestListingOrder(t *testing.T) {
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"", []string{"sub", "b.txt", "A <i>.txt", "c.png"}},
		{"sort=name", []string{"sub", "A <i>.txt", "b.txt", "c.png"}},
		{"sort=-size", []string{"sub", "b.txt", "A <i>.txt", "c.png"}},
		{"folders=mixed", []string{"b.txt", "sub", "A <i>.txt", "c.png"}},
		{"folders=mixed&sort=name", []string{"A <i>.txt", "b.txt", "c.png", "sub"}},
		{"folders=mixed&sort=-name", []string{"sub", "c.png", "b.txt", "A <i>.txt"}},
		{"folders=mixed&sort=size", []string{"sub", "c.png", "A <i>.txt", "b.txt"}},
		{"folders=mixed&sort=-size", []string{"b.txt", "A <i>.txt", "c.png", "sub"}},
		{"folders=mixed&sort=-date", []string{"b.txt", "c.png", "A <i>.txt", "sub"}},
		{"folders=mixed&sort=type", []string{"c.png", "b.txt", "A <i>.txt", "sub"}},
		{"folders=first", []string{"sub", "b.txt", "A <i>.txt", "c.png"}},
		{"sort=-name&folders=first", []string{"sub", "c.png", "b.txt", "A <i>.txt"}},
		{"filter=TXT", []string{"b.txt", "A <i>.txt"}},
		{"filter=txt+i", []string{"A <i>.txt"}},
		{"sort=name&filter=t", []string{"A <i>.txt", "b.txt"}},
		{"from=2", []string{"A <i>.txt", "c.png"}},
		{"folders=mixed&sort=name&from=3", []string{"sub"}},
		{"sort=name&from=3", []string{"c.png"}},
	} {
		got := names(t, listing(t, "ftp://h/d/", test.query, 10, &list{folder(), io.EOF}), at("ftp://h/d/"))
		if !equal(got, test.want) {
			t.Errorf("the page with %q shows %q, want %q", test.query, got, test.want)
		}
	}
}

// Every column is a link that sorts by it. The column by which the page is sorted links to the
// reverse order.
func TestListingHeadings(t *testing.T) {
	const u = "&url=ftp%3A%2F%2Fh%2Fd%2F"
	for _, test := range []struct {
		query   string
		want    []string
		current string // "heading: aria-sort"
	}{
		{"", []string{"Name → /-/list?sort=name" + u, "Type → /-/list?sort=type" + u, "Size → /-/list?sort=-size" + u, "Date → /-/list?sort=-date" + u}, ""},
		{
			"sort=-size&folders=first&from=1",
			[]string{
				"Name → /-/list?sort=name&folders=first" + u, "Type → /-/list?sort=type&folders=first" + u,
				"Size → /-/list?sort=size&folders=first" + u, "Date → /-/list?sort=-date&folders=first" + u,
			},
			"Size: descending",
		},
		{"sort=name&filter=t", []string{
			"Name → /-/list?sort=-name&filter=t" + u, "Size → /-/list?sort=-size&filter=t" + u, "Date → /-/list?sort=-date&filter=t" + u,
		}, "Name: ascending"},
	} {
		root := parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", test.query, 10, &list{folder(), io.EOF})))
		head := one(t, root, "thead")
		if got := links(head); !equal(got, test.want) {
			t.Errorf("the page with %q has the headings %q, want %q", test.query, got, test.want)
		}
		current := ""
		for _, th := range find(head, "th[aria-sort]") {
			current += textOf(th) + ": " + attr(th, "aria-sort")
		}
		if current != test.current {
			t.Errorf("the page with %q is sorted by %q, want %q", test.query, current, test.current)
		}
	}
}

// The links to other pages lead through the whole listing in both directions.
func TestListingPages(t *testing.T) {
	const u = "&url=ftp%3A%2F%2Fh%2Fd%2F"
	for _, test := range []struct {
		query   string
		want    []string
		summary string
	}{
		{"", []string{"Next page → /-/list?from=2" + u}, "1 to 2, and there are more"},
		{"from=2", []string{"Previous page → /ftp://h/d/"}, "3 to 4 of 4 items: 1 folder, 3 files, 1.5 kB"},
		{"from=1", []string{"Previous page → /ftp://h/d/", "Next page → /-/list?from=3" + u}, "2 to 3, and there are more"},
		{"sort=name", []string{"Next page → /-/list?sort=name&from=2" + u}, "1 to 2 of 4 items: 1 folder, 3 files, 1.5 kB"},
		{"sort=name&from=3", []string{"Previous page → /-/list?sort=name&from=1" + u}, "4 to 4 of 4 items: 1 folder, 3 files, 1.5 kB"},
		{"filter=t&from=1", []string{"Previous page → /-/list?filter=t" + u}, "2 to 2 of 2 files, 1.5 kB with “t” in the name"},
		{"filter=sub", nil, "1 folder with “sub” in the name"},
		{"filter=none", nil, "0 items with “none” in the name"},
	} {
		root := parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", test.query, 2, &list{folder(), io.EOF})))
		var got []string
		for _, nav := range find(root, "nav.pages") {
			got = append(got, links(nav)...)
		}
		if !equal(got, test.want) {
			t.Errorf("the page with %q links to %q, want %q", test.query, got, test.want)
		}
		if got := textOf(one(t, root, "#summary")); got != test.summary {
			t.Errorf("the page with %q has the summary %q, want %q", test.query, got, test.summary)
		}
	}
}

// The form that filters keeps the order, and starts at the first page.
func TestListingFilter(t *testing.T) {
	root := parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", "sort=-size&folders=first&filter=%22%3Cb&from=1", 10, &list{folder(), io.EOF})))
	form := one(t, root, "form.filter")
	var got []string
	for _, field := range find(form, "input") {
		got = append(got, attr(field, "name")+"="+attr(field, "value"))
	}
	if want := []string{"sort=-size", "folders=first", "url=ftp://h/d/", `filter="<b`}; !equal(got, want) || attr(form, "action") != "/-/list" {
		t.Errorf("the form sends %q to %s, want %q to /-/list", got, attr(form, "action"), want)
	}
	if got, want := links(form), []string{"Show all → /-/list?sort=-size&folders=first&url=ftp%3A%2F%2Fh%2Fd%2F"}; !equal(got, want) {
		t.Errorf("the form has the links %q, want %q", got, want)
	}
	for _, test := range []struct {
		entries int
		filters bool
	}{{8, false}, {9, true}} {
		entries := slices.Repeat(folder()[:1], test.entries)
		root := parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", "", 10, &list{entries, io.EOF})))
		if got := len(find(root, "form.filter")) > 0; got != test.filters {
			t.Errorf("a page of %d entries has a filter: %v, want %v", test.entries, got, test.filters)
		}
	}
}

// Only a folder can be downloaded as an archive. A listing with folders and files, or with pictures,
// offers other views.
func TestListingChoices(t *testing.T) {
	const u = "url=ftp%3A%2F%2Fh%2Fd%2F"
	files := folder()
	for _, test := range []struct {
		url, query string
		entries    []access.Entry
		want       []string
	}{
		{"ftp://h/d/", "", files, []string{
			"Folders first → /-/list?folders=mixed&" + u, "Table → /ftp://h/d/", "Pictures → /-/list?view=grid&" + u,
			"zip → /-/archive?format=zip&" + u, "tar → /-/archive?format=tar&" + u,
		}},
		{"ftp://h/d/", "view=grid&folders=first", files, []string{
			"Folders first → /-/list?folders=mixed&view=grid&" + u, "Table → /-/list?folders=first&" + u, "Pictures → /-/list?folders=first&view=grid&" + u,
			"zip → /-/archive?format=zip&" + u, "tar → /-/archive?format=tar&" + u,
		}},
		{"ftp://h/d/", "folders=mixed&sort=-size", files[:2], []string{
			"Folders first → /-/list?sort=-size&folders=first&" + u, "Server’s order → /-/list?folders=mixed&" + u,
			"zip → /-/archive?format=zip&" + u, "tar → /-/archive?format=tar&" + u,
		}},
		{"ftp://h/d/", "sort=-size", files[:1], []string{"Server’s order → /-/list?" + u, "zip → /-/archive?format=zip&" + u, "tar → /-/archive?format=tar&" + u}},
		{"ftp://h/d", "", files[:1], nil},
		{"gopher://h/1", "", []access.Entry{entry(access.Info, "hello", "", "")}, nil},
	} {
		root := parsed(t, page.Listing(at(test.url), listing(t, test.url, test.query, 10, &list{test.entries, io.EOF})))
		var got []string
		for _, bar := range find(root, "div.bar") {
			got = append(got, links(bar)...)
		}
		if !equal(got, test.want) {
			t.Errorf("the page of %s with %q offers %q, want %q", test.url, test.query, got, test.want)
		}
	}
}

// A row has the cells of an entry, with the link, the exact size and the exact time for programs.
func TestListingRows(t *testing.T) {
	rough := entry(access.Object, "rough", "ftp://h/d/rough", "")
	rough.Rough.Size = 1229
	bare := entry(access.Failure, "gone", "", "")
	root := parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", "", 10, &list{append(folder(), rough, bare), io.EOF})))
	var got []string
	for _, tr := range find(one(t, root, "tbody"), "tr") {
		cells := []string{attr(tr, "class")}
		for _, td := range find(tr, "td") {
			cells = append(cells, textOf(td))
			for _, d := range append(find(td, "data"), find(td, "time")...) {
				cells = append(cells, attr(d, "value")+attr(d, "datetime"))
			}
			for _, a := range find(td, "a") {
				cells = append(cells, attr(a, "href"))
			}
		}
		got = append(got, strings.Join(cells, "|"))
	}
	want := []string{
		"directory|sub|/ftp://h/d/sub/|folder|||",
		"object|b.txt|/ftp://h/d/b.txt|text|1.5 kB|1500|1994-12-03 10:30|1994-12-03T10:30:00Z|↓|/-/download?url=ftp%3A%2F%2Fh%2Fd%2Fb.txt",
		"object|A <i>.txt|/ftp://h/d/A%20%3Ci%3E.txt|text|20 bytes|20|1994-12-01 10:30|1994-12-01T10:30:00Z|↓|/-/download?url=ftp%3A%2F%2Fh%2Fd%2FA%2520%253Ci%253E.txt",
		"object|c.png|/ftp://h/d/c.png|PNG picture|7 bytes|7|1994-12-02 10:30|1994-12-02T10:30:00Z|↓|/-/download?url=ftp%3A%2F%2Fh%2Fd%2Fc.png",
		"object|rough|/ftp://h/d/rough|file|~1.2 kB||↓|/-/download?url=ftp%3A%2F%2Fh%2Fd%2Frough",
		"failure|gone|failure|||",
	}
	if !equal(got, want) {
		t.Errorf("the rows are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A menu has texts, searches and links, in the order of the server.
func TestMenu(t *testing.T) {
	entries := []access.Entry{
		entry(access.Info, "Welcome\t<here>", "", ""),
		entry(access.Directory, "More", "gopher://h/1/more", ""),
		entry(access.Search, "Find & seek", "gopher://h/7/find", ""),
		entry(access.Terminal, "Log in", "telnet://h/", ""),
		entry(access.Object, "\u200b", "gopher://h/0/blank", "text/plain"),
	}
	root := parsed(t, page.Listing(at("gopher://h/1"), listing(t, "gopher://h/1", "", 10, &list{entries, io.EOF})))
	items := find(one(t, root, "ul.menu"), "li")
	var got []string
	for _, li := range items {
		got = append(got, attr(li, "class")+": "+strings.Join(append(links(li), textOf(li)), " | "))
	}
	want := []string{
		"info: Welcome <here>",
		"directory d0: More → /gopher://h/1/more | More",
		"search: Find & seek Search",
		"terminal d0: Log in → /telnet://h/ | Log in (terminal)",
		"object d0: blank → /gopher://h/0/blank | blank",
	}
	if !equal(got, want) {
		t.Errorf("the menu is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	form := one(t, items[2], "form")
	if attr(form, "action") != "/-/search" || attr(one(t, form, "input[name=url]"), "value") != "gopher://h/7/find" || len(find(form, "input[name=words]")) != 1 {
		t.Errorf("the form of the search is\n%s", outline(form))
	}
}

// The page says why it does not show all entries.
func TestListingIncomplete(t *testing.T) {
	more := access.Entry{Kind: access.Info, Size: -1, Incomplete: errors.New("the server lists at most 2 <files>")}
	broken := listing(t, "ftp://h/d/", "", 10, &list{folder(), io.ErrUnexpectedEOF})
	broken.Problem = "unexpected <EOF>"
	for _, test := range []struct {
		name  string
		shown page.List
		want  []string
	}{
		{"whole", listing(t, "ftp://h/d/", "", 10, &list{folder(), io.EOF}), []string{}},
		{"incomplete", listing(t, "ftp://h/d/", "", 10, &list{append(folder(), more), io.EOF}), []string{"The server lists at most 2 <files>."}},
		{"broken", broken, []string{"The listing is incomplete: unexpected <EOF>"}},
	} {
		root := parsed(t, page.Listing(at("ftp://h/d/"), test.shown))
		if got := texts(root, "p.note"); !equal(got, test.want) {
			t.Errorf("the page of a listing that is %s has the notes %q, want %q", test.name, got, test.want)
		}
		if _, isWhole := lookup(one(t, root, "#entries"), "data-whole"); isWhole != (test.name == "whole") {
			t.Errorf("a script may filter the page of a listing that is %s: %v", test.name, isWhole)
		}
	}
}

// A page shows the readme of its folder below the rows. It does not open a file elsewhere.
func TestListingReadme(t *testing.T) {
	here := entry(access.Object, "ReadMe", "ftp://h/d/ReadMe", "text/plain")
	first := entry(access.Object, ".message", "ftp://h/d/.message", "text/plain")
	elsewhere := entry(access.Object, "README", "ftp://h2/d/README", "text/plain")
	above := entry(access.Object, "README", "ftp://h/README", "text/plain")
	up := entry(access.Object, "README", "ftp://h/d/../README", "text/plain")
	for _, test := range []struct {
		name    string
		query   string
		entries []access.Entry
		want    string // the URL that is opened
	}{
		{"a readme", "", []access.Entry{here}, "ftp://h/d/ReadMe"},
		{"a better one", "", []access.Entry{here, first}, "ftp://h/d/.message"},
		{"a readme elsewhere", "", []access.Entry{elsewhere}, ""},
		{"a readme above", "", []access.Entry{above}, ""},
		{"a readme by way of a segment that leads up", "", []access.Entry{up}, ""},
		{"the second page", "from=1", []access.Entry{folder()[0], here}, ""},
		{"a filtered page", "filter=read", []access.Entry{here}, ""},
		{"a folder with that name", "", []access.Entry{entry(access.Directory, "readme", "ftp://h/d/readme/", "")}, ""},
	} {
		shown := listing(t, "ftp://h/d/", test.query, 10, &list{test.entries, io.EOF})
		opened := ""
		if e, ok := page.ReadmeEntry(at("ftp://h/d/"), shown); ok {
			opened = e.URL.String()
			read := make(chan page.Readme, 1)
			read <- page.Readme{Entry: e, Text: "see <b> ftp://h/x", Cut: true}
			shown.Readme = read
		}
		root := parsed(t, page.Listing(at("ftp://h/d/"), shown))
		if opened != test.want {
			t.Errorf("%s: the page opens %q, want %q", test.name, opened, test.want)
		}
		if sections := find(root, "section.readme"); len(sections) > 0 != (test.want != "") {
			t.Errorf("%s: the page has %d readmes", test.name, len(sections))
		} else if test.want != "" {
			if got := textOf(one(t, sections[0], "pre")); got != "see <b> ftp://h/x" {
				t.Errorf("%s: the readme is %q", test.name, got)
			}
			if got := links(sections[0]); !slices.Contains(got, "ftp://h/x → /ftp://h/x") || !slices.Contains(got, "Read the rest → /"+test.want) {
				t.Errorf("%s: the readme has the links %q", test.name, got)
			}
		}
	}
}

// An answer comes below the article that it answers. References that lead in a circle, or to
// articles that are not listed, do not lose an article.
func TestThreads(t *testing.T) {
	article := func(id, references string) access.Entry {
		e := entry(access.Object, id, "news:"+id+"@h", "message/rfc822")
		e.Header = access.Header{{Name: "Message-ID", Value: id}}
		for r := range strings.FieldsSeq(references) {
			e.Header = append(e.Header, access.Field{Name: "References", Value: r})
		}
		return e
	}
	for _, test := range []struct {
		name    string
		entries []access.Entry
		want    []string // "class of depth title"
	}{
		{"the newest first", []access.Entry{article("c", "a b"), article("b", "a"), article("a", "")}, []string{"d0 a", "d1 b", "d2 c"}},
		{"a missing article", []access.Entry{article("c", "a b"), article("a", "")}, []string{"d0 a", "d1 c"}},
		{"two answers", []access.Entry{article("c", "a"), article("b", "a"), article("a", "")}, []string{"d0 a", "d1 b", "d1 c"}},
		{"a circle", []access.Entry{article("a", "b"), article("b", "a")}, []string{"d0 b", "d1 a"}},
		{"an answer to itself", []access.Entry{article("a", "a")}, []string{"d0 a"}},
	} {
		rows := content.Threads(test.entries)
		root := parsed(t, page.Thread(at("news:g"), rows, len(rows)-1))
		var got []string
		for _, li := range find(one(t, root, "ul.thread"), "li") {
			got = append(got, strings.TrimPrefix(attr(li, "class"), "object ")+" "+textOf(one(t, li, "a")))
		}
		if !equal(got, test.want) {
			t.Errorf("%s: the thread is %q, want %q", test.name, got, test.want)
		}
		current := one(t, root, "a[aria-current]")
		if want := strings.Fields(test.want[len(test.want)-1])[1]; attr(current, "aria-current") != "true" && textOf(current) != want {
			t.Errorf("%s: the current article is %q, want %q", test.name, textOf(current), want)
		}
	}
	mixed := []access.Entry{entry(access.Info, "first", "", ""), article("b", "a"), entry(access.Info, "second", "", ""), article("a", "")}
	var order []string
	for _, e := range content.Threads(mixed) {
		order = append(order, e.Title)
	}
	if want := []string{"first", "a", "b", "second"}; !equal(order, want) {
		t.Errorf("Threads of articles and texts = %q, want %q", order, want)
	}
}

// Folders come first in a directory that fits on a page, but not in a menu. A longer directory keeps
// the order of the server, because the page does not read all of it.
func TestListingFoldersFirst(t *testing.T) {
	menu := []access.Entry{entry(access.Info, "hello", "", ""), entry(access.Object, "b", "gopher://h/0/b", "text/plain"), entry(access.Directory, "a", "gopher://h/1/a", "")}
	for _, test := range []struct {
		url     string
		entries []access.Entry
		rows    int
		want    []string
	}{
		{"ftp://h/d/", folder(), 4, []string{"sub", "b.txt", "A <i>.txt", "c.png"}},
		{"ftp://h/d/", folder(), 3, []string{"b.txt", "sub", "A <i>.txt"}},
		{"gopher://h/1", menu, 10, []string{"hello", "b", "a"}},
	} {
		root := parsed(t, page.Listing(at(test.url), listing(t, test.url, "", test.rows, &list{test.entries, io.EOF})))
		got := texts(one(t, root, "#entries"), "td.name")
		if len(got) == 0 {
			got = texts(one(t, root, "#entries"), "li")
		}
		if !equal(got, test.want) {
			t.Errorf("the page of %s with %d rows shows %q, want %q", test.url, test.rows, got, test.want)
		}
		current := slices.Contains(texts(root, "a[aria-current]"), "Folders first")
		if want := test.rows == 4; current != want {
			t.Errorf("the page of %s with %d rows says that folders come first: %v, want %v", test.url, test.rows, current, want)
		}
	}
}

// The sum names every kind of entry, so that the numbers add up.
func TestListingSum(t *testing.T) {
	of := func(kind access.Kind, n int) []access.Entry {
		return slices.Repeat([]access.Entry{entry(kind, "x", "x://h/x", "")}, n)
	}
	for _, test := range []struct {
		entries []access.Entry
		want    string
	}{
		{of(access.Directory, 2), "2 folders"},
		{of(access.Unknown, 1), "1 other"},
		{slices.Concat(of(access.Info, 4), of(access.Directory, 8), of(access.Object, 2), of(access.Search, 1), of(access.Form, 1), of(access.Unknown, 9)), "21 items: 8 folders, 2 files, 1 search, 1 form, 9 others"},
		{slices.Concat(of(access.Terminal, 1), of(access.Link, 2), of(access.Failure, 1)), "4 items: 1 terminal, 2 links, 1 error"},
		{of(access.Info, 2), "0 items"},
		{of(access.Object, 1234), "1,234 files"},
	} {
		root := parsed(t, page.Listing(at("x://h/"), listing(t, "x://h/", "", 2000, &list{test.entries, io.EOF})))
		if got := textOf(one(t, root, "#summary")); got != test.want {
			t.Errorf("the sum of %d entries is %q, want %q", len(test.entries), got, test.want)
		}
	}
}

// Short facts have columns, and long ones are below the name.
func TestListingShortFacts(t *testing.T) {
	var entries []access.Entry
	for i, e := range folder() {
		e.Header = access.Header{
			{Name: "Mode", Value: "-rw-r--r--"},
			{Name: "Lines", Value: []string{"7", "12", "", "3"}[i]},
			{Name: "Owner", Value: []string{"ada", "bob", "ada", "eve"}[i]},
			{Name: "Abstract", Value: strings.Repeat("long ", i+3)},
			{Name: "Size", Value: []string{"a", "b", "c", "d"}[i]},
		}
		entries = append(entries, e)
	}
	root := parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", "sort=-lines", 10, &list{entries, io.EOF})))
	if got, want := texts(one(t, root, "thead"), "th"), []string{"Name", "Lines", "Owner", "Type", "Size", "Date", "Download"}; !equal(got, want) {
		t.Errorf("the columns are %q, want %q", got, want)
	}
	if got, want := texts(root, "td.short"), []string{"12", "bob", "7", "ada", "3", "eve", "ada"}; !equal(got, want) {
		t.Errorf("the short facts are %q, want %q", got, want)
	}
	known := texts(root, ".known")
	if len(known) != len(entries) || strings.Contains(known[0], "Lines") || !strings.Contains(known[0], "Abstract") {
		t.Errorf("the facts below the names are %q", known)
	}
	if got := attr(one(t, root, "th[aria-sort]"), "class"); got != "short" {
		t.Errorf("the page is sorted by a column of the class %q, want short", got)
	}
}

// The style adds a slash to the name of a folder, unless the name ends in a slash itself.
func TestFolderSlash(t *testing.T) {
	for _, test := range []struct {
		kind  access.Kind
		title string
		want  bool
	}{
		{access.Directory, "sub", true},
		{access.Directory, "sub/", false},
		{access.Directory, "ftp://h/d/sub/", false},
		{access.Object, "sub", false},
		{access.Link, "sub", false},
	} {
		l := &list{[]access.Entry{entry(test.kind, test.title, "ftp://h/d/sub/", ""), entry(access.Object, "b.txt", "ftp://h/d/b.txt", "")}, io.EOF}
		slashes := texts(parsed(t, page.Listing(at("ftp://h/d/"), listing(t, "ftp://h/d/", "", 10, l))), "a.slash")
		if got := slices.Equal(slashes, []string{test.title}); got != test.want || !test.want && len(slashes) > 0 {
			t.Errorf("the links of class slash are %q, want the %v %q among them: %v", slashes, test.kind, test.title, test.want)
		}
	}
}
