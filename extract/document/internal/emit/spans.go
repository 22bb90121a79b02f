package emit

import (
	"encoding/binary"
	"math"
	"sort"
)

// A span says where a piece of a part comes from. The piece starts at offset At of the part's text and ends at the
// next span. SrcStart is its offset in the document. SrcLen is how many bytes of the document the piece replaces, or
// 0 if it is a literal copy.
type span struct{ At, SrcStart, SrcLen int }

// source returns the offset in the document of byte i of the part's text if s is literal. Otherwise it returns the
// offset after the bytes that s replaces.
func (s span) source(i int) int {
	if s.SrcLen > 0 {
		return s.SrcStart + s.SrcLen
	}
	return s.SrcStart + i - s.At
}

// spans are the spans of a part, sorted by At. Each escape in a text is a span, and a text may consist of escapes, so
// the spans after the first one are kept as codes, most of which are one byte. A code holds the difference between a
// span and the span before it, so decoding starts at a mark. The zero spans have the zero span.
type spans struct {
	last  span
	codes []byte // the spans after the first one, see appendCode
	marks []mark // the first span, and one span for about every codesPerMark bytes of codes; empty if last is the only span
}

// A mark is a span, and the offset of the code of the next span.
type mark struct {
	span
	code int
}

// codesPerMark is how many bytes of codes are between two marks.
const codesPerMark = 64

// add adds a span after the last one.
func (l *spans) add(s span) {
	if n := len(l.marks); n == 0 || len(l.codes)-l.marks[n-1].code >= codesPerMark {
		l.marks = append(l.marks, mark{l.last, len(l.codes)})
	}
	l.codes = appendCode(l.codes, l.last, s)
	l.last = s
}

// find returns a cursor at the span that contains byte i of the part's text.
func (l *spans) find(i int) cursor {
	n := sort.Search(len(l.marks), func(n int) bool { return l.marks[n].At > i })
	if n == 0 || i >= l.last.At {
		return cursor{span: l.last, end: math.MaxInt}
	}
	m := l.marks[n-1]
	c := cursor{next: m.span, codes: l.codes[m.code:]}
	for c.advance(); c.end <= i; {
		c.advance()
	}
	return c
}

// A cursor is at a span of a part.
type cursor struct {
	span
	end   int    // where the span ends in the part's text; math.MaxInt for the last span
	next  span   // the next span; not valid for the last span
	codes []byte // the spans after next
}

// advance moves c to the next span. c must not be at the last span.
func (c *cursor) advance() {
	c.span, c.end = c.next, math.MaxInt
	if len(c.codes) > 0 {
		c.next, c.codes = cutCode(c.codes, c.span)
		c.end = c.next.At
	}
}

// appendCode appends the code of s to codes. before is the span before s. The code consists of the length of before in
// the part's text, s.SrcLen, and the gap between the sources of before and s, which may be negative. If the gap is 0
// and both numbers are less than 16, they are one byte. Otherwise, or if before is empty, a zero byte precedes them.
func appendCode(codes []byte, before, s span) []byte {
	length, gap := s.At-before.At, s.SrcStart-before.source(s.At)
	if gap == 0 && length > 0 && length < 16 && s.SrcLen < 16 {
		return append(codes, byte(length<<4|s.SrcLen))
	}
	codes = binary.AppendUvarint(append(codes, 0), uint64(length))
	codes = binary.AppendUvarint(codes, uint64(s.SrcLen))
	return binary.AppendVarint(codes, int64(gap))
}

// cutCode returns the span at the start of codes, which must not be empty, and the codes after it. before is the span
// before it.
func cutCode(codes []byte, before span) (s span, rest []byte) {
	length, size, gap := uint64(codes[0]>>4), uint64(codes[0]&15), int64(0)
	codes = codes[1:]
	if length == 0 {
		var n int
		length, n = binary.Uvarint(codes)
		codes = codes[n:]
		size, n = binary.Uvarint(codes)
		codes = codes[n:]
		gap, n = binary.Varint(codes)
		codes = codes[n:]
	}
	at := before.At + int(length)
	return span{at, before.source(at) + int(gap), int(size)}, codes
}
