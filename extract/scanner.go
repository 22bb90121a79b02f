package extract

import (
	"io"
	"slices"
)

// A Scanner finds URLs in what a reader gives, in constant memory. It is for
// one goroutine.
type Scanner struct {
	finder *finder
	base   string // Options.Base
	r      io.Reader
	err    error // of r

	window []byte // buf[:n], of which the start may be before the cursor
	offset int64  // of window[0] in the text
	cursor cursor
	match  RawMatch // the last
	lines  lines
}

// A RawMatch is a match whose text is memory of the Scanner that found it. It is
// valid until the next call of [Scanner.Next]. The fields are those of [Match].
type RawMatch struct {
	Offset  int64
	Length  int
	Line    int
	Column  int
	Bytes   []byte // Match.Text
	Kind    Kind
	Hyphens []int
	Base    string
}

// Match returns a copy that stays valid.
func (m *RawMatch) Match() Match {
	return Match{
		Offset: m.Offset, Length: m.Length, Line: m.Line, Column: m.Column,
		Text: string(m.Bytes), Kind: m.Kind, Hyphens: slices.Clone(m.Hyphens), Base: m.Base,
	}
}

// NewScanner returns a Scanner that reads r.
func NewScanner(r io.Reader, o Options) *Scanner {
	s := &Scanner{finder: newFinder(o), base: o.Base.String()}
	s.window = make([]byte, 0, max(1<<18, 4*s.finder.max))
	s.Reset(r)
	return s
}

// smallest returns how small a window may be.
func (f *finder) smallest() int { return lookBehind + f.max + lookBehind }

// Reset makes the Scanner read another text, with the same options and memory.
func (s *Scanner) Reset(r io.Reader) {
	*s = Scanner{finder: s.finder, base: s.base, r: r, window: s.window[:0], lines: lines{line: 1}}
	s.cursor.start(0)
}

// Next returns the next match. At the end of the text the error is io.EOF;
// [ErrTooLong] is about one match, and more may come; any other error is the
// reader's, of what is before which all has been found. The match is nil then.
func (s *Scanner) Next() (*RawMatch, error) {
	for {
		m, st := s.finder.find(s.window, &s.cursor, s.err != nil)
		switch {
		case st == hit:
			s.keep(m)
			return &s.match, nil
		case st == tooLong:
			s.place(m)
			return &s.match, ErrTooLong
		case s.err != nil:
			return nil, s.err
		}
		s.fill()
	}
}

// fill reads more of the text. Of what was searched it keeps what a rule may
// look back at.
func (s *Scanner) fill() {
	if drop := s.cursor.at - lookBehind; len(s.window) == cap(s.window) && drop > 0 {
		s.lines.count(s.window, s.offset, drop)
		n := copy(s.window, s.window[drop:])
		s.window = s.window[:n]
		s.offset += int64(drop)
		s.lines.counted -= drop
		s.cursor.shift(drop)
	}
	s.cursor.forget()
	from, waits := len(s.window), len(s.window)-s.cursor.at
	for empty := 0; empty < 100; empty++ {
		n, err := s.r.Read(s.window[len(s.window):cap(s.window)])
		s.window = s.window[:len(s.window)+n]
		s.err = err
		if err != nil || n > 0 && s.worthLooking(from, waits, n) {
			return
		}
		if n > 0 {
			empty = 0
		}
	}
	s.err = io.ErrNoProgress
}

// worthLooking reports whether what waits is to be looked at with the text that
// is new since a place, of which n octets were just read.
func (s *Scanner) worthLooking(from, waits, n int) bool {
	return waits < muchWaits || len(s.window)-from > waits/2 || len(s.window) == cap(s.window) ||
		slices.ContainsFunc(s.window[len(s.window)-n:], func(c byte) bool { return classes[c] == ends })
}

// muchWaits is from how many octets on what waits for more is not looked at
// again until there is half as much again or something that ends every URL. A
// reader of few octets at a time would make it be read once for each.
const muchWaits = 1 << 10

// keep makes m the match.
func (s *Scanner) keep(m found) {
	s.place(m)
	s.match.Bytes = s.window[m.from:m.end:m.end]
	switch m.kind {
	case Wrapped:
		s.match.Bytes, s.match.Hyphens = s.finder.healed, s.finder.hyphens
		return
	case Path:
		s.match.Base = s.base
	}
	s.lines.counted = m.end // no line ends in it
}

// place makes m the match, without its text.
func (s *Scanner) place(m found) {
	s.lines.count(s.window, s.offset, m.start)
	at := s.offset + int64(m.start)
	if s.match.Hyphens != nil || s.match.Base != "" {
		s.match.Hyphens, s.match.Base = nil, ""
	}
	s.match.Offset, s.match.Length, s.match.Bytes, s.match.Kind = at, m.end-m.start, nil, m.kind
	s.match.Line, s.match.Column = s.lines.line, int(at-s.lines.from)+1
}
