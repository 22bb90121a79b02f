package tn3270

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Structured fields (GA23-0059 §"Structured Fields"). Each is
//
//	length (2)  code  …
//
// with a length that includes itself. 0 means the rest of the record.
const (
	fieldReadPartition = 0x01
	partitionQuery     = 0x02
	partitionQueryList = 0x03
	attentionField     = 0x88 // the first byte of a reply with structured fields
	fieldReply         = 0x81
)

// The kinds of query replies.
const (
	replySummary       = 0x80
	replyUsableArea    = 0x81
	replyCharacterSets = 0x85
	replyColour        = 0x86
	replyHighlight     = 0x87
	replyModes         = 0x88
	replyPartition     = 0xA6
	replyNull          = 0xFF
)

// structured executes the structured fields in data, and returns the records to reply with.
// Only queries are supported. Any other field locks the keyboard, because the host relies on
// its effect, and the fields after it are ignored.
func (t *display) structured(data []byte) (replies [][]byte) {
	for len(data) > 0 {
		field, rest, ok := cutField(data)
		if !ok {
			t.lock = BadLength
			return replies
		}
		data = rest
		kinds, ok := queriedReplies(field)
		if !ok {
			t.lock = BadField
			return replies
		}
		replies = append(replies, t.queryReply(kinds))
	}
	return replies
}

// cutField splits data after its first structured field. field lacks the two bytes of its
// length. A length of 0 means the rest of data. ok is false if data ends inside the field.
func cutField(data []byte) (field, rest []byte, ok bool) {
	if len(data) < 3 {
		return nil, nil, false
	}
	length := int(binary.BigEndian.Uint16(data))
	if length == 0 {
		length = len(data)
	}
	if length < 3 || length > len(data) {
		return nil, nil, false
	}
	return data[2:length], data[length:], true
}

// queriedReplies returns the kinds of query replies that a structured field requests and the
// client supports. ok is false if the field is not a query.
//
//	Read Partition   FF   02
//	Read Partition   FF   03   how   kinds …
func queriedReplies(field []byte) (kinds []byte, ok bool) {
	if len(field) < 3 || field[0] != fieldReadPartition || field[1] != 0xFF {
		return nil, false
	}
	switch {
	case field[2] == partitionQuery:
		return supportedReplies(), true
	case field[2] != partitionQueryList || len(field) < 4:
		return nil, false
	case field[3]&0xC0 != 0: // equivalent, or all
		return supportedReplies(), true
	}
	isUnwanted := func(kind byte) bool { return bytes.IndexByte(field[4:], kind) < 0 }
	return slices.DeleteFunc(supportedReplies(), isUnwanted), true
}

// supportedReplies returns the supported kinds of query replies.
func supportedReplies() []byte {
	return []byte{replySummary, replyUsableArea, replyCharacterSets, replyColour, replyHighlight, replyModes, replyPartition}
}

// queryReply returns the record that replies to a query, with a reply of each kind in kinds.
// If kinds is empty, the record has a reply of the kind Null.
func (t *display) queryReply(kinds []byte) []byte {
	record := []byte{attentionField}
	if len(kinds) == 0 {
		kinds = []byte{replyNull}
	}
	for _, kind := range kinds {
		body := t.describe(kind)
		record = binary.BigEndian.AppendUint16(record, uint16(len(body)+4))
		record = append(record, fieldReply, kind)
		record = append(record, body...)
	}
	return record
}

// describe returns the content of a query reply of this kind (GA23-0059 §"Query Reply"),
// without its length and kind. It is nil for an unknown kind and for Null.
func (t *display) describe(kind byte) []byte {
	rows, columns := t.model.alternate()
	switch kind {
	case replySummary:
		return supportedReplies()
	case replyUsableArea:
		const cellWidth, cellHeight = 8, 16
		area := []byte{0x01, 0x00} // addresses of 12 and 14 bits
		area = appendPairs(area, columns, rows)
		area = append(area, 0x00)       // in inches
		area = appendPairs(area, 1, 96) // a pixel is 1/96 inch wide
		area = appendPairs(area, 1, 96) // and high
		area = append(area, cellWidth)  // width of a character in pixels
		area = append(area, cellHeight) // height of a character in pixels
		return appendPairs(area, rows*columns)
	case replyCharacterSets:
		sets := []byte{0x82, 0x00, 8, 16, 0, 0, 0, 0, 7} // graphic escape; 7 bytes for each set
		sets = appendPairs(append(sets, 0x00, 0x10, 0x00), t.page.set(), int(t.page.number))
		return appendPairs(append(sets, 0x01, 0x00, 0xF1), 963, 310)
	case replyColour:
		colours := []byte{0x00, 16, 0x00, 0xF4}
		for c := byte(0xF1); c != 0x00; c++ {
			shown := c
			if !t.model.hasColour {
				shown = 0x00
			}
			colours = append(colours, c, shown)
		}
		return colours
	case replyHighlight:
		return []byte{5, 0x00, 0xF0, 0xF1, 0xF1, 0xF2, 0xF2, 0xF4, 0xF4, 0xF8, 0xF8}
	case replyModes:
		return []byte{0x00} // only field mode
	case replyPartition:
		sizes := []byte{0x00, 0x00, 0x0B, 0x01, 0x00}
		high, wide := t.model.primary()
		return appendPairs(sizes, wide, high, columns, rows)
	}
	return nil
}

// appendPairs appends each number as two bytes, the high byte first.
func appendPairs(to []byte, numbers ...int) []byte {
	for _, n := range numbers {
		to = binary.BigEndian.AppendUint16(to, uint16(n))
	}
	return to
}
