package content

import (
	"cmp"
	"errors"
	"slices"

	"locus/access"
	"locus/gateway/internal/entry"
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

	Count   Tally // counts the entries that were read and match the filter
	IsWhole bool  // Count is the count of the whole listing
	IsShort bool  // entries are left out, because they need too much memory

	Incomplete      error // why the server may have more entries, or nil
	IsSearchedAgain bool  // the next page needs another search, for more entries

	FoldersFirst bool // folders come before the other entries
}

// noteIncomplete reports whether e has a reason why the server may have more entries, and stores the
// reason in g.
func (g *Gathering) noteIncomplete(e access.Entry) bool {
	if e.Incomplete != nil {
		g.Incomplete = e.Incomplete
	}
	return e.Incomplete != nil
}

// canSearchAgain reports whether a search for more entries gives the page after this one. It is false
// if d changes the order of the server or has a filter, because then more entries may belong before
// this page.
func (g *Gathering) canSearchAgain(d Display) bool {
	_, more := access.RemedyFor(g.Incomplete).(access.NeedMore)
	return more && !d.IsArranged() && d.Filter == "" && len(g.Entries) > 0
}

// Gather reads the entries of the page that d describes, at most rows entries. If d changes the
// order, Gather reads the whole listing, because any entry may belong on the page. It keeps only the
// entries up to the end of the page.
//
// In a directory, folders come first. If a directory in the order of the server has more entries than
// the page, Gather keeps that order, because it would have to read all entries to find the folders.
//
// For each entry that Gather keeps, it calls reserve with the number of bytes of all kept entries. If
// reserve fails, Gather returns no entries, and End is the error. An error of l, except its end, also
// becomes End.
func Gather(l access.Lister, d Display, rows int, reserve func(n int) error) Gathering {
	l = entry.Bounded(l)
	if d.IsArranged() {
		return gatherArranged(l, d, rows, reserve)
	}
	var g Gathering
	size := 0
	for {
		e, err := l.Next()
		if err != nil {
			if g = g.ended(err); g.IsWhole && d.From == 0 && d.hasFoldersFirst() {
				g.Entries, g.FoldersFirst = d.smallest(g.Entries, len(g.Entries)), true
			}
			if g.End == nil && g.canSearchAgain(d) {
				g.Next, g.IsSearchedAgain = d.From+len(g.Entries), true
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
		g.Count.add(e)
		if g.Count.Entries > d.From {
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

// gatherArranged implements Gather for a d that changes the order of the entries. It reads the
// whole listing. It sorts the entries whenever it has twice as many as the page needs, and then
// drops the entries after the page.
func gatherArranged(l access.Lister, d Display, rows int, reserve func(n int) error) Gathering {
	g := Gathering{FoldersFirst: d.hasFoldersFirst()}
	most := d.From + rows  // entries up to the end of the page
	var last *access.Entry // the last of the first most entries; nil while fewer were read
	size := 0
	for {
		e, err := l.Next()
		if err != nil {
			g.Entries = d.smallest(g.Entries, most)
			if g.Count.Entries > most && !g.IsShort {
				g.Next = most
			}
			g.Entries = g.Entries[min(d.From, len(g.Entries)):]
			g.Size = size
			return g.ended(err)
		}
		if g.noteIncomplete(e) || !d.matches(e) {
			continue
		}
		g.Count.add(e)
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
				g.Entries, g.IsShort, most = d.smallest(g.Entries, i+1), true, i+1
				break
			}
		}
		if len(g.Entries) == most {
			last = new(g.Entries[most-1])
		}
	}
}

// smallest sorts entries in place by d, and returns the first n of them, or all if there are fewer.
// It clears the entries after the first n. Entries that d does not order keep their order.
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

// ended returns g after Next has failed with err: it sets IsShort if the listing is too long,
// IsWhole if it has ended, or End if it has failed.
func (g Gathering) ended(err error) Gathering {
	switch {
	case errors.Is(err, entry.ErrLong):
		g.IsShort = true
	case access.IsEnd(err):
		g.IsWhole = g.Incomplete == nil
	default:
		g.End = err
	}
	return g
}

// A Tally counts entries.
type Tally struct {
	Entries  int
	Kinds    [access.Failure + 1]int // by the kind of the entries
	Groups   int                     // folders that are newsgroups
	Terms    int                     // folders that are terms in the index of a library
	Articles int                     // files that are articles
	Bytes    int64                   // the sum of the known sizes of files
	Unsized  int                     // files of unknown size
}

// add counts e in each field to which it belongs.
func (t *Tally) add(e access.Entry) {
	t.Entries++
	if int(e.Kind) >= len(t.Kinds) {
		e.Kind = access.Unknown
	}
	t.Kinds[e.Kind]++
	switch e.Kind {
	case access.Directory:
		if entry.Value(e, "Articles") != "" {
			t.Groups++
		}
		if entry.Value(e, "Records") != "" {
			t.Terms++
		}
	case access.Object:
		if entry.IsMessage(e.Type) {
			t.Articles++
		}
		if e.Size >= 0 {
			t.Bytes += e.Size
		} else {
			t.Unsized++
		}
	}
}
