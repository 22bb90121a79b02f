package content

import (
	"slices"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/url"
)

// A Threaded entry is an entry with its depth in a thread.
type Threaded struct {
	access.Entry
	Depth int // 0 for the first article of a thread
}

// Threads groups entries into threads by the fields "Message-ID" and "References". An article comes
// below the article that it answers. A thread takes the position of the first of its entries.
// Entries that are not articles keep their positions.
func Threads(entries []access.Entry) []Threaded {
	indexes := make(map[string]int) // by message-id
	for i, e := range entries {
		for _, id := range e.Header.Values("Message-ID") {
			if _, twice := indexes[id]; !twice && id != "" {
				indexes[id] = i
			}
		}
	}
	parent := slices.Repeat([]int{noParent}, len(entries))
	f := forest{entries: entries, parent: parent, above: slices.Clone(parent), children: make(map[int][]int)}
	for i, e := range entries {
		f.setParent(i, e.Header.Values("References"), indexes)
	}
	// A group lists the newest article first, but a thread shows the oldest first.
	for i := len(entries) - 1; i >= 0; i-- {
		if p := f.parent[i]; p != noParent {
			f.children[p] = append(f.children[p], i)
		}
	}
	return f.flatten()
}

// A forest has the threads of entries as indexes of entries.
type forest struct {
	entries  []access.Entry
	parent   []int
	above    []int // an ancestor: the parent at first, and then one nearer to the root
	children map[int][]int
}

const noParent = -1

// setParent makes entry i an answer to the last of its references that is listed. It skips
// references that would make a cycle. indexes has the indexes of the entries by their message-ids.
func (f *forest) setParent(i int, references []string, indexes map[string]int) {
	for n := len(references) - 1; n >= 0; n-- {
		if p, ok := indexes[references[n]]; ok && f.root(p) != i {
			f.parent[i], f.above[i] = p, p
			return
		}
	}
}

// root returns the index of the first article of the thread to which entry i belongs. It halves the
// way to the root for later calls, because an author can make a long chain of articles.
func (f *forest) root(i int) int {
	for f.above[i] != noParent {
		if next := f.above[f.above[i]]; next != noParent {
			f.above[i] = next
		}
		i = f.above[i]
	}
	return i
}

// flatten returns all entries, thread by thread. A thread takes the position of the first of its
// entries.
func (f *forest) flatten() []Threaded {
	rows := make([]Threaded, 0, len(f.entries))
	shown := make(map[int]bool)
	for i := range f.entries {
		if root := f.root(i); !shown[root] {
			shown[root] = true
			rows = f.add(rows, root, 0)
		}
	}
	return rows
}

// add appends entry i and all answers to it to rows, and returns the longer rows. An answer is one
// deeper than its entry.
func (f *forest) add(rows []Threaded, i, depth int) []Threaded {
	rows = append(rows, Threaded{f.entries[i], depth})
	for _, child := range f.children[i] {
		rows = f.add(rows, child, depth+1)
	}
	return rows
}

// IsAt reports whether e leads to u, or is the article with the message-id id. An id of "" is
// ignored.
func IsAt(e access.Entry, u url.URL, id string) bool {
	if id != "" && entry.Value(e, "Message-ID") == id {
		return true
	}
	return e.URL == u || !e.URL.IsZero() && e.URL.String() == u.String()
}

// NextShown returns the index of the nearest entry that a browser shows, after i if direction is 1,
// and before i if it is -1. It returns -1 if rows has no such entry.
func NextShown(rows []Threaded, i, direction int) int {
	for i += direction; i >= 0 && i < len(rows); i += direction {
		e := rows[i].Entry
		base := entry.BaseType(e.Type)
		if e.Kind == access.Object && !e.URL.IsZero() && (IsShown(base) || entry.IsMessage(base) || Viewer(base) != "") {
			return i
		}
	}
	return -1
}
