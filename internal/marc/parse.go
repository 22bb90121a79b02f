package marc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The separators of ISO 2709.
const (
	endOfRecord = 0x1d
	endOfField  = 0x1e
	delimiter   = 0x1f // before the code of a subfield
)

// leaderLen is how many bytes the leader has.
const leaderLen = 24

// ErrNotMARC says that bytes are no record of ISO 2709.
var ErrNotMARC = errors.New("not a MARC record")

// Parse reads one record of ISO 2709. It tells by the tags whether the record is MARC 21
// or UNIMARC. Bytes after the record are ignored.
//
// The error wraps [ErrNotMARC], or io.ErrUnexpectedEOF if the end of the record is
// missing. What is only damaged is read, and is in [Record.Problems].
//
//	00714cam a2200205 a 4500001001300000003000400013…245003400124… <1E> fol05731351 <1E> … <1D>
//	\______________________/\__________/              \__________/      \_________/
//	         leader         tag, length, start         directory           field
func Parse(b []byte) (Record, error) {
	s, err := split(b)
	if err != nil {
		return Record{}, err
	}
	return s.record(s.guessFormat()), nil
}

// ParseBrief is [Parse] for a list: the record has only the fields that Title, Author and
// Date read, and its number (001). Problems of other fields are not reported.
func ParseBrief(b []byte) (Record, error) {
	s, err := split(b)
	if err != nil {
		return Record{}, err
	}
	f := s.guessFormat()
	s.entries = slices.DeleteFunc(s.entries, func(e entry) bool { return !slices.Contains(briefTags[f], e.tag) })
	return s.record(f), nil
}

// A source is a record whose fields are found and not decoded.
type source struct {
	leader   []byte
	data     []byte // all fields, with their ends
	entries  []entry
	problems []string
}

// An entry is an entry of the directory.
type entry struct {
	tag   string
	start int // in data
	text  []byte
}

// A layout is how the leader says that the record is written.
type layout struct {
	base       int // where the data begins
	indicators int // of a data field
	code       int // length of the code of a subfield
	length     int // digits of a length in the directory
	start      int // digits of a start in the directory
	extra      int // bytes of an entry that mean nothing to us
}

