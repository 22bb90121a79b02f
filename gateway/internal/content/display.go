package content

import (
	"cmp"
	neturl "net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/access"
	"locus/gateway/internal/entry"
)

// A Display says how the reader of a page wants to see a listing. The zero Display shows the first
// page in the order of the server.
type Display struct {
	Sort    Column // the zero Column keeps the order of the server
	Filter  string // words that the names must have; "" shows all entries
	From    int    // how many entries come before the page
	Rows    int    // how many entries the page has; 0 means as many as the gateway allows
	Folders FolderOrder
	Grid    bool // a grid of pictures instead of a table

	IsDirectory bool // the listing is a directory of files: see FoldersUsual. It is not part of the query
}

// A FolderOrder says where the folders of a listing come. Its text is a value of a query.
type FolderOrder string

const (
	FoldersUsual FolderOrder = "" // first in a directory, if that is sorted or fits on one page
	FoldersFirst FolderOrder = "first"
	FoldersMixed FolderOrder = "mixed" // where the order puts them
)

// maxFrom bounds Display.From, so that sums of it fit. Listings are shorter.
const maxFrom = 1 << 28

// A Column is the column that a table is sorted by.
type Column struct {
	Name       string // a key of orders
	Descending bool
}

// ParseDisplay reads a Display from the query q. ok is false if the column or a number is invalid; an
// invalid order of the folders is ignored.
func ParseDisplay(q neturl.Values) (d Display, ok bool) {
	d = Display{Filter: strings.TrimSpace(q.Get("filter")), Folders: FolderOrder(q.Get("folders")), Grid: q.Get("view") == "grid"}
	if d.Folders != FoldersFirst && d.Folders != FoldersMixed {
		d.Folders = FoldersUsual
	}
	if key := q.Get("sort"); key != "" {
		d.Sort.Name, d.Sort.Descending = strings.CutPrefix(key, "-")
		if d.Sort.Descending {
			d.Sort.Name = key[1:]
		}
		if orderBy(d.Sort.Name) == nil {
			return Display{}, false
		}
	}
	if from := q.Get("from"); from != "" {
		n, err := strconv.Atoi(from)
		if err != nil || n < 0 {
			return Display{}, false
		}
		d.From = min(n, maxFrom)
	}
	if rows := q.Get("rows"); rows != "" {
		n, err := strconv.Atoi(rows)
		if err != nil || n < 1 {
			return Display{}, false
		}
		d.Rows = n
	}
	return d, true
}

// key returns the column as a value of a query: "size", or "-size" if it is descending.
func (c Column) key() string {
	if c.Descending {
		return "-" + c.Name
	}
	return c.Name
}

// Query inverts ParseDisplay: it returns the names and values of a query. It leaves out fields that
// are zero, and Rows on the first page.
func (d Display) Query() [][2]string {
	var pairs [][2]string
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, [2]string{name, value})
		}
	}
	add("sort", d.Sort.key())
	add("folders", string(d.Folders))
	if d.Grid {
		add("view", "grid")
	}
	add("filter", d.Filter)
	if d.From > 0 {
		add("from", strconv.Itoa(d.From))
	}
	if d.Rows > 0 && d.From > 0 {
		add("rows", strconv.Itoa(d.Rows))
	}
	return pairs
}

// FirstPage returns d with From 0.
func (d Display) FirstPage() Display {
	d.From = 0
	return d
}

// IsArranged reports whether d asks for another order than the order of the server.
func (d Display) IsArranged() bool { return d.Sort.Name != "" || d.Folders == FoldersFirst }

// hasFoldersFirst reports whether folders come first in a listing that d sorts, or that fits on one
// page.
func (d Display) hasFoldersFirst() bool {
	return d.Folders == FoldersFirst || d.Folders == FoldersUsual && d.IsDirectory
}

// Order returns a Display with only the column and the order of the folders, which a browser may
// remember for every directory. A column that directories lack is left out.
func (d Display) Order() Display {
	switch d.Sort.Name {
	case "name", "type", "size", "date":
		return Display{Sort: d.Sort, Folders: d.Folders}
	}
	return Display{Folders: d.Folders}
}

