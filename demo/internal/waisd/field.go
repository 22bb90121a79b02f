package waisd

import (
	"errors"
)

// The tags of fields that this server reads or writes.
const (
	tagReferenceID    = 2
	tagVersion        = 3
	tagOptions        = 4
	tagPreferred      = 5
	tagMaximum        = 6
	tagImplementation = 8 // and the next two: id, name, version
	tagDatabaseNames  = 18
	tagQueryType      = 20
	tagQuery          = 21
	tagPresentStatus  = 27
	tagDiagnostic     = 28
	tagAttributes     = 44
	tagTerm           = 45
	tagUser           = 99
	tagChunkCode      = 100
	tagChunkIDLength  = 101
	tagSeedWords      = 106
	tagChunk          = 107
	tagMaxDocuments   = 114
	tagDocumentID     = 116
	tagDocVersion     = 117
	tagScore          = 118
	tagBestMatch      = 119
	tagLength         = 120
	tagSource         = 121
	tagDate           = 122
	tagHeadline       = 123
	tagText           = 127
	tagLines          = 131
	tagTypeBlock      = 132
	tagType           = 133
	tagDocument       = 150
	tagTextGroup      = 153
)

var errFields = errors.New("the fields are malformed")

// A field is a tag, a length, and that many bytes.
type field struct {
	tag   int
	value string
}

// parseFields parses a sequence of fields, which must fill text. The error is errFields.
func parseFields(text string) ([]field, error) {
	var all []field
	for text != "" {
		tag, rest, ok := cutNumber(text)
		length, rest, ok2 := cutNumber(rest)
		if !ok || !ok2 || length > len(rest) {
			return nil, errFields
		}
		all = append(all, field{tag, rest[:length]})
		text = rest[length:]
	}
	return all, nil
}

// cutNumber returns the number at the start of text, and the rest of text. The number has 7 bits in
// each byte, and all bytes but the last have the top bit set. ok is false if the number does not
// end, or is too large.
func cutNumber(text string) (n int, rest string, ok bool) {
	for i := 0; i < len(text) && n < 1<<21; i++ {
		n = n<<7 + int(text[i]&0x7f)
		if text[i]&0x80 == 0 {
			return n, text[i+1:], true
		}
	}
	return 0, "", false
}

// find returns the value of the first field with the tag. ok is false if there is no such field.
func find(all []field, tag int) (value string, ok bool) {
	for _, f := range all {
		if f.tag == tag {
			return f.value, true
		}
	}
	return "", false
}

// number returns the big-endian number of 1 to 4 bytes in value. If value is empty or longer, it
// returns fallback.
func number(value string, fallback int) int {
	if len(value) == 0 || len(value) > 4 {
		return fallback
	}
	n := 0
	for i := range len(value) {
		n = n<<8 | int(value[i])
	}
	return n
}

// A fieldBuffer is a sequence of fields to send.
type fieldBuffer []byte

// field appends a field: its tag, its length and its value.
func (b *fieldBuffer) field(tag int, value string) {
	b.number(tag)
	b.number(len(value))
	*b = append(*b, value...)
}

// number appends a number as tags and lengths are written: with 7 bits in each byte, and the top
// bit set in all bytes but the last.
func (b *fieldBuffer) number(n int) {
	for shift := 21; shift > 0; shift -= 7 {
		if n>>shift != 0 {
			*b = append(*b, byte(n>>shift)|0x80)
		}
	}
	*b = append(*b, byte(n&0x7f))
}

// numberField appends a field whose value is the big-endian number n, in as few bytes as possible.
func (b *fieldBuffer) numberField(tag, n int) {
	value := []byte{byte(n)}
	for n >>= 8; n > 0; n >>= 8 {
		value = append([]byte{byte(n)}, value...)
	}
	b.field(tag, string(value))
}

// diagnostic appends a diagnostic in its frame: a length in two bytes, and the byte 29 at the
// end.
func (b *fieldBuffer) diagnostic(d *diagnostic) {
	const end = 29
	length := len(d.code) + len(d.text) + 1
	*b = append(*b, tagDiagnostic, byte(length>>8), byte(length))
	*b = append(*b, d.code+d.text...)
	*b = append(*b, d.surrogate, end)
}

// A diagnostic reports an error to the client.
type diagnostic struct {
	code      string // two characters
	text      string
	surrogate byte // 1 if it replaces a record
}
