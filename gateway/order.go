package gateway

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"locus/access"
	"locus/proto/web"
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

// columns returns the columns of the table at x.url, which is sorted by by. hasType says
// whether it has a column for the type.
func (x *exchange) columns(by column, hasType bool) []column {
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
		c.Href = template.URL(x.ownURL("list?sort=" + key + "&url=" + escaped(x.url))) //nolint:gosec // the gateway's own
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
	"size": func(a, b access.Entry) int { return cmp.Compare(max(a.Size, a.Rough.Size), max(b.Size, b.Rough.Size)) },
	"date": func(a, b access.Entry) int { return a.ModTime.Compare(b.ModTime) },
}

// sortedList answers with the page of a listing that is sorted by a column.
func (x *exchange) sortedList() error {
	if err := x.readURL(); err != nil {
		return err
	}
	by, known := parseColumn(x.query("sort"))
	if !known {
		return errNoPage
	}
	resource, err := x.openURL()
	if err != nil {
		return err
	}
	defer resource.Body.Close()
	resource = web.Listed(resource)
	if resource.List == nil {
		x.redirect(x.href(x.url))
		return nil
	}
	x.w.Header().Set("Content-Type", asPage.contentType())
	return x.listPage(resource, by)
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

// A threaded entry is an entry with its depth in a thread.
type threaded struct {
	access.Entry
	depth int // 0: the first article
}

// threads groups entries into threads, by the facts "Message-ID" and "References". An
// article comes below the one that it answers. A thread comes where the first of its
// entries was. Entries that are not articles stay where they are.
func threads(entries []access.Entry) []threaded {
	indexes := make(map[string]int) // by message-id
	for i, e := range entries {
		for _, id := range valuesOf(e, "Message-ID") {
			if _, twice := indexes[id]; !twice && id != "" {
				indexes[id] = i
			}
		}
	}
	f := forest{entries: entries, parent: make([]int, len(entries)), children: make(map[int][]int)}
	for i := range entries {
		f.parent[i] = noParent
	}
	for i, e := range entries {
		f.setParent(i, valuesOf(e, "References"), indexes)
	}
	// A group lists the newest first; a thread shows the oldest first.
	for i := len(entries) - 1; i >= 0; i-- {
		if p := f.parent[i]; p != noParent {
			f.children[p] = append(f.children[p], i)
		}
	}
	return f.flatten()
}

// A forest has the threads of entries, which it names by their indexes.
type forest struct {
	entries  []access.Entry
	parent   []int
	children map[int][]int
}

const noParent = -1

// setParent sets the parent of an entry: the last of its references that is listed. It
// skips references that would make a circle.
func (f *forest) setParent(i int, references []string, indexes map[string]int) {
	for n := len(references) - 1; n >= 0; n-- {
		if p, ok := indexes[references[n]]; ok && f.root(p) != i {
			f.parent[i] = p
			return
		}
	}
}

// root returns the first article of the thread of i.
func (f *forest) root(i int) int {
	for f.parent[i] != noParent {
		i = f.parent[i]
	}
	return i
}

func (f *forest) flatten() []threaded {
	rows := make([]threaded, 0, len(f.entries))
	shown := make(map[int]bool)
	for i := range f.entries {
		if root := f.root(i); !shown[root] {
			shown[root] = true
			rows = f.add(rows, root, 0)
		}
	}
	return rows
}

func (f *forest) add(rows []threaded, i, depth int) []threaded {
	rows = append(rows, threaded{f.entries[i], depth})
	for _, child := range f.children[i] {
		rows = f.add(rows, child, depth+1)
	}
	return rows
}

// valuesOf returns the values of the facts with a name.
func valuesOf(e access.Entry, name string) []string {
	var values []string
	for _, f := range access.Facts(e.Sys) {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return values
}