func (s *source) report(format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

// split finds the fields of the record that b begins with.
func split(b []byte) (*source, error) {
	s := &source{}
	b, err := s.cut(b)
	if err != nil {
		return nil, err
	}
	s.leader = b[:leaderLen]
	l := layoutOf(s.leader)
	directory, rest, ok := bytes.Cut(b[leaderLen:], []byte{endOfField})
	if !ok {
		return nil, fmt.Errorf("%w: its directory has no end", ErrNotMARC)
	}
	s.data = rest
	if l.base != leaderLen+len(directory)+1 {
		s.report("the leader says that the data begins at %d; it begins at %d", l.base, leaderLen+len(directory)+1)
	}
	s.entries = s.directory(directory, l)
	s.find()
	if len(s.entries) == 0 {
		return nil, fmt.Errorf("%w: no field is where its directory says", ErrNotMARC)
	}
	return s, nil
}

// cut returns the bytes of the record that b begins with, without its end.
func (s *source) cut(b []byte) ([]byte, error) {
	length, ok := number(b[:min(5, len(b))])
	if !ok || len(b) < 5 {
		return nil, fmt.Errorf("%w: it does not begin with its length", ErrNotMARC)
	}
	if length > leaderLen && length <= len(b) && b[length-1] == endOfRecord {
		return b[:length-1], nil
	}
	end := bytes.IndexByte(b, endOfRecord)
	if end < 0 {
		return nil, cutOff(len(b), length)
	}
	if end <= leaderLen {
		return nil, fmt.Errorf("%w: it has only %d bytes", ErrNotMARC, end+1)
	}
	s.report("the leader says that the record has %d bytes; it has %d", length, end+1)
	return b[:end], nil
}

// layoutOf reads the leader. A digit that is missing has its usual value.
func layoutOf(leader []byte) layout {
	digit := func(i, usual int) int {
		if c := leader[i]; c >= '0' && c <= '9' {
			return int(c - '0')
		}
		return usual
	}
	base, _ := number(leader[12:17])
	l := layout{base: base, indicators: digit(10, 2), code: digit(11, 2) - 1, length: digit(20, 4), start: digit(21, 5), extra: digit(22, 0)}
	l.code = max(l.code, 1)
	if l.length == 0 || l.start == 0 {
		l.length, l.start = 4, 5
	}
	return l
}

// directory reads the entries of the directory.
func (s *source) directory(b []byte, l layout) []entry {
	var entries []entry
	size := 3 + l.length + l.start + l.extra
	for n := 1; len(b) > 0; n++ {
		if len(b) < size {
			s.report("the last entry of the directory has %d of %d bytes", len(b), size)
			return entries
		}
		e := entry{tag: clean(b[:3]), start: -1}
		length, ok := number(b[3 : 3+l.length])
		start, isNumber := number(b[3+l.length : 3+l.length+l.start])
		if ok && isNumber {
			e.start, e.text = start, within(s.data, start, length)
		} else {
			s.report("entry %d of the directory, %s, is not a number", n, e.tag)
		}
		entries, b = append(entries, e), b[size:]
	}
	return entries
}

// within returns length bytes of data from start on; nil if it has no such bytes.
func within(data []byte, start, length int) []byte {
	if length <= 0 || start > len(data) || length > len(data)-start {
		return nil
	}
	return data[start : start+length]
}

// find gives each entry the bytes of its field. A field that the directory does not
// describe rightly is found by its number, if the data has as many fields as the
// directory. Otherwise it is left out.
func (s *source) find() {
	if s.overlaps() < 0 && !slices.ContainsFunc(s.entries, s.isWrong) {
		return
	}
	fields := bytes.SplitAfter(bytes.TrimSuffix(s.data, []byte{endOfField}), []byte{endOfField})
	if len(fields) == len(s.entries) {
		s.report("lengths in the directory are wrong; the fields are told apart by their ends")
		order := make([]*entry, len(s.entries))
		for i := range s.entries {
			order[i] = &s.entries[i]
		}
		slices.SortStableFunc(order, func(a, b *entry) int { return a.start - b.start })
		for i, e := range order {
			e.start, e.text = 0, fields[i]
		}
		return
	}
	s.dropOverlaps()
	s.dropWrong()
}

// isWrong reports whether the bytes of an entry are not those of one field.
func (s *source) isWrong(e entry) bool {
	if len(e.text) == 0 || e.start > 0 && s.data[e.start-1] != endOfField {
		return true
	}
	return bytes.IndexByte(e.text, endOfField) != len(e.text)-1
}

// dropWrong leaves out fields whose bytes are not in the record. A field that is longer
// than its entry says is kept as far as it goes.
func (s *source) dropWrong() {
	s.entries = slices.DeleteFunc(s.entries, func(e entry) bool {
		if len(e.text) == 0 {
			s.report("field %s is not where the directory says", e.tag)
		} else if s.isWrong(e) {
			s.report("field %s does not end where the directory says", e.tag)
		}
		return len(e.text) == 0
	})
}

// overlaps returns the index of the first entry that makes all fields together longer
// than the data; -1 if none does.
func (s *source) overlaps() int {
	budget := len(s.data) + 1 // the last field may have lost its end
	for i, e := range s.entries {
		if budget -= len(e.text); budget < 0 {
			return i
		}
	}
	return -1
}

// dropOverlaps leaves out the fields from overlaps on. So a small record cannot become a
// large one, and is not read many times.
func (s *source) dropOverlaps() {
	if i := s.overlaps(); i >= 0 {
		s.report("the fields from entry %d on overlap; they are left out", i+1)
		s.entries = s.entries[:i]
	}
}

// guessFormat tells by the field of the title what the tags mean: 245 or 200. Without
// either, the leader decides.
func (s *source) guessFormat() Format {
	has := func(tag string) bool {
		return slices.ContainsFunc(s.entries, func(e entry) bool { return e.tag == tag })
	}
	switch {
	case has("245"):
		return MARC21
	case has("200"), bytes.Equal(s.leader[20:24], []byte("450 ")):
		return UNIMARC
	}
	return MARC21
}

// record decodes the fields.
func (s *source) record(f Format) Record {
	r := Record{Format: f, Leader: clean(s.leader)}
	l := layoutOf(s.leader)
	decode := s.decoder(f, r.report)
	for _, p := range s.problems {
		r.report(p)
	}
	r.Fields = make([]Field, 0, len(s.entries))
	for _, e := range s.entries {
		text := bytes.TrimSuffix(e.text, []byte{endOfField})
		if end := bytes.IndexByte(text, endOfField); end >= 0 {
			text = text[:end]
		}
		r.Fields = append(r.Fields, fieldOf(e.tag, text, l, decode))
	}
	return r
}

// fieldOf decodes a field.
func fieldOf(tag string, text []byte, l layout, decode func(tag string, text []byte) string) Field {
	f := Field{Tag: tag}
	if f.IsControl() && bytes.IndexByte(text, delimiter) != l.indicators {
		f.Value = decode(tag, text)
		return f
	}
	head, rest, _ := bytes.Cut(text, []byte{delimiter})
	n := min(len(head), l.indicators)
	f.Indicators = clean(head[:n])
	if n < len(head) { // text without the code of a subfield
		f.Subfields = append(f.Subfields, Subfield{Value: decode(tag, head[n:])})
	}
	for part := range bytes.SplitSeq(rest, []byte{delimiter}) {
		if len(part) == 0 {
			continue
		}
		n := min(len(part), l.code)
		f.Subfields = append(f.Subfields, Subfield{Code: clean(part[:n]), Value: decode(tag, part[n:])})
	}
	return f
}

// clean returns bytes that should be printable ASCII, and U+FFFD for each that is not.
func clean(b []byte) string {
	if !slices.ContainsFunc(b, isOdd) {
		return string(b)
	}
	var text strings.Builder
	for _, c := range b {
		if isOdd(c) {
			text.WriteRune('\ufffd')
			continue
		}
		text.WriteByte(c)
	}
	return text.String()
}

func isOdd(c byte) bool { return c < ' ' || c > '~' }

// number reads digits.
func number(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(b) > 0
}
