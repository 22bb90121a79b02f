package marc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A charset is how a record writes its text.
type charset struct {
	utf8   bool
	g0, g1 byte // the sets of bytes below and above 80, by their letters in tables
}

// marc8 is the character set of MARC 21 without UTF-8: ASCII and ANSEL.
var marc8 = charset{g0: 'B', g1: 'E'}

// decoder returns the function that decodes the values of the record.
func (s *source) decoder(f Format, report func(string)) func(tag string, text []byte) string {
	c := s.charset(f)
	if c.utf8 {
		return func(tag string, text []byte) string {
			if !utf8.Valid(text) {
				report(fmt.Sprintf("field %s has bytes that are not UTF-8", tag))
			}
			return strings.ToValidUTF8(string(text), "\ufffd")
		}
	}
	d := &decoder{charset: c}
	return func(tag string, text []byte) string {
		value, problem := d.decode(text)
		if problem != "" {
			report(fmt.Sprintf("field %s: %s", tag, problem))
		}
		return value
	}
}

// charset finds out how the text is written, and reports if the record says otherwise.
func (s *source) charset(f Format) charset {
	isUTF8 := hasHigh(s.data) && utf8.Valid(s.data) && bytes.IndexByte(s.data, escape) < 0
	said, name := marc8, "MARC-8"
	if f == UNIMARC {
		said, name = s.unimarcCharset()
	} else if s.leader[9] == 'a' {
		said = charset{utf8: true}
	}
	if isUTF8 && !said.utf8 {
		s.report("the record says that its text is %s; it is UTF-8", name)
		return charset{utf8: true}
	}
	return said
}

// unimarcCharset reads which sets field 100 announces (UNIMARC manual, 100 $a/26-33).
// Many records announce none and use ISO 5426.
func (s *source) unimarcCharset() (c charset, name string) {
	c = charset{g0: 'B', g1: 'P'}
	if s.leader[9] == 'a' {
		return charset{utf8: true}, ""
	}
	for _, e := range s.entries {
		_, coded, ok := bytes.Cut(e.text, []byte{delimiter, 'a'})
		if e.tag != "100" || !ok || len(coded) < 30 {
			continue
		}
		if g0, ok := unimarcSets[string(coded[26:28])]; ok {
			c.g0 = g0
		}
		if g1, ok := unimarcSets[string(coded[28:30])]; ok {
			c.g1 = g1
		}
		c.utf8 = string(coded[26:28]) == "50"
		break
	}
	return c, "ISO 5426"
}

// unimarcSets maps the codes of UNIMARC to sets.
var unimarcSets = map[string]byte{"01": 'B', "02": 'N', "03": 'P', "04": 'Q', "05": 'S'}

// hasHigh reports whether b has a byte above 7F.
func hasHigh(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
