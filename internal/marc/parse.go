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

// leaderLen is the number of bytes of the leader.
const leaderLen = 24

// ErrNotMARC reports that bytes are not a record of ISO 2709.
var ErrNotMARC = errors.New("not a MARC record")

// Parse reads one record of ISO 2709. It determines from the tags whether the record is MARC 21
// or UNIMARC. It ignores bytes after the record.
//
// The error wraps [ErrNotMARC], or io.ErrUnexpectedEOF if the end of the record is missing.
// Parse reads a record that is only damaged, and describes the damage in [Record.Problems].
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

// ParseBrief parses a record as [Parse] does, for a list of records. The result has only the record
// number (001) and the fields that Title, Author and Date read. It does not report problems of
// other fields.
func ParseBrief(b []byte) (Record, error) {
	s, err := split(b)
	if err != nil {
		return Record{}, err
	}
	f := s.guessFormat()
	s.entries = slices.DeleteFunc(s.entries, func(e entry) bool { return !slices.Contains(briefTags[f], e.tag) })
	return s.record(f), nil
}

// A source is a record that was split into fields, before they are decoded.
type source struct {
	leader   []byte
	data     []byte // all fields, with their end marks
	entries  []entry
	problems []string
}

// An entry is an entry of the directory.
type entry struct {
	tag   string
	start int // in data
	text  []byte
}

// A layout is the structure of a record, as its leader describes it.
type layout struct {
	base       int // start of the data
	indicators int // number of indicators of a data field
	code       int // length of the code of a subfield
	length     int // digits of a length in the directory
	start      int // digits of a start in the directory
	extra      int // further bytes of an entry, which are ignored
}

// report formats a problem and adds it to s.problems, unless there are maxProblems already.
func (s *source) report(format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

// split splits the record at the start of b into its leader, its data and its entries, and
// repairs the directory if necessary. The error wraps ErrNotMARC if b does not begin with a
// record, and io.ErrUnexpectedEOF if the end of the record is missing.
func split(b []byte) (*source, error) {
	s := &source{}
	b, err := s.trimRecord(b)
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
	s.repairEntries()
	if len(s.entries) == 0 {
		return nil, fmt.Errorf("%w: no field is where its directory says", ErrNotMARC)
	}
	return s, nil
}

// trimRecord returns the bytes of the record at the start of b, without the end mark and the bytes
// after it. It reports a problem if the length in the leader is wrong. The error wraps ErrNotMARC,
// or io.ErrUnexpectedEOF if the end mark is missing.
func (s *source) trimRecord(b []byte) ([]byte, error) {
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

// layoutOf returns the structure that a leader describes. A number that is missing or impossible
// gets its usual value.
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

// directory parses b, a directory without its end mark, and reports damaged entries. An entry whose
// position is not a number or lies outside the data has a nil text. An incomplete last entry is
// left out.
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

// within returns the length bytes of data from start on, or nil if data is shorter or length is
// not positive.
func within(data []byte, start, length int) []byte {
	if length <= 0 || start > len(data) || length > len(data)-start {
		return nil
	}
	return data[start : start+length]
}

// repairEntries makes the entries have the bytes of their fields if the directory has wrong
// lengths. If the data has as many fields as the directory, it assigns the fields to the entries in
// their order. Otherwise it removes entries without bytes and entries that must overlap others. It
// reports each problem.
func (s *source) repairEntries() {
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

// isWrong reports whether the bytes of e are not exactly one field with its end mark.
func (s *source) isWrong(e entry) bool {
	if len(e.text) == 0 || e.start > 0 && s.data[e.start-1] != endOfField {
		return true
	}
	return bytes.IndexByte(e.text, endOfField) != len(e.text)-1
}

// dropWrong removes the entries without bytes, and reports them. It keeps an entry whose bytes
// are not exactly one field, and reports it, too.
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

// overlaps returns the index of the first entry with which the fields so far have more bytes than
// the data, so that some of them must overlap. It returns -1 if there is no such entry.
func (s *source) overlaps() int {
	budget := len(s.data) + 1 // the last field may have lost its end
	for i, e := range s.entries {
		if budget -= len(e.text); budget < 0 {
			return i
		}
	}
	return -1
}

// dropOverlaps removes the entries from the index that overlaps returns on, and reports them,
// because a small record could otherwise become a large one.
func (s *source) dropOverlaps() {
	if i := s.overlaps(); i >= 0 {
		s.report("the fields from entry %d on overlap; they are left out", i+1)
		s.entries = s.entries[:i]
	}
}

// guessFormat returns the likely format: MARC21 if the record has a field 245 (the title),
// UNIMARC if it has a field 200. If it has neither, the leader decides.
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

// record decodes the fields, and returns the record with all problems.
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

// fieldOf returns the field with this tag. A control field that has subfields, by mistake, gets
// Subfields instead of a Value. text has the bytes of the field without the end mark, and decode
// converts a value to UTF-8.
func fieldOf(tag string, text []byte, l layout, decode func(tag string, text []byte) string) Field {
	f := Field{Tag: tag}
	if f.IsControl() && bytes.IndexByte(text, delimiter) != l.indicators {
		f.Value = decode(tag, text)
		return f
	}
	head, rest, _ := bytes.Cut(text, []byte{delimiter})
	n := min(len(head), l.indicators)
	f.Indicators = clean(head[:n])
	if n < len(head) { // text before the first subfield
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

// clean returns b, which should be printable ASCII, as a string. It replaces every other byte by
// U+FFFD.
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

// isOdd reports whether c is not printable ASCII.
func isOdd(c byte) bool { return c < ' ' || c > '~' }

// number returns the number whose decimal digits are b. ok is false if b is empty or has another
// byte.
func number(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(b) > 0
}
