package document

import (
	"bytes"
	"iter"

	"locus/internal/ascii"
	"locus/internal/markup"
)

// A splitter splits Markdown into pieces that can be read one by one. At a blank line
// before a paragraph or a heading nothing is open. If there is none for long, a piece ends
// before any line that is not indented, and in the end anywhere.
type splitter struct {
	text []byte
	at   int

	fence  []byte   // the mark of the open fence; nil: none
	markup []string // what ends the open block of HTML; nil: none
}

const (
	minPiece  = 16 << 10 // it ends where nothing is open
	longPiece = 32 << 10 // it ends before a line that is not indented
	maxPiece  = 64 << 10
)

// A pieceKind says how a piece is read.
type pieceKind uint8

const (
	prosePiece pieceKind = iota
	codePiece            // all of it is in a fence
	wordPiece            // a word that is too long for Markdown
)

// next returns the next piece; an empty one at the end.
func (s *splitter) next() (from, to int, kind pieceKind) {
	from = s.at
	if s.fence != nil {
		kind = codePiece
	}
	wasBlank := false
	for at, line := range lines(s.text, from) {
		size := at - from
		isOpen := s.fence != nil || s.markup != nil
		switch {
		case kind == codePiece && s.fence == nil, // the fence has ended
			!isOpen && size >= minPiece && wasBlank && beginsBlock(line),
			!isOpen && size >= longPiece && !isSpace(line[0]):
			s.at = at
			return from, at, kind
		case size+len(line) <= maxPiece:
		case size > 0:
			s.at = at
			return from, at, kind
		default:
			return s.splitLine(kind)
		}
		s.note(line)
		wasBlank = len(bytes.TrimSpace(line)) == 0
	}
	s.at = len(s.text)
	return from, s.at, kind
}

// splitLine returns a piece of a line that is longer than maxPiece.
func (s *splitter) splitLine(kind pieceKind) (from, to int, k pieceKind) {
	from = s.at
	s.at = from + maxPiece
	if n := bytes.LastIndexAny(s.text[from:s.at], " \t\n"); n >= 0 {
		s.at = from + n + 1
		return from, s.at, kind
	}
	if n := bytes.IndexAny(s.text[s.at:], " \t\n"); n >= 0 {
		s.at += n + 1
	} else {
		s.at = len(s.text)
	}
	if kind == codePiece {
		return from, s.at, kind
	}
	return from, s.at, wordPiece
}

// beginsBlock reports whether a line after a blank one ends all lists and quotations.
func beginsBlock(line []byte) bool {
	return ascii.IsLetter(line[0]) || line[0] == '#' || line[0] >= 0x80
}

// note notes whether a fence or a block of HTML is open after a line.
func (s *splitter) note(line []byte) {
	text := bytes.TrimLeft(line, " ")
	switch {
	case len(line)-len(text) > 3:
	case s.fence != nil:
		if mark := fenceMark(text); len(mark) >= len(s.fence) && mark[0] == s.fence[0] && len(bytes.TrimSpace(text[len(mark):])) == 0 {
			s.fence = nil
		}
		return
	case s.markup == nil:
		if mark := fenceMark(text); len(mark) >= 3 && (mark[0] == '~' || bytes.IndexByte(text[len(mark):], '`') < 0) {
			s.fence = mark
			return
		}
		s.markup = endsOfMarkup(text)
	}
	for _, end := range s.markup {
		if bytes.Contains(bytes.ToLower(text), []byte(end)) {
			s.markup = nil
		}
	}
}

// fenceMark returns the run of backticks or tildes at the start of a line.
func fenceMark(text []byte) []byte {
	n := 0
	for n < len(text) && (text[n] == '`' || text[n] == '~') && text[n] == text[0] {
		n++
	}
	return text[:n]
}

// endsOfMarkup returns what ends the block of HTML that a line begins, if blank lines do
// not (CommonMark §4.6).
func endsOfMarkup(text []byte) []string {
	if bytes.HasPrefix(text, []byte("<!--")) {
		return []string{"-->"}
	}
	for _, name := range []string{"<script", "<pre", "<style", "<textarea"} {
		if hasFold(text, name) && (len(text) == len(name) || markup.EndsName(text[len(name)])) {
			return []string{"</script>", "</pre>", "</style>", "</textarea>"}
		}
	}
	return nil
}

// spaced yields ranges of a text of up to maxPiece bytes, which end after white space. A
// longer word is divided after four times as much.
func spaced(text []byte, from, to int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for to-from > maxPiece {
			end := from + maxPiece
			if n := bytes.LastIndexAny(text[from:end], " \n"); n >= 0 {
				end = from + n + 1
			} else if end = min(from+4*maxPiece, to); end < to {
				if n := bytes.IndexAny(text[from:end], " \n"); n >= 0 {
					end = from + n + 1
				}
			}
			if !yield(from, end) {
				return
			}
			from = end
		}
		yield(from, to)
	}
}
