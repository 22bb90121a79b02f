package gateway

import "locus/access"

// A threaded entry is one of a thread: an article, and how far below the first
// one it stands.
type threaded struct {
	access.Entry
	depth int
}

// threads returns entries as threads: each article that answers another of them
// comes below that one (the facts "Message-ID" and "References", whose last is
// the one that is answered). A thread stands where the first of its articles to
// come stood. Entries that are no articles stay where they are.
func threads(entries []access.Entry) []threaded {
	at := make(map[string]int) // by message-id
	for i, e := range entries {
		if id := valueOf(e, "Message-ID"); id != "" {
			if _, twice := at[id]; !twice {
				at[id] = i
			}
		}
	}
	f := forest{entries: entries, parent: make([]int, len(entries)), children: make(map[int][]int)}
	for i := range entries {
		f.parent[i] = none
	}
	for i, e := range entries {
		f.adopt(i, valuesOf(e, "References"), at)
	}
	// The newest comes first in a group, but within a thread the eldest does.
	for i := len(entries) - 1; i >= 0; i-- {
		if p := f.parent[i]; p != none {
			f.children[p] = append(f.children[p], i)
		}
	}
	return f.flatten()
}

type forest struct {
	entries  []access.Entry
	parent   []int
	children map[int][]int
}

const none = -1

// adopt finds the parent of an entry: the last of its references that is here.
// References that lie make no circle.
func (f *forest) adopt(i int, references []string, at map[string]int) {
	for n := len(references) - 1; n >= 0; n-- {
		if p, ok := at[references[n]]; ok && f.root(p) != i {
			f.parent[i] = p
			return
		}
	}
}

// root returns the first article of the thread of i.
func (f *forest) root(i int) int {
	for f.parent[i] != none {
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

// valueOf returns the value of an entry's first fact of a name.
func valueOf(e access.Entry, name string) string {
	if all := valuesOf(e, name); len(all) > 0 {
		return all[0]
	}
	return ""
}

func valuesOf(e access.Entry, name string) []string {
	var values []string
	for _, f := range access.Facts(e.Sys) {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return values
}
