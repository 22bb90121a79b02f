package z3950

import (
	"bytes"
	"strconv"

	"locus/internal/ber"
	"locus/internal/marc"
)

// An opacField is a field of an OPAC record that the text shows.
type opacField struct {
	name      string
	isBoolean bool // shown as yes or no
}

// holdingsFields are the fields of HoldingsAndCircData, by their tags.
var holdingsFields = map[uint32]opacField{
	8: {name: "Library"}, 9: {name: "Location"}, 10: {name: "Shelving location"}, 11: {name: "Call number"}, 12: {name: "Shelving data"},
	13: {name: "Copy"}, 14: {name: "Note"}, 15: {name: "Reproduction"}, 16: {name: "Terms of use"}, 17: {name: "Volumes"},
}

// volumeFields are the fields of Volume.
var volumeFields = map[uint32]opacField{1: {name: "Volume"}, 2: {name: "Chronology"}, 3: {name: "Enumeration"}}

// circulationFields are the fields of CircRecord.
var circulationFields = map[uint32]opacField{
	1: {"Available", true}, 2: {name: "Available from"}, 3: {name: "Available to"}, 4: {name: "Restrictions"}, 5: {name: "Item"},
	6: {"Renewable", true}, 7: {"On hold", true}, 8: {name: "Volume"}, 10: {name: "At present in"},
}

// opacText converts an OPAC record to text: the bibliographic record, and the holdings of the
// library. A text of more than largestRecord bytes is an error, because the names of the fields
// make the text longer than the record.
func opacText(e ber.Element) ([]byte, error) {
	var b bytes.Buffer
	if bibliographic, ok := e.Find(1); ok {
		var r rawRecord
		if err := r.external(bibliographic); err != nil {
			return nil, err
		}
		b.WriteString(r.text())
	}
	holdings, ok := e.Find(2)
	if !ok {
		return b.Bytes(), nil
	}
	n := 0
	err := holdings.Each(func(h ber.Element) error {
		n++
		b.WriteString("\nHolding " + strconv.Itoa(n) + "\n")
		if err := checkText(&b); err != nil {
			return err
		}
		if h.Is(1) {
			var r rawRecord
			if err := r.external(h); err != nil {
				return err
			}
			b.WriteString(r.text())
			return nil
		}
		return writeHolding(&b, h)
	})
	return b.Bytes(), err
}

// text converts a record that an OPAC record contains to text. It returns "" if it cannot.
func (r rawRecord) text() string {
	if m, err := marc.Parse(r.data); err == nil && syntaxes[r.syntax].isMARC {
		return m.Text()
	}
	if r.syntax == syntaxOPAC { // an OPAC record must not contain another one
		return ""
	}
	data, _, err := r.content()
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// writeHolding writes a HoldingsAndCircData to b as text. It fails if b becomes longer than
// largestRecord bytes, or if a field is malformed.
func writeHolding(b *bytes.Buffer, h ber.Element) error {
	if err := writeFields(b, h, holdingsFields); err != nil {
		return err
	}
	volumes, _ := h.Find(18) // without volumes, Each finds no elements
	if err := volumes.Each(func(v ber.Element) error { return writeFields(b, v, volumeFields) }); err != nil {
		return err
	}
	circulation, _ := h.Find(19)
	return circulation.Each(func(c ber.Element) error { return writeFields(b, c, circulationFields) })
}

// writeFields writes to b a line for each field of e whose tag is in fields. It fails if b
// becomes longer than largestRecord bytes, or if a field is malformed.
func writeFields(b *bytes.Buffer, e ber.Element, fields map[uint32]opacField) error {
	return e.Each(func(f ber.Element) error {
		known := fields[f.Tag]
		if f.Class != ber.Context || known.name == "" {
			return nil
		}
		value := f.Text()
		if known.isBoolean {
			yes, err := f.Bool()
			if err != nil {
				return err
			}
			value = map[bool]string{true: "yes", false: "no"}[yes]
		}
		if value != "" {
			b.WriteString("  " + known.name + ": " + value + "\n")
		}
		return checkText(b)
	})
}

// checkText returns an error if b has more than largestRecord bytes.
func checkText(b *bytes.Buffer) error {
	if b.Len() > largestRecord {
		return errLongText()
	}
	return nil
}
