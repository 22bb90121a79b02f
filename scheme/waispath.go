package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
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
	v.WPath = ascii.Unescape(s)
	length, fields, sized := strings.Cut(s, "/")
	if sized && length != "" && skip(length, isDigit) == len(length) {
		if v.Fields = readFields(fields); v.Fields != nil {
			v.Length = length
		}
	}
	if v.Fields == nil {
		v.Fields = readFields(s)
	}
	v.DocID = v.WPath
	if v.Fields != nil {
		v.DocID = joinDocID(v.Fields)
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
		fields = append(fields, WAISField{uint32(n), ascii.Unescape(content)})
		s = rest
	}
	return fields
}

func (v WAIS) writePath(b *builder) {
	if len(v.Fields) == 0 {
		b.escape(v.DocID, inPath)
		return
	}
	if v.Length != "" {
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

// joinDocID returns the document-id that has these fields.
func joinDocID(fields []WAISField) string {
	var id []byte
	for _, f := range fields {
		id = appendCompressed(id, uint64(f.Number))
		id = appendCompressed(id, uint64(len(f.Content)))
		id = append(id, f.Content...)
	}
	return string(id)
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
