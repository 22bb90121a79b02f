// Package bibliography reads bibliographic records, such as the records of library
// catalogues, for people: as a title and named fields. A program that shows such records
// asks this package for their Format, so that it does not depend on single formats.
package bibliography

import (
	"io"
	"iter"
	"strings"

	"locus/internal/marc"
)

// A Format is one format of bibliographic records.
type Format struct {
	// Type is the media type, in lower case and without parameters.
	Type string
	// Name is the name of the format for people; "" if only the media type is known.
	Name string
	// Read yields the records of a file. After an error about one record the next record
	// follows; every other error is the last. Read is nil if the format is text, which people
	// read without help.
	Read func(r io.Reader) iter.Seq2[Description, error]

	begins func(start []byte) bool // whether a file may begin like this; nil if the start does not tell
}

// A Description is a bibliographic record: it describes one book, map, recording or other item.
// All its text is valid UTF-8, and may have control characters.
type Description struct {
	Title    string // "" if the record has none
	Fields   []Field
	Problems []string // faults of the record that did not prevent reading it
}

// A Field is a field of a Description.
type Field struct {
	Name  string // "Author"; the tag of the format if the field is not known
	Value string // one line
}

// formats returns all formats.
func formats() []Format {
	return []Format{
		{Type: "application/marc", Name: "library record", Read: readMARC, begins: marc.LooksLike},
		{Type: "application/marcxml+xml"},
	}
}

// Of returns the Format with the given media type, which must be in lower case and without
// parameters. ok is false if the media type is not a format of bibliographic records.
func Of(mediaType string) (f Format, ok bool) {
	if !strings.HasPrefix(mediaType, "application/") { // a quick answer for most resources
		return Format{}, false
	}
	for _, f := range formats() {
		if f.Type == mediaType {
			return f, true
		}
	}
	return Format{}, false
}

// Sniff returns the media type of a file of bibliographic records that begins with start. It
// returns "" if the file has other content, or if start is too short to tell.
func Sniff(start []byte) string {
	for _, f := range formats() {
		if f.begins != nil && f.begins(start) {
			return f.Type
		}
	}
	return ""
}

// readMARC yields the records of the MARC file r, or an error instead of a malformed record.
// See Format.Read.
func readMARC(r io.Reader) iter.Seq2[Description, error] {
	return func(yield func(Description, error) bool) {
		for record, err := range marc.Read(r) {
			if err != nil {
				if !yield(Description{}, err) {
					return
				}
				continue
			}
			d := Description{Title: record.Title(), Problems: record.Problems}
			for _, line := range record.Lines() {
				d.Fields = append(d.Fields, Field{line.Name, line.Value})
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}
