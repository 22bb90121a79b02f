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

// A Record is the Sys of a record of a database, and of an entry for one.
type RetrievalRecord struct {
	Database string // where it was found; "" if the server does not say
	Syntax   string // "usmarc", "xml"; an object identifier if it has no name
	Position int64  // in the result set, from 1
	Author   string // "" if unknown
	Date     string // when it was published, as the record has it; "" if unknown
}

// fields returns the author, the date and the database.
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

// A record is a record as the server sent it, or the diagnostic in its place. It is part
// of a message.
type rawRecord struct {
	database   string
	syntax     string // an object identifier
	data       []byte
	value      ber.Element // instead of data, if isASN1
	isASN1     bool
	diagnostic *Diagnostic // nil if there is a record
}

// parseRecord reads a NamePlusRecord.
func parseRecord(e ber.Element) (r rawRecord, err error) {
	err = e.Each(func(part ber.Element) (err error) {
		switch {
		case part.Is(0):
			r.database = part.Text()
		case part.Is(1):
			choice, _ := part.First() // without one, choice is a fragment
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

// external reads the EXTERNAL in e, or e itself if it is tagged as one.
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

// content returns the record as bytes, with their media type. Records that have no bytes
// of their own (GRS-1, OPAC) are written as text.
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

// contentType refines a media type by what the data is.
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

// A summary is what a list shows of a record.
type summary struct {
	title, author, date string
	number              string // the control number of a MARC record
}

// summary returns what a list shows of r. Its fields are "" if they are unknown.
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

func marcSummary(data []byte) summary {
	m, err := marc.ParseBrief(data)
	if err != nil {
		return summary{}
	}
	return summary{title: m.Title(), author: m.Author(), date: m.Date(), number: strings.TrimSpace(m.Field("001").Value)}
}

// firstLine returns the first line of a text that has a letter in it.
func firstLine(data []byte) string {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// xmlSummary reads MARCXML, and Dublin Core or what looks like it.
func xmlSummary(data []byte) (s summary) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = nil
	field, into := "", (*string)(nil)
	for {
		token, err := d.Token()
		if err != nil {
			return s // what comes after an error has no title
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
				into = s.more(into, field)
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

// enoughText is how many bytes a title, an author or a date of an XML record has before
// further pieces of it are left out.
const enoughText = 1000

// subfield returns where a subfield of MARC 21 goes; nil if it is not shown.
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

// more returns where more text goes: a title goes on, for the rest the first one counts.
func (s *summary) more(into *string, tag string) *string {
	if into == &s.title && tag == "245" && len(s.title) < enoughText {
		s.title += " "
		return into
	}
	return nil
}

func attributeValue(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
