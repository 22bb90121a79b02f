package render

import (
	"bytes"
	"io"

	"locus/access"
	"locus/internal/cells"
)

// Terminal returns a Func that writes entries as lines for a terminal with this number of columns:
// name, size in bytes, and time of the last change. Lines fit the terminal: longer names end in
// "…". The kind of an entry takes the place of an unknown size.
//
//	About this server
//	notes.txt                                                812  2026-11-20 09:15
//	pictures                                              folder  2026-11-19 22:40
//
// Lines of text, which are entries without a URL, are written whole. As in the lines of Text, a
// book has its author and its date in place of size and time, and a term its number of records.
func Terminal(w io.Writer, columns int) Func {
	t := &terminalFormat{w: w, columns: columns}
	return t.write
}

type terminalFormat struct {
	w       io.Writer
	columns int
	seen    columns
	line    []byte
}

// write writes one line for an entry to t.w. The line of an entry without a URL is the title,
// unless the entry is a failure.
func (t *terminalFormat) write(e access.Entry) error {
	name := cleanTitle(e.Title)
	if e.URL.IsZero() && e.Kind != access.Failure {
		t.line = append(append(t.line[:0], name...), '\n')
	} else {
		t.entry(e, name)
	}
	_, err := t.w.Write(t.line)
	return err
}

// leastName and mostName bound the width of the column for names. A narrow terminal loses other
// columns before the names become shorter, and on a wide one the sizes stay near the names.
const (
	leastName = 20
	mostName  = 72
)

// entry sets t.line to the line of an entry with this name. It leaves cells out, from the last one
// on, if they would make the name too short. It leaves the last column of the terminal free,
// because some terminals begin a new line after it.
func (t *terminalFormat) entry(e access.Entry, name string) {
	list := t.cells(e)
	room := t.columns - 1
	for _, c := range list {
		room -= len("  ") + c.width
	}
	for len(list) > 0 && room < leastName {
		last := len(list) - 1
		room += len("  ") + list[last].width
		list = list[:last]
	}
	room = min(room, mostName)
	name = cells.Cut(name, room)
	t.line = appendBlanks(append(t.line[:0], name...), room-cells.Of(name))
	for _, c := range list {
		c.text = cells.Cut(c.text, c.width)
		t.line = c.append(t.line)
	}
	t.line = append(bytes.TrimRight(t.line, " "), '\n')
}

// cells returns the cells that follow the name of e in its line: its details as a book or a term,
// or its size and its time. A listing without times keeps their column empty, because a later entry
// may have a time.
func (t *terminalFormat) cells(e access.Entry) []cell {
	list := t.seen.of(e)
	if t.seen.books || t.seen.counts {
		return list
	}
	size, when := sizeText(e), ""
	if size == "-" && e.Kind != access.Unknown {
		size = Kind(e.Kind)
	}
	if t.seen.details && e.Kind != access.Failure {
		when = Time(e)
	}
	return []cell{{text: size, width: 10, right: true}, {text: when, width: len("2006-01-02 15:04?")}}
}
