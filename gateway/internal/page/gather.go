package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/url"
)

// Limits of the entries that one page keeps in memory, in bytes. They are necessary because the
// text of each entry may be as long as a line.
const (
	maxTogether = 8 << 20  // the entries that the page shows
	maxSorted   = 32 << 20 // the entries that the page sorts
)

// A Gathering has the entries that one page shows. A page does not keep other entries in memory.
type Gathering struct {
	Size    int            // about how many bytes the entries have
	Entries []access.Entry // the entries of the page in its order
	Next    int            // Display.From of the next page; 0 if this is the last page
	End     error          // why the listing broke off, or nil

	count   tally // counts the entries that were read and match the filter
	isWhole bool  // count is the count of the whole listing
	isShort bool  // entries are left out, because they need too much memory

	incomplete      error // why the server may have more entries, or nil
	isSearchedAgain bool  // the next page needs another search, for more entries
}

// noteIncomplete keeps the reason of e why the server may have more entries. It reports whether e
// has a reason.
func (g *Gathering) noteIncomplete(e access.Entry) bool {
	if e.Incomplete != nil {
		g.incomplete = e.Incomplete
	}
	return e.Incomplete != nil
}

// canSearchAgain reports whether a search for more entries gives the page after this one. If d
// changes the order of the server, more entries may belong before this page.
func (g *Gathering) canSearchAgain(d Display) bool {
	_, more := access.RemedyFor(g.incomplete).(access.NeedMore)
	return more && !d.isArranged() && d.Filter == "" && len(g.Entries) > 0
}

// Gather reads the entries of the page that d describes, at most rows entries. If d changes the
// order, Gather reads the whole listing, because any entry may belong on the page. It keeps only
// the entries up to the end of the page.
//
// Before Gather keeps more entries, it calls reserve with the number of bytes that it keeps
// together. If reserve fails, Gather returns no entries, and End is the error.
func Gather(l access.Lister, d Display, rows int, reserve func(n int) error) Gathering {
	l = entry.Bounded(l)
	if d.isArranged() {
		return gatherArranged(l, d, rows, reserve)
	}
	var g Gathering
	size := 0
	for {
		e, err := l.Next()
		if err != nil {
			g = g.ended(err)
			if g.End == nil && g.canSearchAgain(d) {
				g.Next, g.isSearchedAgain = d.From+len(g.Entries), true
			}
			return g
		}
		if g.noteIncomplete(e) || !d.matches(e) {
			continue
		}
		if len(g.Entries) >= rows || size >= maxTogether {
			g.Next = d.From + len(g.Entries)
			return g
		}
		g.count.add(e)
		if g.count.entries > d.From {
			if n := len(g.Entries); n == cap(g.Entries) {
				g.Entries = slices.Grow(g.Entries, min(max(n, 16), rows-n)) // append would grow by a quarter, and copy more often
			}
			g.Entries = append(g.Entries, e)
			size += entry.Size + entry.TextSize(e)
			if err := reserve(size); err != nil {
				return Gathering{End: err}
			}
			g.Size = size
		}
	}
}

// gatherArranged is Gather for a d that changes the order. It sorts the entries whenever it has twice
// as many as the page needs, and drops the entries after the page.
func gatherArranged(l access.Lister, d Display, rows int, reserve func(n int) error) Gathering {
	var g Gathering
	most := d.From + rows  // entries up to the end of the page
	var last *access.Entry // the last of the first most entries; nil while fewer were read
	size := 0
	for {
		e, err := l.Next()
		if err != nil {
			g.Entries = d.smallest(g.Entries, most)
			if g.count.entries > most && !g.isShort {
				g.Next = most
			}
			g.Entries = g.Entries[min(d.From, len(g.Entries)):]
			g.Size = size
			return g.ended(err)
		}
		if g.noteIncomplete(e) || !d.matches(e) {
			continue
		}
		g.count.add(e)
		if last != nil && d.compare(e, *last) >= 0 {
			continue // it comes after the page
		}
		g.Entries = append(g.Entries, e)
		size += entry.Size + entry.TextSize(e)
		if err := reserve(size); err != nil {
			return Gathering{End: err}
		}
		if len(g.Entries) < 2*most && size < maxSorted {
			continue
		}
		g.Entries = d.smallest(g.Entries, most)
		size = 0
		for i, e := range g.Entries {
			if size += entry.Size + entry.TextSize(e); size >= maxSorted/2 { // the entries after it are left out
				g.Entries, g.isShort, most = d.smallest(g.Entries, i+1), true, i+1
				break
			}
		}
		if len(g.Entries) == most {
			last = new(g.Entries[most-1])
		}
	}
}

