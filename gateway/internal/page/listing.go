package page

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/scheme"
)

// A listing becomes a page in these steps:
//
//	ParseDisplay  reads from the query how the reader wants it: the order, the filter, the page
//	Gather        reads the entries of that page (gather.go), within the memory that it is given
//	Listing       computes what stands around the rows: columns, links to the other pages,
//	              the sum of the sizes
//	listWriter    makes the rows one by one while the page is sent (rows.go), because a
//	              page of a thousand rows is larger than its entries
//	rowOf         makes one row of an entry (row.go). Threads orders articles (threads.go)
//
// Facts that every row has are left out of the rows. Facts that deserve a column get one.

// maxPictures is how many pictures and sounds a page embeds.
const maxPictures = 48

// A listing is the page of a listing, without its rows.
type listing struct {
	frame
	Display
	Facts          []fact
	Table          bool     // sizes or dates are known: columns, which can be sorted
	Typed          bool     // not all are of one type: so there is a column for that
	Extras         []string // the facts that have a column: "Score", or "Author" and "Date"; nil for none
	Sizes          bool
	Dates          bool
	Filters        bool // it has a field to filter
	Whole          bool // the page has all entries that match, so a script can filter
	Columns        []heading
	Choices        []link
	Archives       []link // the folder as a file
	Summary        string
	Hidden         [][2]string   // of the form that filters
	Target         string        // the URL, for that form
	Clear          templ.SafeURL // the listing without the filter
	Short          bool
	Raw            templ.SafeURL // the path of the listing as its server sends it
	Previous, Next templ.SafeURL
	Left           string // why the server may have more entries
	Problem        string // why the listing broke off
}

// A link is a link of a toolbar.
type link struct {
	Title   string
	Href    templ.SafeURL
	Rel     string
	Current bool // it is what the page shows now
}

// A heading is the heading of a column.
type heading struct {
	Name, Title string
	Href        templ.SafeURL // the page sorted by it; in reverse if this page is sorted by it
	Current     string        // "ascending" or "descending" if this page is sorted by it
}

// arranged returns the entries of a page in its order: as threads if d keeps the order of
// the server.
func arranged(entries []access.Entry, d Display) []Threaded {
	if !d.isArranged() {
		return Threads(entries)
	}
	rows := make([]Threaded, len(entries))
	for i, e := range entries {
		rows[i].Entry = e
	}
	return rows
}

// A List is what a page shows of a listing.
type List struct {
	Header    access.Header // of the resource
	Display   Display
	Gathering Gathering
	Rows      int                       // how many entries a page has
	Problem   string                    // why the listing broke off
	Readme    func(access.Entry) Readme // reads the text for the readers of a folder, after the rows are sent
}

// Listing is the page of a listing. Below it stands the text that the folder has for its
// readers.
func Listing(l Links, shown List) templ.Component {
	d, g := shown.Display, shown.Gathering
	if _, searches := scheme.SearchURL(l.URL, "x"); searches {
		g.dropOwnSearch(l.URL)
	}
	p := l.newListing(shown, d, g)
	hits := g.Entries
	if p.Extras != nil {
		hits = withoutRest(hits)
	}
	lw := &listWriter{Links: l, listing: &p, gathering: g, readText: shown.Readme, pictures: maxPictures, common: l.commonFacts(hits)}
	return lw.html()
}

