package render

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"locus/access"
)

// titleWidth is the width of the column for titles.
const titleWidth = 40

// Text returns a Func that writes entries for people, one a line: title, kind, size in
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

// Long returns a Func that writes one entry a line in the order of ls -l: kind, size in
// bytes, time of change in UTC, and title. "-" stands for an unknown value. As in the lines
// of Text, "~" marks a rounded size, and "?" a time whose time zone is unknown.
//
//	file              812  2024-05-06 07:08  notes.txt
func Long(w io.Writer) Func {
	return func(e access.Entry) error {
		_, err := fmt.Fprintf(w, "%-8s %12s  %-16s  %s\n", Kind(e.Kind), sizeText(e), Time(e), cleanTitle(e.Title))
		return err
	}
}

// Kind returns the word for a kind that people read: "file", "folder", and otherwise the
// result of [access.Kind.String].
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
	w       io.Writer
	details bool // an entry so far had a size or a time
	books   bool // an entry so far had an author or a date of publication
	counts  bool // an entry so far had a number of records
	line    []byte
}

func (t *textWriter) write(e access.Entry) error {
	title := cleanTitle(e.Title)
	t.line = append(t.line[:0], title...)
	switch {
	case e.Kind == access.Failure:
		t.pad(titleWidth - utf8.RuneCountInString(title))
		t.line = append(t.line, "  failure"...)
	case !e.URL.IsZero():
		t.pad(titleWidth - utf8.RuneCountInString(title))
		t.columns(e)
	}
	t.line = append(t.line, '\n')
	_, err := t.w.Write(t.line)
	return err
}

// columns writes the columns after the title. Between the kind and the URL they are author and
// date, the number of records, or size and time. Once an entry has one of these, all later entries
// have the same columns.
func (t *textWriter) columns(e access.Entry) {
	t.cell(Kind(e.Kind), len("terminal"), false)
	size, when, about := sizeText(e), Time(e), catalogued(e)
	t.books = t.books || about.Author != "" || about.Date != ""
	t.counts = t.counts || about.Records != ""
	t.details = t.details || size != "-" || when != "-"
	switch {
	case t.books:
		t.cell(cmp.Or(cleanTitle(about.Author), "-"), 24, false)
		t.cell(cmp.Or(cleanTitle(about.Date), "-"), 10, false)
	case t.counts:
		t.cell(recordCount(about.Records), 14, true)
	case t.details:
		t.cell(size, 10, true)
		t.cell(when, len("2006-01-02 15:04"), false)
	}
	t.cell(Clean(shownURL(e.URL)), 0, false)
}

// A catalogueEntry has the fields of an entry in a library catalogue; "" is unknown.
type catalogueEntry struct {
	Author  string `json:"author,omitempty"`
	Date    string `json:"date,omitempty"`    // of publication, unchanged
	Records string `json:"records,omitempty"` // the number of records of a term or a database
}

// recordCount returns "90 records", all aligned; "" for "".
func recordCount(n string) string {
	switch n {
	case "":
		return ""
	case "1":
		return "1 record "
	}
	return cleanTitle(n) + " records"
}

// catalogued reads the fields of an entry.
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

// cell writes two spaces and text, padded to width.
func (t *textWriter) cell(text string, width int, right bool) {
	t.line = append(t.line, "  "...)
	free := width - utf8.RuneCountInString(text)
	if right {
		t.pad(free)
	}
	t.line = append(t.line, text...)
	if !right {
		t.pad(free)
	}
}

func (t *textWriter) pad(n int) {
	for range n {
		t.line = append(t.line, ' ')
	}
}
