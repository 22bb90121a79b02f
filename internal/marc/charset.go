package marc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A charset is the encoding of the text of a record.
type charset struct {
	utf8   bool
	latin1 bool
	g0, g1 byte // for 8-bit sets: the letters in tables of the sets for bytes below and above 80
}

// marc8 is the character set of MARC 21 without UTF-8: ASCII and ANSEL.
var marc8 = charset{g0: 'B', g1: 'E'}

// decoder returns the function that decodes the text of a field of the record to valid UTF-8.
// tag is the tag of the field. The function calls report for each problem in a text.
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
	if c.latin1 {
		return func(_ string, text []byte) string { return fromLatin1(text) }
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

// charset returns the encoding of the record's text. It trusts the bytes more than the record:
// if the record announces another encoding than its bytes have, charset reports a problem.
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
	if said == marc8 && looksLatin1(s.data) {
		s.report("the record says that its text is MARC-8; it looks like ISO 8859-1")
		return charset{latin1: true}
	}
	return said
}

// looksLatin1 reports whether text that should be MARC-8 is rather ISO 8859-1, because many of
// its bytes above 7F are impossible in MARC-8. In MARC-8 bytes C9 to DF are undefined, and a
// letter follows the marks E0 to FE.
func looksLatin1(text []byte) bool {
	if bytes.IndexByte(text, escape) >= 0 {
		return false
	}
	high, impossible := 0, 0
	for i, c := range text {
		if c < 0xa0 {
			continue
		}
		high++
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		isMark := c >= 0xe0 && c != 0xff
		if c >= 0xc9 && c <= 0xdf || isMark && c != 0xec && c != 0xfb && !isLetter(next) {
			impossible++
		}
	}
	return impossible >= 2 && 5*impossible >= high
}

// isLetter reports whether c may follow a mark of MARC-8: a letter or another mark.
func isLetter(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0xa1
}

// fromLatin1 returns text, which is ISO 8859-1, as UTF-8.
func fromLatin1(text []byte) string {
	runes := make([]rune, len(text))
	for i, c := range text {
		runes[i] = rune(c)
	}
	return string(runes)
}

// unimarcCharset returns the encoding that a UNIMARC record announces in its leader ("a" at
// byte 9 means UTF-8) or in field 100 (UNIMARC manual, 100 $a/26-33). Many records announce
// none and use ISO 5426, so this is the default. name is the name for a problem: "ISO 5426", or
// "" if the leader announces UTF-8.
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
		if g0, ok := unimarcSets()[string(coded[26:28])]; ok {
			c.g0 = g0
		}
		if g1, ok := unimarcSets()[string(coded[28:30])]; ok {
			c.g1 = g1
		}
		c.utf8 = string(coded[26:28]) == "50"
		break
	}
	return c, "ISO 5426"
}

// unimarcSets returns the letters of sets in the tables, by the codes of these sets in UNIMARC.
func unimarcSets() map[string]byte {
	return map[string]byte{"01": 'B', "02": 'N', "03": 'P', "04": 'Q', "05": 'S'}
}

// hasHigh reports whether b has a byte above 7F.
func hasHigh(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