// newListing returns the page of what was gathered.
func (l Links) newListing(shown List, d Display, g Gathering) listing {
	p := listing{frame: l.frame(l.titleOf()), Display: d, Facts: l.factsOf(shown.Header), Raw: l.raw(), Target: l.URL.String(), Problem: shown.Problem}
	p.Tools = append(p.Tools, link{Title: "View source", Href: p.Raw})
	p.Table = len(g.Entries) > 0 && isTable(g.Entries, entry.IsHierarchical(l.URL))
	p.Sizes = slices.ContainsFunc(g.Entries, func(e access.Entry) bool { return e.Size >= 0 || e.Rough.Size > 0 })
	p.Dates = slices.ContainsFunc(g.Entries, func(e access.Entry) bool { return render.Time(e) != "-" })
	p.Extras = extrasOf(g.Entries, p.Dates)
	p.Typed = !isUniform(g.Entries, p.Extras)
	p.Whole = g.isWhole && g.Next == 0 && d.From == 0 && d.Filter == ""
	p.Short = g.isShort
	p.Summary = summaryOf(d, g)
	if g.incomplete != nil && g.Next == 0 {
		p.Left = AsSentence(g.incomplete.Error())
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

// isFolder reports whether the listing is a directory with files.
func (p *listing) isFolder() bool { return p.Table && p.Archives != nil }

// addPages adds links to the pages before and after this one.
func (l Links) addPages(p *listing, d Display, g Gathering, rows int) {
	if g.Next > 0 {
		next := d
		next.From = g.Next
		if g.isSearchedAgain {
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

// archiveFormats are the forms in which a folder can be stored, as package pack writes them.
var archiveFormats = []string{"zip", "tar"}

// fewEntries is up to how many entries a listing needs no filter.
const fewEntries = 8

// addChoices adds what the reader may choose: a filter, an order, a form of the page, an
// archive.
func (l Links) addChoices(p *listing, d Display, g Gathering) {
	p.Filters = d.Filter != "" || g.count.entries-g.count.info > fewEntries || g.Next > 0
	other := d.firstPage()
	other.Filter = ""
	p.Hidden, p.Clear = other.query(), l.displayHref(other)
	if !p.Table {
		return
	}
	if g.count.folders > 0 && g.count.folders < g.count.entries && p.Extras == nil {
		other = d.firstPage()
		other.Folders = !d.Folders
		p.Choices = append(p.Choices, link{Title: "Folders first", Href: l.displayHref(other), Current: d.Folders})
	}
	if d.Grid || slices.ContainsFunc(g.Entries, isPicture) {
		table, grid := d, d
		table.Grid, grid.Grid = false, true
		p.Choices = append(p.Choices,
			link{Title: "Table", Href: l.displayHref(table), Current: !d.Grid}, link{Title: "Pictures", Href: l.displayHref(grid), Current: d.Grid})
	}
	if entry.IsHierarchical(l.URL) && strings.HasSuffix(l.URL.Path(), "/") {
		for _, format := range archiveFormats {
			p.Archives = append(p.Archives, link{Title: format, Href: l.Own("archive?format=" + format + "&url=" + Escaped(l.URL))})
		}
	}
}

// columns returns the headings of a table.
func (l Links) columns(d Display, p listing) []heading {
	names := []string{"name"}
	for _, fact := range p.Extras {
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
		h := heading{Name: name, Title: strings.ToUpper(name[:1]) + name[1:]}
		switch {
		case name == "name" && slices.Contains(p.Extras, "Author"):
			h.Title = "Title"
		case name == "name" && slices.Contains(p.Extras, "From"):
			h.Title = "Subject"
		}
		other := d.firstPage()
		other.Sort = Column{Name: name, Descending: startsDescending(name)}
		if d.Sort.Name == name {
			other.Sort.Descending = !d.Sort.Descending
			h.Current = "ascending"
			if d.Sort.Descending {
				h.Current = "descending"
			}
		}
		h.Href = l.displayHref(other)
		all = append(all, h)
	}
	return all
}

// summaryOf returns what the page has of the listing, for people.
func summaryOf(d Display, g Gathering) string {
	shown := len(g.Entries)
	text := g.count.String()
	if d.Filter != "" {
		text += " with “" + d.Filter + "” in the name"
	}
	if shown == 0 || d.From == 0 && g.Next == 0 && !g.isShort && g.incomplete == nil {
		return text
	}
	part := grouped(d.From+1) + " to " + grouped(d.From+shown)
	if g.incomplete != nil {
		return part + " of " + grouped(max(g.count.entries, d.From+shown)) + " or more"
	}
	if g.isWhole {
		return part + " of " + text
	}
	if g.Next > 0 {
		return part + ", and there are more"
	}
	return part
}

// isTable reports whether entries have sizes or dates, and none is a search. A menu with
// lines of text is no table. In a directory such lines do not count: they are lines of its
// listing that cannot be read.
func isTable(entries []access.Entry, isDirectory bool) bool {
	known := false
	for _, e := range entries {
		if e.Kind == access.Info && !isDirectory || e.Kind == access.Search {
			return false
		}
		known = known || valueOf(e, "Author") != "" || e.Size >= 0 || !e.ModTime.IsZero() || e.Rough != (access.Rough{})
	}
	return known || isDirectory && !slices.ContainsFunc(entries, func(e access.Entry) bool { return e.Kind == access.Info })
}

// withoutRest returns entries without a last one that leads to the rest of the list.
func withoutRest(entries []access.Entry) []access.Entry {
	last := len(entries) - 1
	if last > 0 && entries[last].Kind == access.Directory && entries[last-1].Kind != access.Directory {
		return entries[:last]
	}
	return entries
}

// isUniform reports whether all entries are of one type. The last entry of a list with
// columns for facts may lead to the rest of the list.
func isUniform(entries []access.Entry, extras []string) bool {
	if len(extras) > 0 {
		entries = withoutRest(entries)
	}
	return !slices.ContainsFunc(entries, func(e access.Entry) bool {
		return e.Type != entries[0].Type || e.Kind != entries[0].Kind
	})
}

// extraFacts are the facts that have columns: those of the first group that the entries
// have.
var extraFacts = [][]string{{"Score"}, {"From"}, {"Author", "Date"}}

// extrasOf returns the facts that deserve columns of their own; nil if there are none. If
// dates are known there is a column for them already.
func extrasOf(entries []access.Entry, dates bool) []string {
	for _, group := range extraFacts {
		extras := slices.DeleteFunc(slices.Clone(group), func(name string) bool {
			isKnown := func(e access.Entry) bool { return valueOf(e, name) != "" }
			return name == "Date" && dates || !slices.ContainsFunc(entries, isKnown)
		})
		if len(extras) > 0 {
			return extras
		}
	}
	return nil
}
