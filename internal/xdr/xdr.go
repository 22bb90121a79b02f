// Package xdr reads and writes the data of ONC RPC: XDR (RFC 4506), and the records of messages
// over TCP (RFC 5531 §11).
package xdr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var (
	// ErrShort reports that the data end before the value.
	ErrShort = errors.New("the message is too short")
	// ErrLong reports that a value or a record is longer than accepted.
	ErrLong = errors.New("the message has a length that is not accepted")
	// ErrValue reports that a value is not allowed by its type.
	ErrValue = errors.New("the message has a value that is not allowed")
)

// A Writer appends values to Buf. The zero Writer is empty.
type Writer struct{ Buf []byte }

// Uint32 appends an unsigned integer, a length or the value of an enum.
func (w *Writer) Uint32(v uint32) { w.Buf = binary.BigEndian.AppendUint32(w.Buf, v) }

// Uint64 appends an unsigned hyper.
func (w *Writer) Uint64(v uint64) { w.Buf = binary.BigEndian.AppendUint64(w.Buf, v) }

// Bool appends a bool.
func (w *Writer) Bool(v bool) {
	if v {
		w.Uint32(1)
		return
	}
	w.Uint32(0)
}

// Fixed appends bytes without their number, and pads them to a multiple of four.
func (w *Writer) Fixed(p []byte) {
	w.Buf = append(w.Buf, p...)
	w.Pad(len(p))
}

// Opaque appends the number of bytes in p, then the bytes, padded to a multiple of four.
func (w *Writer) Opaque(p []byte) {
	w.Uint32(uint32(len(p))) //nolint:gosec // callers have less than 4 GiB
	w.Fixed(p)
}

// String appends a text: its length, its bytes and their padding.
func (w *Writer) String(s string) {
	w.Uint32(uint32(len(s))) //nolint:gosec // callers have less than 4 GiB
	w.Buf = append(w.Buf, s...)
	w.Pad(len(s))
}

// Pad appends the zeros that pad n bytes to a multiple of four.
func (w *Writer) Pad(n int) {
	for ; n%4 != 0; n++ {
		w.Buf = append(w.Buf, 0)
	}
}

// A Reader reads values from data. After an error, which Err returns, it reads zeros.
type Reader struct {
	data []byte
	err  error
}

// NewReader returns a Reader of data. The values that it returns share memory with data.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Err returns the first error, which is nil, [ErrShort], [ErrLong], [ErrValue] or an error that
// Fail got.
func (r *Reader) Err() error { return r.err }

// Left returns the number of bytes that have not been read. It is 0 after an error.
func (r *Reader) Left() int { return len(r.data) }

// Fail makes err the error of the Reader, unless the Reader already has one. Later reads return
// zeros.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err, r.data = err, nil
	}
}

// take returns the next n bytes. If fewer are left, the Reader fails with ErrShort, and take
// returns nil.
func (r *Reader) take(n int) []byte {
	if n > len(r.data) {
		r.Fail(ErrShort)
		return nil
	}
	p := r.data[:n:n]
	r.data = r.data[n:]
	return p
}

// Uint32 reads an unsigned integer, a length or the value of an enum.
func (r *Reader) Uint32() uint32 {
	p := r.take(4)
	if p == nil {
		return 0
	}
	return binary.BigEndian.Uint32(p)
}

// Uint64 reads an unsigned hyper.
func (r *Reader) Uint64() uint64 {
	p := r.take(8)
	if p == nil {
		return 0
	}
	return binary.BigEndian.Uint64(p)
}

// Bool reads a bool. A value other than 0 and 1 is ErrValue.
func (r *Reader) Bool() bool {
	v := r.Uint32()
	if v > 1 {
		r.Fail(ErrValue)
	}
	return v == 1
}

// Fixed reads n bytes, and the padding up to a multiple of four. It returns nil after an error.
func (r *Reader) Fixed(n int) []byte {
	p := r.take(n)
	r.take((4 - n%4) % 4)
	if r.err != nil {
		return nil
	}
	return p
}

// Opaque reads a length and as many bytes. A length of more than most is [ErrLong]. It returns
// nil after an error.
func (r *Reader) Opaque(most int) []byte {
	n := r.Uint32()
	if uint64(n) > uint64(max(most, 0)) {
		r.Fail(ErrLong)
		return nil
	}
	return r.Fixed(int(n))
}

// String reads text of at most most bytes. It returns "" after an error.
func (r *Reader) String(most int) string { return string(r.Opaque(most)) }

const (
	lastFragment  = 1 << 31
	mostFragments = 4096 // of a record
)

// Frame makes message, in place, a record with one fragment, and returns it. The first four
// bytes of message are replaced by the header of the fragment.
func Frame(message []byte) []byte {
	binary.BigEndian.PutUint32(message, lastFragment|uint32(len(message)-4)) //nolint:gosec // callers have less than 2 GiB
	return message
}

// ReadRecord reads a record of at most most bytes into buf, which it may replace by a larger
// slice, and returns its bytes without headers. It allocates at most twice as much as has
// arrived, because a header can claim any length. The error is io.EOF only if the connection
// ends before the first byte. It wraps [ErrLong] if the record is too long, and is
// io.ErrUnexpectedEOF if the record ends early.
func ReadRecord(r io.Reader, buf []byte, most int) ([]byte, error) {
	buf = buf[:0]
	for n := range mostFragments {
		var header [4]byte
		if _, err := io.ReadFull(r, header[:]); err != nil {
			if n > 0 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		mark := binary.BigEndian.Uint32(header[:])
		size := int(mark &^ lastFragment)
		if size > most-len(buf) {
			return nil, fmt.Errorf("%w: a record of more than %d bytes", ErrLong, most)
		}
		var err error
		if buf, err = readMore(r, buf, size); err != nil {
			return nil, err
		}
		if mark&lastFragment != 0 {
			return buf, nil
		}
	}
	return nil, fmt.Errorf("%w: a record of more than %d fragments", ErrLong, mostFragments)
}

// step is the number of bytes that are allocated before they arrive.
const step = 64 << 10

// readMore appends size bytes of r to buf and returns the extended slice. The error is
// io.ErrUnexpectedEOF if r has fewer.
func readMore(r io.Reader, buf []byte, size int) ([]byte, error) {
	for size > 0 {
		if free := cap(buf) - len(buf); free == 0 {
			grown := make([]byte, len(buf), len(buf)+min(size, max(step, len(buf))))
			copy(grown, buf)
			buf = grown
		}
		part := buf[len(buf):min(cap(buf), len(buf)+size)]
		n, err := io.ReadFull(r, part)
		buf, size = buf[:len(buf)+n], size-n
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}
