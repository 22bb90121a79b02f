package z3950

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
	"locus/internal/marc"
)

// A RetrievalRecord describes a record that the server sent. It is the Sys of the Resource of a
// record, and of an entry for one.
type RetrievalRecord struct {
	Database string // the database that contains it; "" if the server does not say
	Syntax   string // "usmarc", "xml"; an object identifier if the syntax has no name
	Position int64  // in the result set, from 1
	Author   string // "" if unknown
	Date     string // of publication, as the record has it; "" if unknown
}

// fields returns the author, the date and the database as header fields, without unknown ones.
func (r *RetrievalRecord) fields() access.Header {
	var fields access.Header
	all := access.Header{{Name: "Author", Value: r.Author}, {Name: "Date", Value: r.Date}, {Name: "Database", Value: r.Database}}
	for _, f := range all {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// A rawRecord is a record as the server sent it, or the diagnostic that replaces it. It shares
// memory with the reply.
type rawRecord struct {
	database   string
	syntax     string // object identifier
	data       []byte
	value      ber.Element // instead of data, if isASN1
	isASN1     bool
	diagnostic *Diagnostic // nil if the server sent the record
}

// parseRecord parses a NamePlusRecord: a record, or the diagnostic that replaces it.
func parseRecord(e ber.Element) (r rawRecord, err error) {
	err = e.Each(func(part ber.Element) (err error) {
		switch {
		case part.Is(0):
			r.database = part.Text()
		case part.Is(1):
			choice, _ := part.First() // the zero Element is refused as a fragment
			switch {
			case choice.Is(1):
				err = r.external(choice)
			case choice.Is(2):
				inner, _ := choice.First()
				r.diagnostic, err = parseDiagRec(inner)
			default:
				err = fmt.Errorf("%w: a fragment of a record", access.ErrProtocol)
			}
		}
		return err
	})
	if err == nil && r.diagnostic == nil && r.syntax == "" {
		err = fmt.Errorf("%w: a record without a syntax", access.ErrProtocol)
	}
	return r, malformed(err)
}

// external sets the syntax and the content of r from the EXTERNAL in e, or from e itself if its tag
// replaces the tag of an EXTERNAL.
func (r *rawRecord) external(e ber.Element) error {
	if inner, ok := e.First(); ok && inner.IsUniversal(ber.TagExternal) {
		e = inner
	}
	return e.Each(func(part ber.Element) (err error) {
		switch {
		case part.IsUniversal(ber.TagOID):
			r.syntax, err = part.OID()
		case part.Is(0):
			r.value, r.isASN1 = part.First()
		case part.Is(1), part.Is(2):
			r.data, err = part.Bytes()
		}
		return err
	})
}

// content returns the bytes of the record and their media type. It converts GRS-1, OPAC and
// Explain records, which consist of elements, to text.
func (r rawRecord) content() (data []byte, mediaType string, err error) {
	known := syntaxes[r.syntax]
	switch {
	case r.syntax == syntaxGRS1 && r.isASN1:
		data, err = grsText(r.value)
	case r.syntax == syntaxOPAC && r.isASN1:
		data, err = opacText(r.value)
	case r.syntax == syntaxExplain && r.isASN1:
		data, err = explainText(r.value)
	case r.isASN1 && r.value.Class == ber.Universal && !r.value.IsConstructed:
		data = r.value.Content
	case r.isASN1:
		return nil, "", engine.Reason(fmt.Sprintf("a record in the syntax %s cannot be read", r.name()), access.ErrProtocol)
	default:
		data = r.data
	}
	return data, contentType(cmp.Or(known.mediaType, "application/octet-stream"), data), malformed(err)
}

// contentType returns a media type that says more than mediaType, if data shows it: MARCXML instead
// of XML, or a text with its charset. Otherwise it returns mediaType.
func contentType(mediaType string, data []byte) string {
	switch {
	case mediaType == "application/xml" && isMARCXML(data):
		return "application/marcxml+xml"
	case mediaType == textType && utf8.Valid(data):
		return textType + "; charset=utf-8"
	}
	return mediaType
}

// isMARCXML reports whether an XML document is MARCXML.
func isMARCXML(data []byte) bool {
	const start = 2 << 10
	return bytes.Contains(data[:min(start, len(data))], []byte("http://www.loc.gov/MARC21/slim"))
}

// name returns the name of the syntax.
func (r rawRecord) name() string { return cmp.Or(syntaxes[r.syntax].name, r.syntax) }

// A summary has the fields of a record that a list shows.
type summary struct {
	title, author, date string
	number              string // control number of a MARC record
}

// summary returns the title, author, date and number of the record. Unknown fields are "".
func (r rawRecord) summary() summary {
	switch {
	case syntaxes[r.syntax].isMARC && !r.isASN1:
		return marcSummary(r.data)
	case r.syntax == syntaxOPAC && r.isASN1:
		var bibliographic rawRecord
		if e, ok := r.value.Find(1); ok && bibliographic.external(e) == nil && bibliographic.syntax != syntaxOPAC {
			return bibliographic.summary()
		}
	case r.syntax == syntaxGRS1 && r.isASN1:
		return grsSummary(r.value)
	case strings.HasSuffix(syntaxes[r.syntax].mediaType, "/xml"):
		return xmlSummary(r.data)
	case r.syntax == syntaxSUTRS:
		data, _, err := r.content()
		if err == nil {
			return summary{title: firstLine(data)}
		}
	}
	return summary{}
}

// marcSummary returns the title, author, date and number of a MARC record, or the zero summary if
// data is not such a record.
func marcSummary(data []byte) summary {
	m, err := marc.ParseBrief(data)
	if err != nil {
		return summary{}
	}
	return summary{title: m.Title(), author: m.Author(), date: m.Date(), number: strings.TrimSpace(m.Field("001").Value)}
}

// firstLine returns the first line of a text that is not blank, without white space around it; ""
// if all lines are blank.
func firstLine(data []byte) string {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// xmlSummary returns the summary of MARCXML, Dublin Core, or XML with the same element names. It
// reads up to the first syntax error.
func xmlSummary(data []byte) (s summary) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = nil
	field, into := "", (*string)(nil)
	for {
		token, err := d.Token()
		if err != nil {
			return s // the rest cannot be parsed
		}
		switch t := token.(type) {
		case xml.StartElement:
			into = nil
			switch t.Name.Local {
			case "controlfield", "datafield":
				if field = attributeValue(t, "tag"); field == "001" {
					into = &s.number
				}
			case "subfield":
				into = s.subfield(field, attributeValue(t, "code"))
			case "title":
				into = &s.title
			case "creator", "author":
				into = &s.author
			case "date":
				into = &s.date
			}
			if into != nil && *into != "" {
				into = s.appendTarget(into, field)
			}
		case xml.CharData:
			if into != nil && len(*into) < enoughText {
				*into += strings.Join(strings.Fields(string(t)), " ")
			}
		case xml.EndElement:
			into = nil
		}
	}
}

// enoughText is the number of bytes of a title, an author or a date after which further pieces
// of an XML record are ignored.
const enoughText = 1000

// subfield returns the field of s for the MARC 21 subfield with that code in the field with that
// tag. It returns nil if the summary does not have the subfield.
func (s *summary) subfield(tag, code string) *string {
	switch tag + code {
	case "245a", "245b":
		return &s.title
	case "100a", "110a", "111a":
		return &s.author
	case "260c", "264c":
		return &s.date
	}
	return nil
}

// appendTarget decides about a further text for into, a field of s that already has a text. For a
// MARC title (tag 245) it adds a space to the field and returns into, to which the caller appends
// the text. For any other field, or a long title, it returns nil: the text is ignored.
func (s *summary) appendTarget(into *string, tag string) *string {
	if into == &s.title && tag == "245" && len(s.title) < enoughText {
		s.title += " "
		return into
	}
	return nil
}

// attributeValue returns the value of the attribute with that local name, or "".
func attributeValue(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
