package extract

import (
	"bytes"
	"io"
	"iter"
	"slices"
)

// A Scanner finds URLs in the text of a reader, in constant memory. One goroutine at a time may use it.
type Scanner struct {
	finder *finder
	base   string // Options.Base
	r      io.Reader
	err    error // the error that ended the text

	window    window // its text is owned by the Scanner
	maxWindow int    // the largest capacity of the window
	offset    int64  // the offset of the window in the text
	cursor    cursor
	match     RawMatch // the last match
	lines     lines

	keep   int                 // how many bytes before the cursor stay in the window; at least lookBehind
	onDrop func(end int) error // called before the window's text up to end is dropped; its error ends the scan; may be nil
}

// A RawMatch is a match whose Bytes and Hyphens belong to the Scanner that found it. It is valid until the next call
// of [Scanner.Next]. The fields have the meaning of the fields of [Match].
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

// Match returns a copy of m that stays valid.
func (m *RawMatch) Match() Match {
	return Match{
		Offset: m.Offset, Length: m.Length, Line: m.Line, Column: m.Column,
		Text: string(m.Bytes), Kind: m.Kind, Hyphens: slices.Clone(m.Hyphens), Base: m.Base,
	}
}

// NewScanner returns a Scanner that reads r.
func NewScanner(r io.Reader, o Options) *Scanner {
	s := &Scanner{finder: newFinder(o), base: o.Base.String(), keep: lookBehind}
	s.maxWindow = max(1<<18, 4*s.finder.max)
	s.Reset(r)
	return s
}

// firstWindow is the initial capacity of the window. It is small because the text may be short.
const firstWindow = 8 << 10

// Reset makes the Scanner read another text, from r, with the same options. It reuses the Scanner's memory, so a
// RawMatch of the old text is no longer valid.
func (s *Scanner) Reset(r io.Reader) {
	*s = Scanner{finder: s.finder, base: s.base, r: r, window: window{text: s.window.text[:0]}, maxWindow: s.maxWindow, lines: lines{line: 1}, keep: s.keep, onDrop: s.onDrop}
	s.cursor.moveTo(0)
}

// Next returns the next match. At the end of the text the error is io.EOF. [ErrTooLong] is returned with the
// beginning of a match, and more matches may follow. Any other error is the reader's, and is returned after the
// matches before it. The match is nil if the error is neither nil nor ErrTooLong.
func (s *Scanner) Next() (*RawMatch, error) {
	for {
		m, st := s.finder.find(s.window, &s.cursor)
		switch {
		case st == hit:
			s.setMatch(m)
			return &s.match, nil
		case st == tooLong:
			s.setPosition(m)
			s.match.Bytes = beginning(s.window.text, m)
			return &s.match, ErrTooLong
		case s.err != nil:
			return nil, s.err
		}
		s.fill()
	}
}

// All yields the matches in r as the function [All] does. It resets s when a loop over them begins. Use it instead of
// that function for many short texts, because each new Scanner takes time and memory.
func (s *Scanner) All(r io.Reader) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		s.Reset(r)
		for {
			m, err := s.Next()
			switch {
			case err == io.EOF:
				return
			case m == nil:
				yield(Match{}, err)
				return
			case !yield(m.Match(), err):
				return
			}
		}
	}
}

// fill reads more of the text into the window. At the end of the text, or after an error, it calls end. It first makes
// room in a full window: the window grows up to maxWindow, and then drops the text that was searched, except for its
// last keep bytes.
func (s *Scanner) fill() {
	w := &s.window
	if full := len(w.text) == cap(w.text); full && cap(w.text) < s.maxWindow {
		w.text = append(make([]byte, 0, min(max(firstWindow, 8*cap(w.text)), s.maxWindow)), w.text...)
	} else if full && s.cursor.pos > s.keep {
		if err := s.drop(s.cursor.pos - s.keep); err != nil {
			s.end(err)
			return
		}
	}
	s.cursor.resetTriggers()
	from, pending := len(w.text), len(w.text)-s.cursor.pos
	for empty := 0; empty < 100; empty++ {
		n, err := s.r.Read(w.text[len(w.text):cap(w.text)])
		w.text = w.text[:len(w.text)+n]
		if err != nil {
			s.end(err)
			return
		}
		if n > 0 && s.worthSearching(from, pending, n) {
			return
		}
		if n > 0 {
			empty = 0
		}
	}
	s.end(io.ErrNoProgress)
}

