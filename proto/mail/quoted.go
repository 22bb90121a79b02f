package mail

import (
	"bufio"
	"io"
)

// A quoted reader decodes quoted-printable (RFC 2045 §6.7). Lines may have any
// length. It takes all that is not well formed for itself: octets that should
// have been encoded, and "=" before what it does not stand before.
type quoted struct {
	r     *bufio.Reader
	blank []byte // white space that is dropped if the line ends after it
	buf   []byte
	out   []byte // of buf, to be given before anything is read
	err   error  // what r has ended with
}

// maxBlank is how much white space is held back; more than that is text.
const maxBlank = 1000

func newQuoted(r io.Reader) *quoted { return &quoted{r: bufio.NewReader(r)} }

// Read gives the octets that the text stands for.
func (q *quoted) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(q.out) == 0 {
			if q.err != nil {
				break
			}
			q.next()
		}
		copied := copy(b[n:], q.out)
		q.out = q.out[copied:]
		n += copied
	}
	if n == 0 {
		return 0, q.err
	}
	return n, nil
}

// next decodes one octet of the text, or what belongs together.
func (q *quoted) next() {
	c, err := q.r.ReadByte()
	switch {
	case err != nil: // white space at the end of the text is dropped
		q.blank, q.err = q.blank[:0], err
	case c == ' ' || c == '\t':
		if q.blank = append(q.blank, c); len(q.blank) > maxBlank {
			q.give()
		}
	case c == '\n', c == '\r' && q.follows(0, "\n"):
		q.blank = q.blank[:0]
		q.give(c)
	case c == '=':
		q.escape()
	default:
		q.give(c)
	}
}

// give gives the white space that was held back, and octets after it.
func (q *quoted) give(octets ...byte) {
	q.buf = append(append(q.buf[:0], q.blank...), octets...)
	q.out, q.blank = q.buf, q.blank[:0]
}

// escape decodes what stands after "=": two digits, or the end of a line that
// goes on.
func (q *quoted) escape() {
	digits, _ := q.r.Peek(2)
	if len(digits) == 2 {
		high, ok1 := hexDigit(digits[0])
		low, ok2 := hexDigit(digits[1])
		if ok1 && ok2 {
			_, _ = q.r.Discard(2)
			q.give(high<<4 | low)
			return
		}
	}
	end, ok := q.lineEnd()
	if !ok {
		q.give('=')
		return
	}
	_, _ = q.r.Discard(end)
	q.give()
}

// lineEnd returns how far the end of the line is, after white space alone.
func (q *quoted) lineEnd() (length int, ok bool) {
	for at := range maxBlank {
		b, _ := q.r.Peek(at + 1)
		switch {
		case len(b) <= at:
			return at, true // the end of the text
		case b[at] == '\n':
			return at + 1, true
		case b[at] == '\r' && q.follows(at+1, "\n"):
			return at + 2, true
		case b[at] != ' ' && b[at] != '\t':
			return 0, false
		}
	}
	return 0, false
}

// follows reports whether text comes after the next skip octets, which are there.
func (q *quoted) follows(skip int, text string) bool {
	b, _ := q.r.Peek(skip + len(text))
	return string(b[skip:]) == text
}

func hexDigit(c byte) (value byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	case 'a' <= c && c <= 'f': // RFC 2045 §6.7 (1): a robust implementation takes them
		return c - 'a' + 10, true
	}
	return 0, false
}
