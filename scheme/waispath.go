package scheme

import (
	"strconv"
	"strings"
)

// A WAISNotation is how a wpath shows a document-id.
type WAISNotation uint8

const (
	// WAISOctets is RFC 1738's: the bytes of the document-id, encoded.
	WAISOctets WAISNotation = iota
	// WAISFields is RFC 1630's: for every field of the document-id its number,
	// "=", the content, encoded, and ";". The lengths are left out.
	WAISFields
	// WAISSized is libwww's: the size of the document, "/", and then as
	// WAISFields.
	WAISSized
)

// A WAISField is a field of a document-id, which is a run of fields: number,
// length, content. The lengths and numbers are written 7 bits to a byte, the
// most significant first, with the top bit set in all bytes but the last.
type WAISField struct {
	Number  uint32
	Content string
}

// wpath reads a wpath in whatever notation it has. A document-id's first byte
// is a field number, 1 to 7, never a digit: the notations cannot be mistaken.
func (v *WAIS) wpath(s string) {
	v.WPath = unescape(s)
	length, fields, sized := strings.Cut(s, "/")
	if sized && length != "" && skip(length, isDigit) == len(length) {
		if v.Fields = readFields(fields); v.Fields != nil {
			v.Notation, v.Length = WAISSized, length
		}
	}
	if v.Fields == nil {
		if v.Fields = readFields(s); v.Fields != nil {
			v.Notation = WAISFields
		}
	}
	v.DocID = v.WPath
	if v.Fields != nil {
		v.DocID = JoinDocID(v.Fields)
	}
}

// readFields reads wpath = digits "=" content ";" [ wpath ]; nil if s is not
// one.
func readFields(s string) []WAISField {
	var fields []WAISField
	for s != "" {
		field, rest, ended := strings.Cut(s, ";")
		digits, content, ok := strings.Cut(field, "=")
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ended || !ok || err != nil || digits != strconv.FormatUint(n, 10) {
			return nil
		}
		fields = append(fields, WAISField{uint32(n), unescape(content)})
		s = rest
	}
	return fields
}

func (v WAIS) writePath(b *builder) {
	if v.Notation == WAISOctets {
		b.escape(v.DocID, inPath)
		return
	}
	if v.Notation == WAISSized {
		b.WriteString(v.Length)
		b.WriteByte('/')
	}
	for _, f := range v.Fields {
		b.WriteString(strconv.FormatUint(uint64(f.Number), 10))
		b.WriteByte('=')
		b.escape(f.Content, inPath)
		b.WriteByte(';')
	}
}

// JoinDocID returns the document-id that has these fields.
func JoinDocID(fields []WAISField) string {
	var id []byte
	for _, f := range fields {
		id = appendCompressed(id, uint64(f.Number))
		id = appendCompressed(id, uint64(len(f.Content)))
		id = append(id, f.Content...)
	}
	return string(id)
}

// SplitDocID returns the fields of a document-id; false if it has none. A
// document-id is opaque to all but the server that issued it (RFC 1738 §3.9).
func SplitDocID(id string) ([]WAISField, bool) {
	var fields []WAISField
	for id != "" {
		number, rest, ok := cutCompressed(id)
		if !ok {
			return nil, false
		}
		length, rest, ok := cutCompressed(rest)
		if !ok || uint64(length) > uint64(len(rest)) {
			return nil, false
		}
		fields = append(fields, WAISField{number, rest[:length]})
		id = rest[length:]
	}
	return fields, fields != nil
}

func appendCompressed(b []byte, n uint64) []byte {
	shift := 0
	for n>>(shift+7) != 0 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7f)
}

// cutCompressed cuts a number of at most 32 bits off s.
func cutCompressed(s string) (n uint32, rest string, ok bool) {
	for i := 0; i < len(s) && n < 1<<25; i++ {
		n = n<<7 | uint32(s[i]&0x7f)
		if s[i] < 0x80 {
			return n, s[i+1:], true
		}
	}
	return 0, "", false
}
