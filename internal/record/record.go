// Package record writes and reads fields: numbers and texts. A number is written as a
// varint. A text is written as its length and its bytes. A text that often begins like
// the text before it, such as a URL, is written as the length of the common beginning,
// and the rest.
package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// A Writer appends fields to Data.
type Writer struct {
	Data []byte
	last string // of Similar
}

// Byte appends a byte.
func (w *Writer) Byte(b byte) { w.Data = append(w.Data, b) }

// Uint appends a number.
func (w *Writer) Uint(n uint64) { w.Data = binary.AppendUvarint(w.Data, n) }

// Number appends n, or 0 if n is negative.
func (w *Writer) Number(n int) { w.Uint(uint64(max(n, 0))) }

// Int appends a number that may be negative.
func (w *Writer) Int(n int64) { w.Data = binary.AppendVarint(w.Data, n) }

// Text appends a text.
func (w *Writer) Text(s string) {
	w.Uint(uint64(len(s)))
	w.Data = append(w.Data, s...)
}

// Similar appends a text: the length of the beginning that s has in common with the text of the
// previous call of Similar, and the rest of s.
func (w *Writer) Similar(s string) {
	n := 0
	for n < min(len(s), len(w.last)) && s[n] == w.last[n] {
		n++
	}
	w.Uint(uint64(n))
	w.Text(s[n:])
	w.last = s
}

// A Source gives a Reader its bytes.
type Source interface {
	io.Reader
	io.ByteReader
}

// A Reader reads the fields that a Writer wrote, by the methods of the same names. After
// the first error they return zero values.
type Reader struct {
	From   Source
	last   string // of Similar
	buffer []byte // of text
	err    error
}

var (
	errNumber = errors.New("a number is too large")
	errPrefix = errors.New("a record shares a longer prefix with the previous text than that text has")
)

// Err returns the first error, or nil. If the Source ends within a field, the error is
// io.ErrUnexpectedEOF.
func (r *Reader) Err() error { return r.err }

// fail stores err unless it is nil or the Reader already has an error. It stores io.EOF as
// io.ErrUnexpectedEOF. It reports whether the Reader has an error now.
func (r *Reader) fail(err error) bool {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if r.err == nil {
		r.err = err
	}
	return r.err != nil
}

// Byte reads a byte. It returns 0 after an error.
func (r *Reader) Byte() (b byte) {
	if r.err == nil {
		var err error
		b, err = r.From.ReadByte()
		r.fail(err)
	}
	return b
}

// Uint reads a number that Uint or Number has appended. It returns 0 after an error.
func (r *Reader) Uint() uint64 {
	var one [1]uint64
	r.Uints(one[:])
	return one[0]
}

// Uints fills all with numbers that Uint or Number has appended. After an error the remaining
// numbers are 0.
func (r *Reader) Uints(all []uint64) {
	for n := r.buffered(all); n < len(all); n++ {
		all[n] = 0
		if r.err == nil {
			number, err := binary.ReadUvarint(r.From)
			if !r.fail(err) {
				all[n] = number
			}
		}
	}
}

// buffered reads numbers into all while they are in the buffer of From, and returns how many it
// has read, perhaps 0. This is quicker than reading byte by byte.
func (r *Reader) buffered(all []uint64) (n int) {
	from, ok := r.From.(*bufio.Reader)
	if !ok || r.err != nil {
		return 0
	}
	b, _ := from.Peek(min(from.Buffered(), len(all)*binary.MaxVarintLen64)) // these bytes are in the buffer
	at := 0
	for n < len(all) {
		number, size := binary.Uvarint(b[at:])
		if size <= 0 {
			break
		}
		all[n] = number
		n, at = n+1, at+size
	}
	_, _ = from.Discard(at)
	return n
}

// Number reads a number of at most 1<<40. A larger number is an error of r. Number returns 0
// after an error.
func (r *Reader) Number() int {
	n := r.Uint()
	if n > 1<<40 {
		r.fail(errNumber)
		return 0
	}
	return int(n)
}

// Int reads a number that Int has appended. It returns 0 after an error.
func (r *Reader) Int() int64 {
	n := r.Uint()
	return int64(n>>1) ^ -int64(n&1) // as binary.Varint
}

// Text reads a text, or returns "" after an error. A wrong length does not take more memory
// than the Source has bytes.
func (r *Reader) Text() string { return string(r.text()) }

// Repeated reads a text that Text has appended. If the text equals last, it returns last and does
// not allocate. It returns "" after an error.
func (r *Reader) Repeated(last string) string {
	if text := r.text(); string(text) != last {
		return string(text)
	}
	return last
}

// text reads a text. The bytes are valid until the next call. It returns nil after an error.
func (r *Reader) text() []byte {
	const piece = 64 << 10
	r.buffer = r.buffer[:0]
	for n := r.Uint(); n > 0 && r.err == nil; n -= min(n, piece) {
		start := len(r.buffer)
		r.buffer = slices.Grow(r.buffer, int(min(n, piece)))[:start+int(min(n, piece))]
		if _, err := io.ReadFull(r.From, r.buffer[start:]); r.fail(err) {
			return nil
		}
	}
	return r.buffer
}

// Similar reads a text that [Writer.Similar] has appended. Its beginning may come from the text
// that the previous call of Similar has read. It returns "" after an error.
func (r *Reader) Similar() string {
	n, rest := r.Uint(), r.text()
	if n > uint64(len(r.last)) {
		r.fail(errPrefix)
	}
	if r.err != nil {
		return ""
	}
	if n < uint64(len(r.last)) || len(rest) > 0 {
		r.last = r.last[:n] + string(rest)
	}
	return r.last
}