// end marks the window as the end of the text. Next returns err after the matches in the window.
func (s *Scanner) end(err error) { s.err, s.window.eof = err, true }

// drop removes the first n bytes of the window, and adjusts the offsets of the cursor and the lines. It calls onDrop
// first. If onDrop fails, drop returns its error and removes no bytes.
func (s *Scanner) drop(n int) error {
	if s.onDrop != nil {
		if err := s.onDrop(n); err != nil {
			return err
		}
	}
	s.lines.count(s.window.text, s.offset, n)
	s.window.text = s.window.text[:copy(s.window.text, s.window.text[n:])]
	s.offset += int64(n)
	s.lines.counted -= n
	s.cursor.shift(n)
	return nil
}

// worthSearching reports whether the window should be searched again before more text is read. Its last search ended in
// an incomplete match of pending bytes. The bytes at and after from are new since then, and the last n were just read.
func (s *Scanner) worthSearching(from, pending, n int) bool {
	return pending < rescanThreshold || len(s.window.text)-from > pending/2 || len(s.window.text) == cap(s.window.text) ||
		slices.ContainsFunc(s.window.text[len(s.window.text)-n:], func(c byte) bool { return classes[c] == ends })
}

// rescanThreshold is the length in bytes above which an incomplete match is searched again only if the text has grown
// by half or has a byte that ends every URL. Without it a reader that returns few bytes at a time would make the work
// quadratic.
const rescanThreshold = 1 << 10

// setMatch makes m the match that Next returns.
func (s *Scanner) setMatch(m found) {
	s.setPosition(m)
	s.match.Bytes = s.window.text[m.from:m.end:m.end]
	switch m.kind {
	case Wrapped:
		s.match.Bytes, s.match.Hyphens = s.finder.joined, s.finder.hyphens
		return
	case Path:
		s.match.Base = s.base
	}
	s.lines.counted = m.end // a match has no line end
}

// beginning returns the first 256 bytes of the match m, which is too long. They share the memory of window.
func beginning(window []byte, m found) []byte {
	return window[m.start : m.start+256 : m.start+256]
}

// setPosition gives s.match, the match that Next returns, the position and the kind of m. It clears Bytes, Hyphens and
// Base, which the caller sets if the match has them.
func (s *Scanner) setPosition(m found) {
	s.lines.count(s.window.text, s.offset, m.start)
	at := s.offset + int64(m.start)
	if s.match.Hyphens != nil || s.match.Base != "" {
		s.match.Hyphens, s.match.Base = nil, ""
	}
	s.match.Offset, s.match.Length, s.match.Bytes, s.match.Kind = at, m.end-m.start, nil, m.kind
	s.match.Line, s.match.Column = s.lines.line, int(at-s.lines.from)+1
}

// lines counts the lines of a text, a window at a time.
type lines struct {
	line    int   // the number of the line at counted, from 1
	from    int64 // where that line starts in the text
	counted int   // the lines before this offset in the window have been counted
}

// count moves l forward to an offset in the window, to, and counts the line ends on the way. It has no effect if l has
// already passed to. offset is where the window starts in the text.
func (l *lines) count(window []byte, offset int64, to int) {
	if to <= l.counted {
		return
	}
	passed := window[l.counted:to]
	if len(passed) == 1 { // quicker for texts with one URL a line
		if passed[0] == '\n' {
			l.line++
			l.from = offset + int64(to)
		}
	} else if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
		l.line += n
		l.from = offset + int64(l.counted+bytes.LastIndexByte(passed, '\n')) + 1
	}
	l.counted = to
}
