// Package marc reads the records of library catalogues: ISO 2709 (MARC 21 and UNIMARC) in
// MARC-8, ISO 5426 and UTF-8. It writes them as text for people, as MARCXML and as ISO 2709.
//
// # How the pieces work together
//
// Read reads the records of a file one after the other (read.go). Parse splits a record into the
// entries of its directory, and repairs wrong lengths (parse.go). It then determines the character
// set (charset.go), because the record may announce a wrong one, and a decoder converts the values
// to UTF-8 (marc8.go), with tables that tables.go loads. The result is a [Record] (marc.go).
// text.go has its title, its author and its lines for people, with the names of fields from
// names.go. xml.go and iso2709.go write it.
//
// Notable divergences:
//   - Text that is UTF-8 is read as UTF-8 even if the record announces MARC-8, because many
//     catalogues send such records.
//   - Text that should be MARC-8 is read as ISO 8859-1 if many of its bytes are impossible in
//     MARC-8, because catalogues of several countries send such records.
//   - A directory with wrong lengths is repaired if the data has as many fields as the
//     directory, because programs that convert records to UTF-8 often forget to change it.
//   - Bytes that are undefined in their character set become U+FFFD.
//
// Each of these is reported in [Record.Problems].
package marc

import "strings"

// A Format is a variant of MARC. It determines the meanings of the tags.
type Format uint8

// The formats.
const (
	MARC21  Format = iota // also USMARC, and UKMARC since 2004
	UNIMARC               // also the formats of France, Portugal, Italy and others
)

// String returns "MARC 21" or "UNIMARC".
func (f Format) String() string {
	if f == UNIMARC {
		return "UNIMARC"
	}
	return "MARC 21"
}

// A Record describes one book, map, recording or other thing. All its text is valid
// UTF-8.
type Record struct {
	Format   Format
	Leader   string   // 24 characters, as in the source
	Fields   []Field  // in the order of the record's directory
	Problems []string // defects of the source that Parse has repaired or ignored
}

// A Field is a control field, which has a value, or a data field, which has indicators
// and subfields.
type Field struct {
	Tag        string // "245"
	Indicators string // usually two characters; "" for a control field
	Value      string // of a control field
	Subfields  []Subfield
}

// A Subfield is a part of a data field.
type Subfield struct {
	Code  string // usually one character: "a"
	Value string
}

// IsControl reports whether f is a control field. The tag of a control field begins with "00",
// and it has no subfields, because in the records of Denmark and Norway such a field with
// subfields is a data field.
func (f Field) IsControl() bool { return strings.HasPrefix(f.Tag, "00") && len(f.Subfields) == 0 }

// Get returns the value of the first subfield with the given code, or "" if f has no such
// subfield.
func (f Field) Get(code string) string {
	for _, s := range f.Subfields {
		if s.Code == code {
			return s.Value
		}
	}
	return ""
}

// Field returns the first field with the given tag, or the zero Field if r has no such field.
func (r Record) Field(tag string) Field {
	for _, f := range r.Fields {
		if f.Tag == tag {
			return f
		}
	}
	return Field{}
}

// maxProblems is the maximum number of problems of a record.
const maxProblems = 20

// report adds a problem to r.Problems, unless it is already in the list or the list has
// maxProblems.
func (r *Record) report(problem string) {
	for _, p := range r.Problems {
		if p == problem {
			return
		}
	}
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, problem)
	}
}
