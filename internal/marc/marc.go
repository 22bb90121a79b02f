// Package marc reads the records of library catalogues: ISO 2709 (MARC 21 and UNIMARC)
// in MARC-8, ISO 5426 and UTF-8. It writes them as text for a reader, as MARCXML and as
// ISO 2709.
//
// Notable divergences:
//   - Text that is UTF-8 is read as UTF-8, even if the record announces MARC-8. Many
//     catalogues send such records.
//   - Text that should be MARC-8 is read as ISO 8859-1 if many of its bytes are impossible
//     in MARC-8. Catalogues of several countries send such records.
//   - A directory with wrong lengths is mended if the data has as many fields as the
//     directory. Programs that convert records to UTF-8 often forget to change it.
//   - Bytes that mean nothing in their character set become U+FFFD.
//
// Each of these is reported in [Record.Problems].
package marc

import "strings"

// A Format is what the tags of a record mean.
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
	Problems []string // what was wrong and could be read nevertheless; nil: nothing
}

// A Field is a control field, which has a value, or a data field, which has indicators
// and subfields.
type Field struct {
	Tag        string // "245"
	Indicators string // usually two characters; "" if it is a control field
	Value      string // of a control field
	Subfields  []Subfield
}

// A Subfield is a part of a data field.
type Subfield struct {
	Code  string // usually one character: "a"
	Value string
}

// IsControl reports whether f is a control field: whether its tag begins with "00" and
// it has no subfields. In the records of Denmark and Norway it may have some.
func (f Field) IsControl() bool { return strings.HasPrefix(f.Tag, "00") && len(f.Subfields) == 0 }

// Get returns the value of the first subfield with a code; "" if there is none.
func (f Field) Get(code string) string {
	for _, s := range f.Subfields {
		if s.Code == code {
			return s.Value
		}
	}
	return ""
}

// Field returns the first field with a tag; the zero Field if there is none.
func (r Record) Field(tag string) Field {
	for _, f := range r.Fields {
		if f.Tag == tag {
			return f
		}
	}
	return Field{}
}

// maxProblems is how many problems of a record are listed.
const maxProblems = 20

// report adds a problem. A problem that is listed already is not added.
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
