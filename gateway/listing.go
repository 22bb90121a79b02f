package gateway

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/internal/render"
	"locus/scheme"
)

// maxPictures is how many pictures and sounds a page embeds.
const maxPictures = 48

// A listing is the page of a listing, without its rows.
type listing struct {
	page
	display
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

// listed answers with the page of a listing as the query says.
func (x *exchange) listed() error {
	if err := x.readURL(); err != nil {
		return err
	}
	d, err := x.displayOf()
	if err != nil {
		return err
	}
	resource, err := x.openFrom(d.From)
	if err != nil {
		return err
	}
	defer resource.Body.Close()
	if resource.List == nil {
		x.redirect(x.href(x.url))
		return nil
	}
	x.w.Header().Set("Content-Type", asPage.contentType())
	if x.r.Method == http.MethodHead {
		return nil
	}
	return x.listPage(resource, d)
}

// listPage writes the page of a listing as d shows it. Below it stands the text that the
// folder has for its readers.
func (x *exchange) listPage(resource *access.Resource, d display) error {
	g := x.gather(resource.List, d, x.rows(d))
	if g.end != nil && len(g.entries) == 0 {
		return g.end
	}
	if _, searches := scheme.SearchURL(x.url, "x"); searches {
		g.dropOwnSearch(x.url)
	}
	resource.Body.Close() // the server may allow one connection, which the text needs
	p := x.newListing(resource, d, g)
	x.ofPage().shrink(2 * g.size)
	if err := x.reserve(2 * g.size); err != nil {
		return err
	}
	out := x.newSpool()
	defer out.Close() // again, unless this panics
	err := x.writeListing(out, &p, g)
	g.entries = nil // the client may read slowly
	out.written()
	if err = errors.Join(g.end, err, out.Close()); err != nil {
		_ = out.to.send(nil) // so that the browser shows what has come, and why it ends
		x.broken(err)
	}
	return nil
}

// writeListing writes the page of what was gathered.
func (x *exchange) writeListing(to *spool, p *listing, g gathering) error {
	hits := g.entries
	if p.Extras != nil {
		hits = withoutRest(hits)
	}
	body := &flushing{compressor: x.compress(to), to: to}
	lw := &listWriter{exchange: x, listing: p, gathering: g, pictures: maxPictures, common: x.commonFacts(hits)}
	if err := lw.html().Render(context.WithoutCancel(x.r.Context()), body); err != nil || g.end != nil {
		return errors.Join(err, body.compressor.Flush())
	}
	return errors.Join(body.err, body.Close())
}

// arranged returns the entries of a page in its order: as threads if d keeps the order of
// the server.
func arranged(entries []access.Entry, d display) []threaded {
	if !d.isArranged() {
		return threads(entries)
	}
	rows := make([]threaded, len(entries))
	for i, e := range entries {
		rows[i].Entry = e
	}
	return rows
}

// newListing returns the page of what was gathered.
func (x *exchange) newListing(resource *access.Resource, d display, g gathering) listing {
	p := listing{page: x.page(x.titleOf()), display: d, Facts: x.factsOf(resource.Header), Raw: x.rawURL(), Target: x.url.String()}
	p.Tools = append(p.Tools, link{Title: "View source", Href: p.Raw})
	p.Table = len(g.entries) > 0 && isTable(g.entries, flagsOf(x.url).Has(scheme.Hierarchical))
	p.Sizes = slices.ContainsFunc(g.entries, func(e access.Entry) bool { return e.Size >= 0 || e.Rough.Size > 0 })
	p.Dates = slices.ContainsFunc(g.entries, func(e access.Entry) bool { return render.Time(e) != "-" })
	p.Extras = extrasOf(g.entries, p.Dates)
	p.Typed = !isUniform(g.entries, p.Extras)
	p.Whole = g.isWhole && g.next == 0 && d.From == 0 && d.Filter == ""
	p.Short = g.isShort
	p.Summary = summaryOf(d, g)
	if g.incomplete != nil && g.next == 0 {
		p.Left = asSentence(g.incomplete.Error())
	}
	if g.end != nil {
		p.Problem = translatePanic(g.end).Error()
	}
	if p.Table {
		p.Columns = x.columns(d, p)
	} else {
		p.Grid = false
	}
	x.addPages(&p, d, g)
	x.addChoices(&p, d, g)
	return p
}

// isFolder reports whether the listing is a directory with files.
func (p *listing) isFolder() bool { return p.Table && p.Archives != nil }

// addPages adds links to the pages before and after this one.
func (x *exchange) addPages(p *listing, d display, g gathering) {
	if g.next > 0 {
		next := d
		next.From = g.next
		if g.isSearchedAgain {
			next.Rows = len(g.entries)
		}
		p.Next = x.displayHref(next)
	}
	if d.From > 0 {
		previous := d
		previous.From = max(d.From-x.rows(d), 0)
		p.Previous = x.displayHref(previous)
	}
}

// fewEntries is up to how many entries a listing needs no filter.
const fewEntries = 8

// addChoices adds what the reader may choose: a filter, an order, a form of the page, an
// archive.
func (x *exchange) addChoices(p *listing, d display, g gathering) {
	p.Filters = d.Filter != "" || g.count.entries-g.count.info > fewEntries || g.next > 0
	other := d.firstPage()
	other.Filter = ""
	p.Hidden, p.Clear = other.query(), x.displayHref(other)
	if !p.Table {
		return
	}
	if g.count.folders > 0 && g.count.folders < g.count.entries && p.Extras == nil {
		other = d.firstPage()
		other.Folders = !d.Folders
		p.Choices = append(p.Choices, link{Title: "Folders first", Href: x.displayHref(other), Current: d.Folders})
	}
	if d.Grid || slices.ContainsFunc(g.entries, isPicture) {
		table, grid := d, d
		table.Grid, grid.Grid = false, true
		p.Choices = append(p.Choices,
			link{Title: "Table", Href: x.displayHref(table), Current: !d.Grid}, link{Title: "Pictures", Href: x.displayHref(grid), Current: d.Grid})
	}
	if flagsOf(x.url).Has(scheme.Hierarchical) && strings.HasSuffix(x.url.Path(), "/") {
		for _, format := range archiveFormats {
			p.Archives = append(p.Archives, link{Title: format, Href: x.own("archive?format=" + format + "&url=" + escaped(x.url))})
		}
	}
}

// columns returns the headings of a table.
func (x *exchange) columns(d display, p listing) []heading {
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
		other.Sort = column{Name: name, Descending: startsDescending(name)}
		if d.Sort.Name == name {
			other.Sort.Descending = !d.Sort.Descending
			h.Current = "ascending"
			if d.Sort.Descending {
				h.Current = "descending"
			}
		}
		h.Href = x.displayHref(other)
		all = append(all, h)
	}
	return all
}

// summaryOf returns what the page has of the listing, for people.
func summaryOf(d display, g gathering) string {
	shown := len(g.entries)
	text := g.count.String()
	if d.Filter != "" {
		text += " with “" + d.Filter + "” in the name"
	}
	if shown == 0 || d.From == 0 && g.next == 0 && !g.isShort && g.incomplete == nil {
		return text
	}
	part := grouped(d.From+1) + " to " + grouped(d.From+shown)
	if g.incomplete != nil {
		return part + " of " + grouped(max(g.count.entries, d.From+shown)) + " or more"
	}
	if g.isWhole {
		return part + " of " + text
	}
	if g.next > 0 {
		return part + ", and there are more"
	}
	return part
}

func (g *Gateway) maxEntries() int { return or(g.MaxEntries, 1000) }

// rows returns how many entries a page has that is shown as d says.
func (g *Gateway) rows(d display) int { return min(or(d.Rows, g.maxEntries()), g.maxEntries()) }

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
