package gateway

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"locus/access"
	"locus/answer"
	"locus/url"
)

// A column is what a table is sorted by. The zero column keeps the order of the
// server.
type column struct {
	Name       string // "name", "type", "size" or "date"
	Descending bool
	Href       template.URL // the page sorted by it; in reverse if this page is sorted by it
	Current    string       // "ascending" or "descending" if this page is sorted by it
}

// parseColumn parses "size" or "-size".
func parseColumn(text string) (column, bool) {
	name, descending := strings.CutPrefix(text, "-")
	_, known := orders[name]
	return column{Name: name, Descending: descending}, known
}

// columns returns the columns of the table at u, which is sorted by by. hasType says
// whether it has a column for the type.
func (x *exchange) columns(u url.URL, by column, hasType bool) []column {
	var all []column
	for _, name := range []string{"name", "type", "size", "date"} {
		if name == "type" && !hasType {
			continue
		}
		c := column{Name: name}
		key := name
		if by.Name == name {
			c.Current = "ascending"
			if by.Descending {
				c.Current = "descending"
			} else {
				key = "-" + name
			}
		}
		c.Href = template.URL(x.ownURL("list?sort=" + key + "&url=" + escaped(u))) //nolint:gosec // the gateway's own
		all = append(all, c)
	}
	return all
}

// orders are the functions that compare two entries by a column.
var orders = map[string]func(a, b access.Entry) int{
	"name": func(a, b access.Entry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), cmp.Compare(a.Title, b.Title))
	},
	"type": func(a, b access.Entry) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Type, b.Type)) },
	"size": func(a, b access.Entry) int { return cmp.Compare(a.Size, b.Size) },
	"date": func(a, b access.Entry) int { return a.ModTime.Compare(b.ModTime) },
}

// sortedList answers with the page of a listing that is sorted by a column.
func (x *exchange) sortedList() {
	u, err := url.Parse(x.query("url"))
	if err != nil {
		x.fail(url.URL{}, err)
		return
	}
	by, known := parseColumn(x.query("sort"))
	if !known || !u.IsAbs() || isSession(u) {
		x.fail(u, errNoPage)
		return
	}
	resource, _, err := answer.Open(x.r.Context(), x.engine(), x.request(access.Get, u))
	if err != nil {
		x.failed(u, err)
		return
	}
	defer resource.Body.Close()
	if resource.List == nil {
		x.redirect(x.href(u))
		return
	}
	x.w.Header().Set("Content-Type", asPage.mediaType())
	x.listPage(resource, resource.List, by)
}

// arrange returns entries in the order of the page: sorted by by, or as threads if by
// is the zero column.
func arrange(entries []access.Entry, by column) []threaded {
	order, ok := orders[by.Name]
	if !ok {
		return threads(entries)
	}
	slices.SortStableFunc(entries, func(a, b access.Entry) int {
		if by.Descending {
			a, b = b, a
		}
		return order(a, b)
	})
	rows := make([]threaded, len(entries))
	for i, e := range entries {
		rows[i].Entry = e
	}
	return rows
}
