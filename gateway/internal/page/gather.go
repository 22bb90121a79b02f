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

// What one page keeps of a listing in memory, in bytes: each entry may be as long as a line.
const (
	maxTogether = 8 << 20  // the entries that it shows
	maxSorted   = 32 << 20 // the entries that it sorts
)

// A Gathering is what one page shows of a listing. It is the only place where a page
// keeps entries.
type Gathering struct {
	Size    int            // about how many bytes the entries have
	Entries []access.Entry // of the page, in its order
	Next    int            // Display.From of the next page; 0: there is none
	End     error          // why the listing broke off; nil if it did not

	count   tally // of the entries that were read and match the filter
	isWhole bool  // count is the count of the whole listing
	isShort bool  // entries are left out, because they need too much memory

	incomplete      error // why the server may have more entries; nil if it has no more
	isSearchedAgain bool  // the next page needs another search, for more entries
}

// noteIncomplete records that the server may have more entries, if e says so.
func (g *Gathering) noteIncomplete(e access.Entry) bool {
	if e.Incomplete != nil {
		g.incomplete = e.Incomplete
	}
	return e.Incomplete != nil
}

// canSearchAgain reports whether a search for more entries gives the page after this one.
// If d does not keep the order of the server, they may belong before it.
func (g *Gathering) canSearchAgain(d Display) bool {
	_, more := access.RemedyFor(g.incomplete).(access.NeedMore)
	return more && !d.isArranged() && d.Filter == "" && len(g.Entries) > 0
}

// Gather reads what d shows of a listing, at most rows entries. An order of d is the order
// of the whole listing: Gather reads to the end, and keeps only what comes up to the page.
//
// It calls reserve with how many bytes it keeps, before it keeps more. If that fails, there
// are no entries, and End is the error.
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
				g.Entries = slices.Grow(g.Entries, min(max(n, 16), rows-n)) // append would grow by a quarter: more copies
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

func gatherArranged(l access.Lister, d Display, rows int, reserve func(n int) error) Gathering {
	var g Gathering
	most := d.From + rows  // how many entries come up to the end of the page
	var last *access.Entry // the last of as many; nil while there are fewer
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
			if size += entry.Size + entry.TextSize(e); size >= maxSorted/2 { // what follows is left out
				g.Entries, g.isShort, most = d.smallest(g.Entries, i+1), true, i+1
				break
			}
		}
		if len(g.Entries) == most {
			last = new(g.Entries[most-1])
		}
	}
}

// smallest returns the entries that come first in the order of d, at most n, in order.
func (d Display) smallest(entries []access.Entry, n int) []access.Entry {
	order := make([]int32, len(entries)) // sorted in place of the entries, which are large
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

// dropOwnSearch drops the first entry that is not text, and the text before it, if the entry is
// the search of u itself: the page has a field for that. u is the URL of the listing.
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
	groups         int   // of the folders: newsgroups
	terms          int   // of the folders: terms of the index of a library
	info           int   // lines of text
	articles       int   // of the files
	bytes          int64 // of the files whose size is known
	unsized        int   // files whose size is not known
}

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

// String returns "3 items: 1 folder, 2 files, 20 bytes", or "2 files, 20 bytes" if there is
// nothing else. It leaves out a sum that is not known.
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