// matches reports whether the title of e contains every word of the filter, in any case of letters.
// Without a filter it is true. With a filter it is false for an Info.
func (d Display) matches(e access.Entry) bool {
	if d.Filter == "" {
		return true
	}
	if e.Kind == access.Info {
		return false
	}
	title := strings.ToLower(e.Title)
	for word := range strings.FieldsSeq(strings.ToLower(d.Filter)) {
		if !strings.Contains(title, word) {
			return false
		}
	}
	return true
}

// compare returns -1 if a comes before b in the order of d, 1 if it comes after b, and 0 if d does
// not order them.
func (d Display) compare(a, b access.Entry) int {
	if aIs, bIs := a.Kind == access.Directory, b.Kind == access.Directory; aIs != bIs && d.hasFoldersFirst() {
		if aIs {
			return -1
		}
		return 1
	}
	order := orderBy(d.Sort.Name)
	switch {
	case order == nil:
		return 0
	case d.Sort.Descending:
		return order(b, a)
	}
	return order(a, b)
}

// orderBy returns the function that compares two entries by a column in ascending order, as
// cmp.Compare does. It returns nil for an unknown column.
func orderBy(column string) func(a, b access.Entry) int {
	switch column {
	case "name":
		return func(a, b access.Entry) int {
			return cmp.Or(compareLower(a.Title, b.Title), cmp.Compare(a.Title, b.Title))
		}
	case "type":
		return func(a, b access.Entry) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Type, b.Type)) }
	case "size":
		return func(a, b access.Entry) int {
			return cmp.Compare(max(a.Size, a.Rough.Size), max(b.Size, b.Rough.Size))
		}
	case "date":
		return func(a, b access.Entry) int {
			return cmp.Or(a.ModTime.Compare(b.ModTime), cmp.Compare(yearOf(a), yearOf(b)))
		}
	case "from":
		return func(a, b access.Entry) int { return cmp.Compare(entry.Value(a, "From"), entry.Value(b, "From")) }
	case "author":
		return func(a, b access.Entry) int {
			return cmp.Compare(strings.ToLower(entry.Value(a, "Author")), strings.ToLower(entry.Value(b, "Author")))
		}
	case "lines":
		return func(a, b access.Entry) int { return cmp.Compare(numberOf(a, "Lines"), numberOf(b, "Lines")) }
	case "score":
		return func(a, b access.Entry) int { return cmp.Compare(numberOf(a, "Score"), numberOf(b, "Score")) }
	}
	return nil
}

// compareLower compares two texts in lower case, and returns -1, 0 or 1 as strings.Compare does. It
// allocates only for letters beyond ASCII, because sorting a long listing takes a hundred thousand
// comparisons.
func compareLower(a, b string) int {
	for i := range min(len(a), len(b)) {
		c, d := a[i], b[i]
		if c >= utf8.RuneSelf || d >= utf8.RuneSelf {
			return cmp.Compare(strings.ToLower(a[i:]), strings.ToLower(b[i:]))
		}
		if c, d = lower(c), lower(d); c != d {
			return cmp.Compare(c, d)
		}
	}
	return cmp.Compare(len(a), len(b))
}

// lower returns c in lower case if it is an ASCII letter, and c itself otherwise.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// IsSortable reports whether a table can be sorted by a column.
func IsSortable(column string) bool { return orderBy(column) != nil }

// StartsDescending reports whether a table that is sorted by a column should begin with the largest
// value at first.
func StartsDescending(column string) bool {
	return column == "size" || column == "date" || column == "score" || column == "lines"
}

// yearOf returns the first four digits in a row in the field "Date" of e, or "". Catalogues write
// "c1998" or "[1583?]".
func yearOf(e access.Entry) string {
	date, digits := entry.Value(e, "Date"), 0
	for i, c := range date {
		if digits++; c < '0' || c > '9' {
			digits = 0
		}
		if digits == len("1998") {
			return date[i-3 : i+1]
		}
	}
	return ""
}

// numberOf returns the named field of e as a number, or -1 if the field is missing or not a number.
func numberOf(e access.Entry, name string) int64 {
	n, err := strconv.ParseInt(entry.Value(e, name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
