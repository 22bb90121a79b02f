package extract

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// Wrap copies the text of r to w, and puts every URL into the wrapper that RFC 1738's appendix recommends: <URL:…>.
// The text in the wrapper is [Match.Output]. A URL stays unchanged if it already has a wrapper, if it would exceed
// [Options.MaxLength] with a wrapper, or if it touches other text in which a Scanner would then find a different URL.
//
// A line that a wrapper would make longer than width characters is broken inside the wrapper, but never after a
// hyphen. No other white space changes. A width below 1 means 72.
//
// A [Scanner] finds the same URLs in the new text as in the old one. Wrap takes as much memory as a Scanner. It
// returns the error of w or r.
func Wrap(w io.Writer, r io.Reader, o Options, width int) error {
	x := &wrapping{out: bufio.NewWriter(w), s: NewScanner(r, o), width: width}
	if width <= 0 {
		x.width = 72
	}
	x.s.onDrop, x.s.keep = x.copyTo, x.s.finder.max+lookBehind
	for {
		m, err := x.s.Next()
		switch {
		case m == nil:
			if err == io.EOF {
				err = nil
			}
			return errors.Join(err, x.copyTo(len(x.s.window.text)), x.out.Flush())
		case err != nil:
			x.plain = m.Offset + int64(m.Length)
		case m.Kind != Wrapped: // a wrapper is copied later, with the text before the next match
			if err := x.wrap(m.Match()); err != nil {
				return err
			}
		}
		x.past = m.Offset + int64(m.Length)
	}
}

// A wrapping is the state of Wrap.
type wrapping struct {
	out    *bufio.Writer
	s      *Scanner
	copied int64 // how many bytes of the text have been copied
	past   int64 // the end of the last match
	plain  int64 // the end of the last match that got no wrapper
	width  int
	column int    // the number of characters in the current line of the output
	isCRLF bool   // the last line ended with CR LF
	line   []byte // a URL in its wrapper, as it is written
}

// copyTo writes the text that is not copied yet, up to an offset in the window, to the output.
func (x *wrapping) copyTo(end int) error {
	return x.copy(x.s.window.text[min(max(x.copied-x.s.offset, 0), int64(end)):end])
}

// copy writes text, which continues the text that was copied before, to the output. It updates copied, column and
// isCRLF.
func (x *wrapping) copy(text []byte) error {
	x.copied += int64(len(text))
	_, err := x.out.Write(text)
	if n := bytes.LastIndexByte(text, '\n'); n >= 0 {
		x.isCRLF = n > 0 && text[n-1] == '\r'
		text, x.column = text[n+1:], 0
	}
	x.column += utf8.RuneCount(text)
	return err
}

// wrap copies the text before the match m, and writes m in a wrapper. If the match stands between "<" and ">", these
// become the brackets of the wrapper. If the wrapper would change a neighbouring URL or is too long, wrap writes no
// wrapper, and the match is copied later. wrap returns the error of m.URL or of the output.
func (x *wrapping) wrap(m Match) error {
	u, err := m.URL()
	if err != nil {
		return err
	}
	for x.wordEnd(m) == len(x.s.window.text) && x.s.err == nil {
		x.s.fill()
	}
	w, start, end := x.s.window.text, int(m.Offset-x.s.offset), int(m.Offset-x.s.offset)+m.Length
	if start > 0 && w[start-1] == '<' && m.Offset > x.copied && end < len(w) && w[end] == '>' {
		start, end = start-1, end+1
	}
	if x.changesBefore(start) || x.changesAfter(end, x.wordEnd(m)) {
		x.plain = m.Offset + int64(m.Length)
		return nil
	}
	if err := x.copyTo(start); err != nil {
		return err
	}
	column := x.column
	x.setLine(m.Output(u))
	if len(x.line) > x.s.finder.max {
		x.column, x.plain = column, m.Offset+int64(m.Length)
		return nil
	}
	x.copied = x.s.offset + int64(end)
	_, err = x.out.Write(x.line)
	return err
}

// wordEnd returns the offset in the window of the first white space after the match m, or the end of the window. It
// looks at most 2*lookBehind bytes ahead, because later text does not depend on the match.
func (x *wrapping) wordEnd(m Match) int {
	end := int(m.Offset-x.s.offset) + m.Length
	rest := x.s.window.text[end:min(end+2*lookBehind, len(x.s.window.text))]
	if n := bytes.IndexAny(rest, whiteSpace); n >= 0 {
		return end + n
	}
	return end + len(rest)
}

const whiteSpace = " \t\n\v\f\r"

// changesBefore reports whether a wrapper that starts at start would change the word before it: the text from the last
// white space or the last match up to start would contain a URL, or the last match is in the same word and has no
// wrapper.
func (x *wrapping) changesBefore(start int) bool {
	from := int(max(x.past-x.s.offset, int64(start-x.s.finder.max), 0))
	word := x.s.window.text[from:start]
	if n := bytes.LastIndexAny(word, whiteSpace); n >= 0 {
		word = word[n+1:]
	} else if x.plain == x.past && x.past > 0 {
		return true // a URL before it in the same word has no wrapper
	}
	x.line = append(append(append(x.line[:0], '>'), word...), '<')
	return x.firstMatch(x.line, 1) != [2]int{}
}

// changesAfter reports whether a Scanner would find a different first URL between end and wordEnd if a wrapper ended at
// end.
func (x *wrapping) changesAfter(end, wordEnd int) bool {
	was := x.firstMatch(x.s.window.text[:wordEnd], end)
	x.line = append(append(x.line[:0], '>'), x.s.window.text[end:wordEnd]...)
	return was != x.firstMatch(x.line, 1)
}

// firstMatch looks for the first match in text that begins at from or later, and returns its start and its end, both
// relative to from. It returns the zero value if it finds no match.
func (x *wrapping) firstMatch(text []byte, from int) (at [2]int) {
	var c cursor
	c.moveTo(from)
	m, st := x.s.finder.find(window{text, true}, &c)
	if st == miss {
		return at
	}
	return [2]int{m.start - from, m.end - from}
}

// setLine sets line to the URL u in its wrapper, broken into lines, and adjusts the column.
func (x *wrapping) setLine(u string) {
	x.line = append(x.line[:0], "<URL:"...)
	x.column += len("<URL:")
	for x.column+len(u)+len(">") > x.width {
		n := breakIn(u, x.width-x.column)
		if n == len(u) {
			break
		}
		x.line = append(x.line, u[:n]...)
		if x.isCRLF {
			x.line = append(x.line, '\r')
		}
		x.line = append(x.line, '\n')
		u, x.column = u[n:], 0
	}
	x.line = append(append(x.line, u...), '>')
	x.column += len(u) + len(">")
}

// breakIn returns the offset in u, a URL, at which to break the line if only room bytes fit on it. It breaks before a
// separator in the second half of the room, or at the end of the room if there is no separator. It never breaks after a
// hyphen; if no earlier break is possible, it exceeds the room. It returns len(u) if u cannot be broken, and 0 if room
// is less than 1.
func breakIn(u string, room int) int {
	if room < 1 {
		return 0
	}
	last := min(room, len(u)-1)
	for n := last; n > last/2; n-- {
		if strings.IndexByte("/?#&;", u[n]) >= 0 && strings.IndexByte("-/:", u[n-1]) < 0 {
			return n
		}
	}
	n := last
	for n > 0 && u[n-1] == '-' {
		n--
	}
	if n > 0 {
		return n
	}
	for n = last + 1; n < len(u) && u[n-1] == '-'; n++ {
	}
	return n
}
