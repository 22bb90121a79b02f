package page

import (
	"cmp"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// A listing becomes a page in these steps:
//
//	package content
//	              reads the wishes of the reader, and the entries of the page
//	Listing       computes the parts around the rows: the columns, the links to other pages,
//	              the summary
//	listWriter    makes the rows one by one while the page is sent (rows.go), because a
//	              page of a thousand rows is larger than its entries
//	rowOf         makes the row of an entry (row.go). content.Threads orders articles
//
// A row leaves out facts that all rows have in common, and facts that have a column.

// maxPictures is how many pictures and sounds a page embeds.
const maxPictures = 48

// A listing is the page of a listing, without its rows.
type listing struct {
	frame
	content.Display
	Facts          []fact
	Table          bool     // the rows have columns, because sizes or dates are known
	Typed          bool     // the table has a column for types, because the entries have several
	Extras         []string // the facts that have a column: "Score", or "Author" and "Date"
	Short          []string // more facts that have a column, because their values are short: "Lines"
	Sizes          bool     // the table has a column for sizes
	Dates          bool     // the table has a column for dates
	Filters        bool     // the page has a form that filters
	Whole          bool     // the page has all entries, so a script can filter
	Columns        []heading
	Choices        []link        // other orders and views of the listing
	Archives       []link        // the folder as one file
	Summary        string        // "3 items: 1 folder, 2 files"
	Nouns          string        // the names of the kinds of entries, for the script that filters
	Hidden         [][2]string   // the hidden fields of the form that filters
	Action         templ.SafeURL // where the form is sent
	Target         string        // the URL in that form; "" for a list of the gateway
	Clear          templ.SafeURL // the listing without the filter
	IsShort        bool          // Gathering.IsShort
	Raw            templ.SafeURL // the bytes of the listing from its server
	Previous, Next templ.SafeURL // the pages before and after this page; may be empty
	Left           string        // why the server may have more entries
	Problem        string        // why the listing broke off
}

// A link is a link of a toolbar.
type link struct {
	Title   string
	Href    templ.SafeURL
	Rel     string
	Current bool // the page shows this now
}

// A heading is the heading of a column.
type heading struct {
	Class, Title string
	Href         templ.SafeURL // the page sorted by the column, or in reverse if this page is sorted by it; "" if it cannot be sorted
	Current      string        // "ascending" or "descending" if this page is sorted by it
	Says         string        // the order of the page at Href
}

// arranged returns the entries of a page in the order in which the page shows them. If d keeps the order of the
// server, arranged groups articles into threads. Otherwise entries are sorted already.
func arranged(entries []access.Entry, d content.Display) []content.Threaded {
	if !d.IsArranged() {
		return content.Threads(entries)
	}
	rows := make([]content.Threaded, len(entries))
	for i, e := range entries {
		rows[i].Entry = e
	}
	return rows
}

// A List has the data of the page of a listing.
type List struct {
	Header    access.Header // the header of the resource
	Display   content.Display
	Gathering content.Gathering
	Rows      int           // how many entries a full page has
	Problem   string        // why the listing broke off
	Readme    <-chan Readme // gets the readme of the folder, which may come after the rows are sent; nil for a page without one
}

// Listing returns the page of a listing, with the readme of the folder below it.
func Listing(l Links, shown List) templ.Component {
	d, g := shown.Display, ownSearchDropped(l, shown.Gathering)
	p := l.newListing(shown, d, g)
	hits := g.Entries
	if p.Extras != nil {
		hits = withoutRest(hits)
	}
	lw := &listWriter{Links: l, listing: &p, gathering: g, awaited: shown.Readme, pictures: maxPictures, common: l.commonFacts(hits)}
	return lw.html()
}

// ownSearchDropped returns g without the search at l.URL, if that is its first entry, perhaps after lines of text,
// which are left out, too. The page has a field for that search.
func ownSearchDropped(l Links, g content.Gathering) content.Gathering {
	if _, searches := scheme.SearchURL(l.URL, "x"); !searches {
		return g
	}
	for i, e := range g.Entries {
		switch {
		case e.Kind == access.Search && e.URL == l.URL:
			g.Entries = g.Entries[i+1:]
			g.Count.Entries -= i + 1
			g.Count.Kinds[access.Search]--
			g.Count.Kinds[access.Info] -= i
			return g
		case e.Kind != access.Info:
			return g
		}
	}
	return g
}

// newListing returns the page of a listing without its rows. g may have fewer entries than shown.Gathering.
func (l Links) newListing(shown List, d content.Display, g content.Gathering) listing {
	p := listing{Display: d, Facts: l.factsOf(shown.Header), Target: l.URL.String(), Problem: shown.Problem, Action: l.Own(cmp.Or(l.Lists, "list"))}
	if l.Lists != "" {
		p.frame = l.frame("What the archive holds")
	} else {
		p.frame, p.Raw = l.frame(l.titleOf()), l.raw()
		p.Tools = append(p.Tools, link{Title: "View source", Href: p.Raw})
	}
	p.Table = len(g.Entries) > 0 && isTable(g.Entries, entry.IsHierarchical(l.URL))
	p.Sizes = slices.ContainsFunc(g.Entries, func(e access.Entry) bool { return e.Size >= 0 || e.Rough.Size > 0 })
	p.Dates = slices.ContainsFunc(g.Entries, func(e access.Entry) bool { return render.Time(e) != "-" })
	p.Extras = extrasOf(g.Entries, p.Dates)
	p.Short = l.shortColumns(g.Entries, p.Extras)
	p.Typed = !isUniform(g.Entries, p.Extras)
	p.Whole = g.IsWhole && g.Next == 0 && d.From == 0 && d.Filter == ""
	p.IsShort = g.IsShort
	p.Summary, p.Nouns = summaryOf(d, g), nounsOf(g.Count).forScript()
	if g.Incomplete != nil && g.Next == 0 {
		p.Left = AsSentence(g.Incomplete.Error())
	}
	if p.Table {
		p.Columns = l.columns(d, p)
	} else {
		p.Grid = false
	}
	l.addPages(&p, d, g, shown.Rows)
	l.addChoices(&p, d, g)
	return p
}

// isFolder reports whether the listing at u is a directory of files, to judge by u and entries. It is false if the
// listing is empty.
func isFolder(u url.URL, entries []access.Entry) bool {
	return len(entries) > 0 && entry.IsHierarchical(u) && strings.HasSuffix(u.Path(), "/") && isTable(entries, true)
}

// addPages sets the links of p to the pages before and after this one, if there are such pages. rows is the number of
// rows of a page.
func (l Links) addPages(p *listing, d content.Display, g content.Gathering, rows int) {
	if g.Next > 0 {
		next := d
		next.From = g.Next
		if g.IsSearchedAgain {
			next.Rows = len(g.Entries)
		}
		p.Next = l.displayHref(next)
	}
	if d.From > 0 {
		previous := d
		previous.From = max(d.From-rows, 0)
		p.Previous = l.displayHref(previous)
	}
}

// archiveFormats are the formats of archives that package pack writes.
var archiveFormats = []string{"zip", "tar"}

// fewEntries is the number of entries up to which a listing does not get a filter.
const fewEntries = 8

// addChoices adds to p the filter, and links to other orders, to the other view, and to archives.
func (l Links) addChoices(p *listing, d content.Display, g content.Gathering) {
	p.Filters = d.Filter != "" || g.Count.Entries-g.Count.Kinds[access.Info] > fewEntries || g.Next > 0
	other := d.FirstPage()
	other.Filter = ""
	p.Hidden, p.Clear = other.Query(), l.displayHref(other)
	if !p.Table {
		return
	}
	if folders := g.Count.Kinds[access.Directory]; folders > 0 && folders < g.Count.Entries && p.Extras == nil {
		p.Choices = append(p.Choices, link{Title: "Folders first", Href: l.displayHref(withFolders(d, !g.FoldersFirst)), Current: g.FoldersFirst})
	}
	if other = d.FirstPage(); other.Sort.Name != "" {
		other.Sort = content.Column{}
		title := "Server’s order"
		if l.Lists != "" {
			title = "By URL"
		}
		p.Choices = append(p.Choices, link{Title: title, Href: l.listHref(other)})
	}
	if d.Grid || slices.ContainsFunc(g.Entries, isPicture) {
		table, grid := d, d
		table.Grid, grid.Grid = false, true
		p.Choices = append(p.Choices,
			link{Title: "Table", Href: l.displayHref(table), Current: !d.Grid}, link{Title: "Pictures", Href: l.displayHref(grid), Current: d.Grid})
	}
	if isFolder(l.URL, g.Entries) {
		for _, format := range archiveFormats {
			p.Archives = append(p.Archives, link{Title: format, Href: l.Own("archive?format=" + format + "&url=" + Escaped(l.URL))})
		}
	}
}

// withFolders returns d for the first page, with folders first if isFirst is true, and otherwise with folders sorted
// among the other entries.
func withFolders(d content.Display, isFirst bool) content.Display {
	d = d.FirstPage()
	switch {
	case isFirst:
		d.Folders = content.FoldersFirst
	case d.IsDirectory:
		d.Folders = content.FoldersMixed
	default:
		d.Folders = content.FoldersUsual
	}
	return d
}

// columns returns the headings of the table p, from left to right. A heading links to the page that is sorted by its
// column.
func (l Links) columns(d content.Display, p listing) []heading {
	names := []string{"name"}
	for _, fact := range slices.Concat(p.Extras, p.Short) {
		names = append(names, strings.ToLower(fact))
	}
	if p.Typed {
		names = append(names, "type")
	}
	if p.Sizes {
		names = append(names, "size")
	}
	if p.Dates {
		names = append(names, "date")
	}
	all := make([]heading, 0, len(names))
	for _, name := range names {
		h := heading{Class: name, Title: strings.ToUpper(name[:1]) + name[1:]}
		switch {
		case slices.ContainsFunc(p.Short, func(fact string) bool { return strings.ToLower(fact) == name }):
			h.Class = "short"
		case name == "name" && l.Lists != "":
			h.Title = "URL"
		case name == "name" && slices.Contains(p.Extras, "Author"):
			h.Title = "Title"
		case name == "name" && slices.Contains(p.Extras, "From"):
			h.Title = "Subject"
		}
		if !content.IsSortable(name) {
			all = append(all, h)
			continue
		}
		other := d.FirstPage()
		other.Sort = content.Column{Name: name, Descending: content.StartsDescending(name)}
		if d.Sort.Name == name {
			other.Sort.Descending = !d.Sort.Descending
			h.Current = "ascending"
			if d.Sort.Descending {
				h.Current = "descending"
			}
		}
		h.Says = "Sort ascending"
		if other.Sort.Descending {
			h.Says = "Sort descending"
		}
		h.Href = l.displayHref(other)
		all = append(all, h)
	}
	return all
}

// summaryOf returns a text for people that says how many entries the listing has, and which of them the page shows.
func summaryOf(d content.Display, g content.Gathering) string {
	shown := len(g.Entries)
	text := countText(g.Count)
	if d.Filter != "" {
		text += " with “" + d.Filter + "” in the name"
	}
	if shown == 0 || d.From == 0 && g.Next == 0 && !g.IsShort && g.Incomplete == nil {
		return text
	}
	part := grouped(d.From+1) + " to " + grouped(d.From+shown)
	if g.Incomplete != nil {
		return part + " of " + grouped(max(g.Count.Entries, d.From+shown)) + " or more"
	}
	if g.IsWhole {
		return part + " of " + text
	}
	if g.Next > 0 {
		return part + ", and there are more"
	}
	return part
}

// isTable reports whether a page shows entries as a table, and not as a menu. It is false if an entry is a search or,
// outside of a directory, a line of text. Otherwise it is true if an entry has a size, a date or an author. Without
// these facts, it is true only for a directory in which no entry is a line of text that could not be parsed.
func isTable(entries []access.Entry, isDirectory bool) bool {
	known := false
	for _, e := range entries {
		if e.Kind == access.Info && !isDirectory || e.Kind == access.Search {
			return false
		}
		known = known || entry.Value(e, "Author") != "" || e.Size >= 0 || !e.ModTime.IsZero() || e.Rough != (access.Rough{})
	}
	return known || isDirectory && !slices.ContainsFunc(entries, func(e access.Entry) bool { return e.Kind == access.Info })
}

// withoutRest returns entries without the last one, if that seems to be a link to the rest of the list: a directory
// after an entry of another kind.
func withoutRest(entries []access.Entry) []access.Entry {
	last := len(entries) - 1
	if last > 0 && entries[last].Kind == access.Directory && entries[last-1].Kind != access.Directory {
		return entries[:last]
	}
	return entries
}

// isUniform reports whether all entries have the same type and kind. If there are extras, it ignores a last entry that
// links to the rest of the list.
func isUniform(entries []access.Entry, extras []string) bool {
	if len(extras) > 0 {
		entries = withoutRest(entries)
	}
	return !slices.ContainsFunc(entries, func(e access.Entry) bool {
		return e.Type != entries[0].Type || e.Kind != entries[0].Kind
	})
}

// extraFacts are the facts that have columns. A page uses the first group of which the entries have a
// fact.
var extraFacts = [][]string{{"Score"}, {"From"}, {"Author", "Date"}}

// extrasOf returns the facts of entries that get columns of their own, such as "Author", or nil. dates says that the
// times of entries have a column already; then "Date" gets none.
func extrasOf(entries []access.Entry, dates bool) []string {
	for _, group := range extraFacts {
		extras := slices.DeleteFunc(slices.Clone(group), func(name string) bool {
			isKnown := func(e access.Entry) bool { return entry.Value(e, name) != "" }
			return name == "Date" && dates || !slices.ContainsFunc(entries, isKnown)
		})
		if len(extras) > 0 {
			return extras
		}
	}
	return nil
}

// displayHref returns the link to the page that shows the listing at l.URL as d says. If d is the usual display, that
// is the page of l.URL itself.
func (l Links) displayHref(d content.Display) templ.SafeURL {
	if len(d.Query()) == 0 && l.Lists == "" {
		return l.to(l.URL)
	}
	return l.listHref(d)
}

// listHref returns the link to the page that shows the listing at l.URL as d says. Unlike the page of displayHref, it
// ignores the order that the browser remembers.
func (l Links) listHref(d content.Display) templ.SafeURL {
	text := ""
	for _, p := range d.Query() {
		text += p[0] + "=" + neturl.QueryEscape(p[1]) + "&"
	}
	if l.Lists != "" {
		return l.Own(strings.TrimRight(l.Lists+"?"+text, "?&"))
	}
	return l.Own("list?" + text + "url=" + Escaped(l.URL))
}
