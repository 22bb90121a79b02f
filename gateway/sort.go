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

// A column is what a table is sorted by. The zero column is the order of the
// server.
type column struct {
	Name       string // "name", "size" or "date"
	Descending bool
	Href       template.URL // the page that is sorted by it, the other way round if this one is
	Current    string       // "ascending" or "descending" if this page is
}

// parseColumn reads "size" and "-size".
func parseColumn(text string) (column, bool) {
	name, descending := strings.CutPrefix(text, "-")
	_, known := orders[name]
	return column{Name: name, Descending: descending}, known
}

// columns returns the columns of the table at u, which is sorted by by.
func (v *visit) columns(u url.URL, by column, typed bool) []column {
	var all []column
	for _, name := range []string{"name", "type", "size", "date"} {
		if name == "type" && !typed {
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
		c.Href = template.URL(v.own("list?sort=" + key + "&url=" + escaped(u))) //nolint:gosec // the gateway's own
		all = append(all, c)
	}
	return all
}

// orders compare two entries by a column.
var orders = map[string]func(a, b access.Entry) int{
	"name": func(a, b access.Entry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), cmp.Compare(a.Title, b.Title))
	},
	"type": func(a, b access.Entry) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Type, b.Type)) },
	"size": func(a, b access.Entry) int { return cmp.Compare(a.Size, b.Size) },
	"date": func(a, b access.Entry) int { return a.ModTime.Compare(b.ModTime) },
}

// sorted answers with a listing, sorted by a column.
func (v *visit) sorted() {
	u, err := url.Parse(v.query("url"))
	if err != nil {
		v.fail(url.URL{}, err)
		return
	}
	by, known := parseColumn(v.query("sort"))
	if !known || !u.IsAbs() || isSession(u) {
		v.fail(u, errNoPage)
		return
	}
	resource, _, err := answer.Open(v.r.Context(), v.engine(), v.request(access.Get, u))
	if err != nil {
		v.failed(u, err)
		return
	}
	defer resource.Body.Close()
	l, is := resource.List, resource.List != nil
	if !is {
		v.redirect(v.href(u))
		return
	}
	v.w.Header().Set("Content-Type", asPage.mediaType())
	v.listPage(resource, l, by)
}

// arranged returns entries in the order in which a page shows them: sorted by by,
// or as threads of articles, or as they came.
func arranged(entries []access.Entry, by column) []threaded {
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
