// Package marc reads the records of library catalogues: ISO 2709 (MARC 21 and UNIMARC)
// in MARC-8, ISO 5426 and UTF-8. It writes them as readable text and as MARCXML.
//
// Notable divergences:
//   - A record whose leader says MARC-8 and whose text is UTF-8 is read as UTF-8. Many
//     catalogues send such records.
//   - Bytes that mean nothing in their character set become U+FFFD and are reported in
//     [Record.Problems].
package marc

import (
	"io"
	"iter"
)

// A Format is what the tags of a record mean.
type Format uint8

// The formats.
const (
	MARC21  Format = iota // also USMARC, CAN/MARC, UKMARC since 2004
	UNIMARC               // also the formats of France, Portugal, Italy and others
)

// A Record describes one book, map, recording or other thing. All its text is UTF-8.
type Record struct {
	Format   Format
	Leader   string   // 24 characters, as in the source
	Fields   []Field  // in the order of the record's directory
	Problems []string // what was wrong and could be read nevertheless; nil: nothing
}

// A Field is a control field, which has a value, or a data field, which has indicators
// and subfields.
type Field struct {
	Tag        string // "245"
	Indicators string // two characters; "" if it is a control field
	Value      string // of a control field
	Subfields  []Subfield
}

// A Subfield is a part of a data field.
type Subfield struct {
	Code  string // one character: "a"
	Value string
}

// IsControl reports whether f is a control field: its tag begins with 00.
func (f Field) IsControl() bool { panic("TODO") }

// Parse reads one ISO 2709 record. It tells by the tags whether the record is MARC 21 or
// UNIMARC. An error says why b is no record; what is merely damaged is read as far as it
// goes and is in [Record.Problems].
func Parse(b []byte) (Record, error) { panic("TODO") }

// ParseAs is like [Parse] for a record whose format is known.
func ParseAs(b []byte, f Format) (Record, error) { panic("TODO") }

// Read returns the records of a file, one at a time. After an error of one record it goes
// on with the next. An error that ends the file, such as a record that is cut off, is the
// last.
func Read(r io.Reader) iter.Seq2[Record, error] { panic("TODO") }

// Title returns the title with its subtitle; "" if it has none.
func (r Record) Title() string { panic("TODO") }

// Author returns the first author's name; "" if it has none.
func (r Record) Author() string { panic("TODO") }

// Date returns the year of publication, as in the record: "1994", "[199-?]"; "" if it has
// none.
func (r Record) Date() string { panic("TODO") }

// Text returns the record for a reader: a line for each field, with the field's name. A
// field whose name is not known has its tag. The text may hold any character of the
// record: a terminal needs it cleaned, as by package render.
func (r Record) Text() string { panic("TODO") }

// XML returns the record as a MARCXML document.
func (r Record) XML() []byte { panic("TODO") }
