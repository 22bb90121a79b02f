package gateway_test

import (
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
	"locus/internal/marc"
)

// catalogued returns a MARC record of a book with a title.
func catalogued(t *testing.T, title string, notes int) string {
	t.Helper()
	r := marc.Record{Fields: []marc.Field{
		{Tag: "001", Value: "x1"},
		{Tag: "245", Indicators: "00", Subfields: []marc.Subfield{{Code: "a", Value: title}}},
		{Tag: "856", Indicators: "40", Subfields: []marc.Subfield{{Code: "u", Value: "http://x/book"}}},
		{Tag: "999", Indicators: "  ", Subfields: []marc.Subfield{{Code: "a", Value: "local"}}},
	}}
	for range notes {
		r.Fields = append(r.Fields, marc.Field{Tag: "500", Indicators: "  ", Subfields: []marc.Subfield{{Code: "a", Value: "note"}}})
	}
	b, err := r.ISO2709()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A page shows the records of library catalogues with the names of their fields. Programs get the
// bytes.
func TestRecords(t *testing.T) {
	one, two := catalogued(t, "Moby <b>Dick", 0), catalogued(t, "Other", 0)
	engine := resources{
		"ftp://h/d/one.mrc":   content("application/marc", one),
		"ftp://h/d/two.mrc":   content("application/marc", one+two),
		"ftp://h/d/unnamed":   content("", one),
		"ftp://h/d/plain":     content("text/plain", one),
		"ftp://h/d/stream":    content("application/octet-stream", one),
		"ftp://h/d/other":     content("application/octet-stream", "\x00\x01"),
		"ftp://h/d/bad.mrc":   content("application/marc", strings.Replace(one, "Moby", "M\xffby", 1)),
		"ftp://h/d/none.mrc":  content("application/marc", "words"),
		"ftp://h/d/short.mrc": content("application/marc", one+two[:60]),
		"ftp://h/d/many.mrc":  content("application/marc", strings.Repeat(two, 101)),
		"ftp://h/d/wide.mrc":  content("application/marc", catalogued(t, "Wide", 4500)+catalogued(t, "Wider", 4500)),
		"ftp://h/d/long.mrc":  content("application/marc", catalogued(t, "Long", 0)+strings.Repeat("0", 600<<10)),
		"ftp://h/d/cut.mrc":   cut(one),
		"ftp://h/d/x.mrcx":    content("application/marcxml+xml", "<record/>"),
	}
	get := serve(t, &gateway.Gateway{Engine: engine})
	for _, test := range []struct{ path, fields, want, not string }{
		{"/ftp://h/d/one.mrc", navigating, "<h1>Moby &lt;b&gt;Dick</h1>", "<h2>"},
		{"/ftp://h/d/one.mrc", navigating, `<dt>Title</dt><dd>Moby &lt;b&gt;Dick</dd>`, ""},
		{"/ftp://h/d/one.mrc", navigating, `<dt>Link</dt><dd><a href="/http://x/book">http://x/book</a></dd>`, ""},
		{"/ftp://h/d/one.mrc", navigating, `<dt>999</dt><dd>$a local</dd>`, "role=\"note\""},
		{"/ftp://h/d/one.mrc", navigating, `<a href="/-/raw?url=ftp%3A%2F%2Fh%2Fd%2Fone.mrc">View source</a>`, ""},
		{"/ftp://h/d/one.mrc", navigating, `>Download</a>`, ""},
		{"/ftp://h/d/one.mrc", "Accept: */*", one, "<dl"},
		{"/-/raw?url=ftp://h/d/one.mrc", navigating, one, "<dl"},
		{"/ftp://h/d/two.mrc", navigating, "<dt>Records</dt><dd>2</dd>", ""},
		{"/ftp://h/d/two.mrc", navigating, "<h2>Other</h2>", "only the beginning"},
		{"/ftp://h/d/unnamed", navigating, "<dt>Title</dt>", ""},
		{"/ftp://h/d/plain", navigating, "<dt>Title</dt>", ""},
		{"/ftp://h/d/stream", navigating, "<dt>Title</dt>", ""},
		{"/ftp://h/d/other", navigating, "\x00\x01", "<h1>"},
		{"/ftp://h/d/bad.mrc", navigating, "field 245 has bytes that are not UTF-8", ""},
		{"/ftp://h/d/none.mrc", navigating, "Some records could not be read: not a MARC record", ""},
		{"/ftp://h/d/short.mrc", navigating, "Some records could not be read: the MARC record is cut off", ""},
		{"/ftp://h/d/many.mrc", navigating, "<dd>the first 100</dd>", ""},
		{"/ftp://h/d/wide.mrc", navigating, "This page shows only the beginning.", ""},
		{"/ftp://h/d/long.mrc", navigating, "This page shows only the beginning.", "Not everything"},
		{"/ftp://h/d/cut.mrc", navigating, "Some records could not be read: unexpected EOF", ""},
		{"/ftp://h/d/x.mrcx", navigating, `<pre class="text">&lt;record/&gt;`, ""},
	} {
		resp, body, err := get("GET", test.path, strings.Split(test.fields, "\n")...)
		if err != nil || !strings.Contains(body, test.want) || test.not != "" && strings.Contains(body, test.not) || len(body) > 2<<20 {
			t.Errorf("GET %s (%s) = %d, %v, want %q, not %q\n%.3000s", test.path, test.fields, resp.StatusCode, err, test.want, test.not, body)
		}
	}
}

// The page of a search in a catalogue has a field for another search, and a table that can be sorted
// by author and date.
func TestCatalogue(t *testing.T) {
	hit := func(title, position string, about ...string) access.Entry {
		e := entry(access.Object, title, "z39.50r://h/books;query=sea;record="+position)
		e.Type, e.Size, e.Header = "application/marc", 400, fields(about...)
		return e
	}
	more := entry(access.Directory, "More: these are records 1 to 3 of 9.", "z39.50s://h/books;query=sea;from=4")
	hits := menu(io.EOF, hit("Charts", "1", "Author: Zola, E.", "Date: c1998.", "Database: books"),
		hit("Lens", "2", "Author: austen, J.", "Database: books"), hit("Sea", "3", "Date: [1583?]", "Database: books"), more)
	get := serve(t, &gateway.Gateway{Engine: resources{
		"z39.50s://h/books;query=sea":          hits,
		"z39.50s://h/none;query=sea":           menu(io.EOF, hit("Bare", "1")),
		"z39.50s://h/authors;query=x":          menu(io.EOF, hit("Only an author", "1", "Author: A"), hit("Another", "2", "Author: B")),
		"z39.50r://h/books;query=sea;record=1": content("application/marc", catalogued(t, "Charts", 0)),
		"z39.50s://h/books;query=left":         menu(io.EOF),
	}})
	for _, test := range []struct {
		path string
		want []string
		not  string
	}{
		{"/z39.50s://h/books;query=sea", []string{
			"<title>books: sea</title>", `<a href="/z39.50s://h/books">books</a>`, "<h1>books: sea</h1>", `name="words" type="search" value="sea"`, ">Title</a>", `class="author"><a`, ">Author</a>", `class="date"`, ">Date</a>", ">Charts</a>", `<td class="extra author">Zola, E.</td>`, `<td class="extra date">c1998.</td>`,
			">Lens</a>", "austen, J.</td><td></td>", ">Sea</a>", `<td></td><td class="extra date">[1583?]</td>`, ">More: these are",
		}, "Folders first"},
		{"/z39.50s://h/books;query=sea", []string{">Charts</a>"}, "<b>Database</b>"},
		{"/z39.50s://h/books;query=sea", []string{">Charts</a>"}, `class="type"`},
		{"/-/list?sort=author&url=z39.50s://h/books%3Bquery%3Dsea", []string{`aria-sort="ascending"`, ">Sea</a>", ">Lens</a>", ">Charts</a>"}, ""},
		{"/-/list?sort=-date&url=z39.50s://h/books%3Bquery%3Dsea", []string{`aria-sort="descending"`, ">Charts</a>", ">Sea</a>"}, ""},
		{"/-/list?sort=date&url=z39.50s://h/books%3Bquery%3Dsea", []string{`aria-sort="ascending"`, ">Sea</a>", ">Charts</a>"}, ""},
		{"/z39.50s://h/none;query=sea", []string{">Bare</a>"}, ">Author<"},
		{"/z39.50s://h/authors;query=x", []string{">Author</a>", `<td class="extra author">A</td>`}, ">Date</a>"},
		{"/z39.50r://h/books;query=sea;record=1", []string{`<a href="/z39.50s://h/books;query=sea">sea</a>`, "<h1>Charts</h1>", "<dt>Title</dt><dd>Charts</dd>"}, ""},
		{"/z39.50s://h/books;query=left", []string{`name="words"`}, ""},
	} {
		resp, body, err := get("GET", test.path, strings.Split(navigating, "\n")...)
		if err != nil || !hasInOrder(body, test.want...) || test.not != "" && strings.Contains(body, test.not) {
			t.Errorf("GET %s = %d, %v, want %q, not %q\n%.4000s", test.path, resp.StatusCode, err, test.want, test.not, body)
		}
	}
}

// The summary of a listing with one kind of folder names the kind.
func TestCounted(t *testing.T) {
	folder := func(title, fact string) access.Entry {
		e := entry(access.Directory, title, "ftp://h/"+title)
		e.Header = fields(fact)
		return e
	}
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/terms":  menu(io.EOF, folder("lens", "Records: 2"), folder("light", "Records: 1")),
		"ftp://h/groups": menu(io.EOF, folder("a.b", "Articles: 2")),
		"ftp://h/mixed":  menu(io.EOF, folder("lens", "Records: 2"), folder("x", "Owner: ada")),
	}})
	for path, want := range map[string]string{"terms": ">2 terms<", "groups": ">1 newsgroup<", "mixed": ">2 folders<"} {
		if _, body, err := get("GET", "/ftp://h/"+path); err != nil || !strings.Contains(body, want) {
			t.Errorf("GET %s: %v, want %s in\n%s", path, err, want, body)
		}
	}
}