// smallest sorts entries by d, and returns the first n of them.
func (d Display) smallest(entries []access.Entry, n int) []access.Entry {
	order := make([]int32, len(entries)) // indexes are sorted instead of entries, because entries are large
	for i := range order {
		order[i] = int32(i) //nolint:gosec // maxSorted bounds entries
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Or(d.compare(entries[i], entries[j]), cmp.Compare(i, j)) })
	permute(entries, order)
	if len(entries) > n {
		clear(entries[n:])
		entries = entries[:n]
	}
	return entries
}

// permute sets each entries[i] to the entry that was at order[i]. It overwrites order.
func permute(entries []access.Entry, order []int32) {
	const done = -1
	for i := range order {
		if order[i] == done {
			continue
		}
		first, to := entries[i], i
		for from := order[i]; int(from) != i; from = order[to] {
			entries[to], order[to] = entries[from], done
			to = int(from)
		}
		entries[to], order[to] = first, done
	}
}

// ended returns g at the end of its listing.
func (g Gathering) ended(err error) Gathering {
	switch {
	case errors.Is(err, entry.ErrLong):
		g.isShort = true
	case access.IsEnd(err):
		g.isWhole = g.incomplete == nil
	default:
		g.End = err
	}
	return g
}

// dropOwnSearch drops the search of u itself and the text before it, if that search is the first
// entry that is not text. The page of u has a field for the search. u is the URL of the listing.
func (g *Gathering) dropOwnSearch(u url.URL) {
	for i, e := range g.Entries {
		switch {
		case e.Kind == access.Search && e.URL == u:
			g.Entries = g.Entries[i+1:]
			g.count.entries -= i + 1
			g.count.info -= i
			return
		case e.Kind != access.Info:
			return
		}
	}
}

// A tally counts entries.
type tally struct {
	entries        int
	folders, files int
	groups         int   // folders that are newsgroups
	terms          int   // folders that are terms in the index of a library
	info           int   // lines of text
	articles       int   // files that are articles
	bytes          int64 // the sum of the known sizes of files
	unsized        int   // files of unknown size
}

// add counts an entry by its kind.
func (t *tally) add(e access.Entry) {
	t.entries++
	switch e.Kind {
	case access.Info:
		t.info++
	case access.Directory:
		t.folders++
		if valueOf(e, "Articles") != "" {
			t.groups++
		}
		if valueOf(e, "Records") != "" {
			t.terms++
		}
	case access.Object:
		t.files++
		if entry.IsMessage(e.Type) {
			t.articles++
		}
		if e.Size >= 0 {
			t.bytes += e.Size
		} else {
			t.unsized++
		}
	}
}

// String returns "3 items: 1 folder, 2 files, 20 bytes", or "2 files, 20 bytes" if all entries are
// files. It leaves out the sum of the sizes if a size is unknown.
func (t tally) String() string {
	items := t.entries - t.info
	var parts []string
	switch {
	case t.folders > 0 && t.groups == t.folders:
		parts = append(parts, counted(t.folders, "newsgroup", "newsgroups"))
	case t.folders > 0 && t.terms == t.folders:
		parts = append(parts, counted(t.folders, "term", "terms"))
	case t.folders > 0:
		parts = append(parts, counted(t.folders, "folder", "folders"))
	}
	switch {
	case t.files > 0 && t.articles == t.files:
		parts = append(parts, counted(t.files, "article", "articles"))
	case t.files > 0:
		parts = append(parts, counted(t.files, "file", "files"))
	}
	all := strings.Join(parts, ", ")
	if items != t.files && items != t.folders || items == 0 {
		all = strings.TrimSuffix(counted(items, "item", "items")+": "+all, ": ")
	}
	if t.files > 0 && t.unsized == 0 {
		all += ", " + humanSize(t.bytes)
	}
	return all
}

// counted returns "1 item" or "1,234 items".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped formats a number with commas: "1,234".
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
