package message

import (
	"bufio"
	"encoding/hex"
	"io"
)

// A quotedReader decodes quoted-printable (RFC 2045 §6.7). Lines may have any length. It passes
// invalid text through: bytes that should be encoded, and "=" that starts no escape.
type quotedReader struct {
	r         *bufio.Reader
	heldSpace []byte // white space that is dropped if the line ends after it
	buf       []byte
	pending   []byte // the part of buf that Read returns next
	err       error  // the error of r
}

// maxBlank limits heldSpace. More white space is text.
const maxBlank = 1000

// newQuoted returns a reader that decodes the quoted-printable text of r.
func newQuoted(r io.Reader) *quotedReader { return &quotedReader{r: bufio.NewReader(r)} }

// Read returns the decoded text.
func (q *quotedReader) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(q.pending) == 0 {
			if q.err != nil {
				break
			}
			q.decodeNext()
		}
		copied := copy(b[n:], q.pending)
		q.pending = q.pending[copied:]
		n += copied
	}
	if n == 0 {
		return 0, q.err
	}
	return n, nil
}

// decodeNext decodes the next character or escape and puts the result in pending, which may stay
// empty. It drops white space at the end of a line. At the end of r it sets err.
func (q *quotedReader) decodeNext() {
	c, err := q.r.ReadByte()
	switch {
	case err != nil: // white space at the end of the text is dropped
		q.heldSpace, q.err = q.heldSpace[:0], err
	case c == ' ' || c == '\t':
		if q.heldSpace = append(q.heldSpace, c); len(q.heldSpace) > maxBlank {
			q.emit()
		}
	case c == '\n', c == '\r' && q.follows(0, "\n"):
		q.heldSpace = q.heldSpace[:0]
		q.emit(c)
	case c == '=':
		q.escape()
	default:
		q.emit(c)
	}
}

// emit makes heldSpace and then bytes the pending data. It clears heldSpace.
func (q *quotedReader) emit(bytes ...byte) {
	q.buf = append(append(q.buf[:0], q.heldSpace...), bytes...)
	q.pending, q.heldSpace = q.buf, q.heldSpace[:0]
}

// escape decodes the text after "=": two digits, or a soft line break, which it removes. Otherwise
// the "=" is text.
func (q *quotedReader) escape() {
	var b [1]byte
	digits, _ := q.r.Peek(2)
	if n, err := hex.Decode(b[:], digits); n == 1 && err == nil { // digits in lower case are allowed too (RFC 2045 §6.7, rule 1)
		_, _ = q.r.Discard(2)
		q.emit(b[0])
		return
	}
	end, ok := q.lineEnd()
	if !ok {
		q.emit('=')
		return
	}
	_, _ = q.r.Discard(end)
	q.emit()
}

// lineEnd returns the number of bytes up to the start of the next line, or to the end of the text.
// ok is false if the line has more than white space.
func (q *quotedReader) lineEnd() (length int, ok bool) {
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

// follows reports whether the bytes after the next skip bytes are text. The next skip bytes must be
// in the buffer.
func (q *quotedReader) follows(skip int, text string) bool {
	b, _ := q.r.Peek(skip + len(text))
	return string(b[skip:]) == text
}
