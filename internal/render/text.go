package render

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"locus/access"
	"locus/internal/cells"
)

// titleWidth is the width of the column for titles.
const titleWidth = 40

// Text returns a Func that writes entries for people, one per line: title, kind, size in
// bytes, time of the last change, and URL.
//
//	About this server
//	notes.txt                                 file            812  2026-11-20 09:15  ftp://h/pub/notes.txt
//	pictures                                  folder            -  2026-11-19 22:40  ftp://h/pub/pictures/
//
// For an entry without a URL, only the title is written. Size and time appear from the
// first entry that has one of them; see [Size] and [Time].
//
// In the catalogue of a library, the author and the date of a book take the place of size
// and time, and so does the number of records of a term:
//
//	Moby Dick                                 file      Melville, Herman          1851        z39.50r://h/books?17
//	charts                                    folder        90 records  z39.50s://h/books;query=charts
func Text(w io.Writer) Func {
	t := &textWriter{w: w}
	return t.write
}

// Long returns a Func that writes one entry per line in the order of ls -l: kind, size in bytes,
// time of change in UTC, title, and URL. "-" stands for an unknown value, "~" marks a rounded
// size, and "?" a time whose time zone is unknown.
//
//	file              812  2024-05-06 07:08  notes.txt                                 ftp://h/pub/notes.txt
func Long(w io.Writer) Func {
	return func(e access.Entry) error {
		title := cleanTitle(e.Title)
		line := fmt.Appendf(nil, "%-8s %12s  %-16s  %s", Kind(e.Kind), sizeText(e), Time(e), title)
		if !e.URL.IsZero() {
			line = appendBlanks(line, titleWidth-cells.Of(title))
			line = append(append(line, "  "...), Clean(shownURL(e.URL))...)
		}
		_, err := w.Write(append(line, '\n'))
		return err
	}
}

// Kind returns the word for a kind of entry in text for people: "file", "folder", and otherwise
// the result of [access.Kind.String].
func Kind(k access.Kind) string {
	switch k {
	case access.Object:
		return "file"
	case access.Directory:
		return "folder"
	}
	return k.String()
}

// sizeText returns the size of an entry in bytes: "1234", "~1228" if the listing rounds it, "-"
// if it is unknown.
func sizeText(e access.Entry) string {
	switch {
	case e.Size >= 0:
		return strconv.FormatInt(e.Size, 10)
	case e.Rough.Size > 0:
		return "~" + strconv.FormatInt(e.Rough.Size, 10)
	}
	return "-"
}

// Time returns when an entry was last changed, to the minute: "2026-11-20 09:15" in UTC,
// "2026-11-20 09:15?" in an unknown time zone, "-" if it is unknown.
func Time(e access.Entry) string {
	const layout = "2006-01-02 15:04"
	switch {
	case !e.ModTime.IsZero():
		return e.ModTime.UTC().Format(layout)
	case !e.Rough.ModTime.IsZero():
		return e.Rough.ModTime.Format(layout) + "?"
	}
	return "-"
}

type textWriter struct {
	w    io.Writer
	seen columns
	line []byte
}

// write writes one line for an entry to t.w. The line of an entry without a URL is the title; for
// a failure, "failure" follows the title.
func (t *textWriter) write(e access.Entry) error {
	title := cleanTitle(e.Title)
	t.line = append(t.line[:0], title...)
	switch {
	case e.Kind == access.Failure:
		t.line = appendBlanks(t.line, titleWidth-cells.Of(title))
		t.line = append(t.line, "  failure"...)
	case !e.URL.IsZero():
		t.line = appendBlanks(t.line, titleWidth-cells.Of(title))
		t.line = cell{text: Kind(e.Kind), width: len("terminal")}.append(t.line)
		for _, c := range t.seen.of(e) {
			t.line = c.append(t.line)
		}
		t.line = cell{text: Clean(shownURL(e.URL))}.append(t.line)
	}
	t.line = append(t.line, '\n')
	_, err := t.w.Write(t.line)
	return err
}

// columns are the columns between the kind and the URL. Once an entry has a value for one of them,
// all later entries have the same columns.
type columns struct {
	details bool // an entry so far had a size or a time
	books   bool // an entry so far had an author or a date of publication
	counts  bool // an entry so far had a number of records
}

// of returns the cells of an entry between its kind and its URL: author and date, the number of
// records, or size and time. It first records in c which values e has, because these and all
// earlier values decide which cells every later entry gets. It returns nil if no entry so far had
// a value.
func (c *columns) of(e access.Entry) []cell {
	size, when, about := sizeText(e), Time(e), catalogued(e)
	c.books = c.books || about.Author != "" || about.Date != ""
	c.counts = c.counts || about.Records != ""
	c.details = c.details || size != "-" || when != "-"
	switch {
	case c.books:
		return []cell{
			{text: cmp.Or(cleanTitle(about.Author), "-"), width: 24},
			{text: cmp.Or(cleanTitle(about.Date), "-"), width: 10},
		}
	case c.counts:
		return []cell{{text: recordCount(about.Records), width: 14, right: true}}
	case c.details:
		return []cell{{text: size, width: 10, right: true}, {text: when, width: len("2006-01-02 15:04")}}
	}
	return nil
}

// A cell is the value of an entry in one column.
type cell struct {
	text  string
	width int  // of the column
	right bool // the text is aligned to the right
}

// append appends two spaces and the text of c, padded to its width, to line, and returns the
// extended slice.
func (c cell) append(line []byte) []byte {
	free := c.width - cells.Of(c.text)
	line = append(line, "  "...)
	if c.right {
		return append(appendBlanks(line, free), c.text...)
	}
	return appendBlanks(append(line, c.text...), free)
}

// appendBlanks appends n spaces to line and returns the extended slice. It appends none if n is
// negative.
func appendBlanks(line []byte, n int) []byte {
	for range n {
		line = append(line, ' ')
	}
	return line
}

// A catalogueEntry has the fields of an entry in a library catalogue; "" is unknown.
type catalogueEntry struct {
	Author  string `json:"author,omitempty"`
	Date    string `json:"date,omitempty"`    // of publication, unchanged
	Records string `json:"records,omitempty"` // the number of records of a term or a database
}

// recordCount returns "90 records" for "90", and "" for "". "1 record" gets a space after it,
// so that the numbers of a column are aligned.
func recordCount(n string) string {
	switch n {
	case "":
		return ""
	case "1":
		return "1 record "
	}
	return cleanTitle(n) + " records"
}

// catalogued returns the fields that an entry of a library catalogue has in its header.
func catalogued(e access.Entry) (c catalogueEntry) {
	for f := range e.Header.Shown() {
		switch f.Name {
		case "Author":
			c.Author = f.Value
		case "Date":
			c.Date = f.Value
		case "Records":
			c.Records = f.Value
		}
	}
	return c
}
