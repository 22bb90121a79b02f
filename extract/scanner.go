package extract

import (
	"bytes"
	"io"
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

	line     int // of window[counted]
	counted  int
	lineFrom int64 // where that line starts in the text
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
	*s = Scanner{finder: s.finder, base: s.base, r: r, line: 1, window: s.window[:0]}
	s.cursor.start(0)
}

// Next returns the next match. At the end of the text the error is io.EOF;
// [ErrTooLong] is about one match, and more may come; any other error is the
// reader's, of what is before which all has been found. Text and Hyphens are
// written over by the next call.
func (s *Scanner) Next() (Match, error) {
	for {
		m, st := s.finder.find(s.window, &s.cursor, s.err != nil)
		switch {
		case st == hit:
			return s.match(m), nil
		case st == tooLong:
			return s.place(m), ErrTooLong
		case s.err != nil:
			return Match{}, s.err
		}
		s.fill()
	}
}

// fill reads more of the text. Of what was searched it keeps what a rule may
// look back at.
func (s *Scanner) fill() {
	if drop := s.cursor.at - lookBehind; len(s.window) == cap(s.window) && drop > 0 {
		s.count(drop)
		n := copy(s.window, s.window[drop:])
		s.window = s.window[:n]
		s.offset += int64(drop)
		s.counted -= drop
		s.cursor.shift(drop)
	}
	s.cursor.forget()
	for range 100 {
		n, err := s.r.Read(s.window[len(s.window):cap(s.window)])
		s.window = s.window[:len(s.window)+n]
		s.err = err
		if n > 0 || err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}

// match makes a Match of what was found.
func (s *Scanner) match(m found) Match {
	out := s.place(m)
	out.Text = s.window[m.from:m.end:m.end]
	switch m.kind {
	case Wrapped:
		out.Text, out.Hyphens = s.finder.healed, s.finder.hyphens
	case Path:
		out.Base = s.base
	}
	return out
}

// place makes a Match without Text.
func (s *Scanner) place(m found) Match {
	s.count(m.start)
	at := s.offset + int64(m.start)
	return Match{Offset: at, Length: m.end - m.start, Line: s.line, Column: int(at-s.lineFrom) + 1, Kind: m.kind}
}

// count counts the lines up to a place in the window.
func (s *Scanner) count(to int) {
	if to <= s.counted {
		return
	}
	passed := s.window[s.counted:to]
	if n := bytes.Count(passed, newline); n > 0 {
		s.line += n
		s.lineFrom = s.offset + int64(s.counted+bytes.LastIndexByte(passed, '\n')) + 1
	}
	s.counted = to
}

var newline = []byte{'\n'}
