package nfs_test

import (
	"fmt"
	"maps"
	"slices"

	"locus/internal/xdr"
)

// readDir replies with at most three entries.
func (m *memory) readDir(c *rpcCall, w *xdr.Writer, f *memFile, h string) {
	if c.name == "READDIRPLUS" && m.noPlus {
		w.Uint32(10004)
		w.Bool(false)
		return
	}
	if m.endless > 0 {
		m.readEndless(c.args.Uint64(), w, h)
		return
	}
	cookie := int(c.args.Uint64())
	names := append([]string{".", ".."}, slices.Sorted(maps.Keys(f.names))...)
	w.Uint32(0)
	m.attributes(w, h)
	w.Uint64(7)
	end := min(cookie+3, len(names))
	for i, name := range names[cookie:end] {
		w.Bool(true)
		w.Uint64(1)
		w.String(name)
		w.Uint64(uint64(cookie + i + 1))
		if c.name == "READDIRPLUS" {
			m.attributes(w, f.names[name])
			w.Bool(false)
		}
	}
	w.Bool(false)
	w.Bool(end == len(names))
}

// readEndless replies to READDIRPLUS with a part of the endless entries.
func (m *memory) readEndless(cookie uint64, w *xdr.Writer, h string) {
	w.Uint32(0)
	m.attributes(w, h)
	w.Uint64(7)
	end := min(cookie+m.batch, m.endless)
	for i := cookie; i < end; i++ {
		w.Bool(true)
		w.Uint64(i)
		w.String(fmt.Sprint("name", i))
		next := i + 1
		if m.cycle > 0 {
			next = i%m.cycle + 1
		}
		w.Uint64(next)
		w.Bool(true)
		m.sized(w, &memFile{kind: 1, modTime: epoch}, i)
		w.Bool(false)
	}
	w.Bool(false)
	w.Bool(end == m.endless)
}
