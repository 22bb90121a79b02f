package marc

import (
	"bytes"
	"unicode/utf8"
)

// Namespace is the XML namespace of MARCXML.
const Namespace = "http://www.loc.gov/MARC21/slim"

// XML returns the record as a whole document of MARCXML: the element record with its namespace.
// Its leader announces UTF-8. A character that XML does not allow becomes U+FFFD.
func (r Record) XML() []byte {
	var b bytes.Buffer
	r.writeXML(&b, ` xmlns="`+Namespace+`"`)
	return b.Bytes()
}

// The tags around the records of a MARCXML document of many records.
const (
	CollectionStart = `<collection xmlns="` + Namespace + `">` + "\n"
	CollectionEnd   = "</collection>\n"
)

// ElementXML returns the record as an element without a namespace, for a document between
// [CollectionStart] and [CollectionEnd].
func (r Record) ElementXML() []byte {
	var b bytes.Buffer
	r.writeXML(&b, "")
	return b.Bytes()
}

// writeXML writes the element record to b. attribute is an attribute of it with a space before
// it, or "".
func (r Record) writeXML(b *bytes.Buffer, attribute string) {
	b.WriteString("<record" + attribute + ">\n  <leader>")
	xmlText(b, r.utf8Leader())
	b.WriteString("</leader>\n")
	for _, f := range r.Fields {
		f.writeXML(b)
	}
	b.WriteString("</record>\n")
}

// writeXML writes f to b, as an element controlfield or datafield.
func (f Field) writeXML(b *bytes.Buffer) {
	if f.IsControl() {
		b.WriteString(`  <controlfield tag="`)
		xmlText(b, f.Tag)
		b.WriteString(`">`)
		xmlText(b, f.Value)
		b.WriteString("</controlfield>\n")
		return
	}
	b.WriteString(`  <datafield tag="`)
	xmlText(b, f.Tag)
	n := 0
	for _, indicator := range f.Indicators {
		n++
		b.WriteString(`" ind` + string(rune('0'+n%10)) + `="`)
		xmlText(b, string(indicator))
	}
	b.WriteString("\">\n")
	for _, s := range f.Subfields {
		b.WriteString(`    <subfield code="`)
		xmlText(b, s.Code)
		b.WriteString(`">`)
		xmlText(b, s.Value)
		b.WriteString("</subfield>\n")
	}
	b.WriteString("  </datafield>\n")
}

// utf8Leader returns the leader of the record for a text in UTF-8: in MARC 21 it announces
// UTF-8. UNIMARC announces UTF-8 in field 100 instead, so its leader is unchanged.
func (r Record) utf8Leader() string {
	leader := []rune(r.Leader)
	if r.Format == MARC21 && len(leader) == leaderLen {
		leader[9] = 'a'
	}
	return string(leader)
}

// xmlText writes text to b, escaped for the content of an element or the value of an attribute.
// A character that XML does not allow becomes U+FFFD.
func xmlText(b *bytes.Buffer, text string) {
	written := 0
	for i, r := range text {
		var instead string
		switch {
		case r == '&':
			instead = "&amp;"
		case r == '<':
			instead = "&lt;"
		case r == '>':
			instead = "&gt;"
		case r == '"':
			instead = "&quot;"
		case r == '\'':
			instead = "&apos;"
		case r == '\r':
			instead = "&#13;" // because a parser would read a bare CR as LF
		case r < ' ' && r != '\t' && r != '\n', r == '\ufffe', r == '\uffff':
			instead = "\ufffd"
		default:
			continue
		}
		b.WriteString(text[written:i])
		b.WriteString(instead)
		written = i + utf8.RuneLen(r)
	}
	b.WriteString(text[written:])
}
