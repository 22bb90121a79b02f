package ber

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Read reads one element from r into b, which it empties first. An element of indefinite
// length becomes one of definite length, and tags the shortest that mean the same. The
// error wraps [ErrSyntax] if an element ends outside the one that it is in.
//
// The memory of Read grows with what arrives, not with what a header claims. More than
// limit bytes are [ErrTooLong]. An end before the first byte is io.EOF, one after it
// io.ErrUnexpectedEOF.
func Read(r io.ByteReader, b *bytes.Buffer, limit int) error {
	b.Reset()
	_, err := (&reader{r: r, b: b, limit: limit}).element(math.MaxInt, 0)
	return err
}

type reader struct {
	r     io.ByteReader
	b     *bytes.Buffer
	limit int
	n     int // how many bytes were read from r
}

// element reads an element that must end at byte end or before, and is nested as deep as
// depth says. isEnd reports whether it is the end-of-contents of an indefinite length.
func (r *reader) element(end, depth int) (isEnd bool, err error) {
	h, err := r.header(end)
	switch {
	case err != nil:
		return false, err
	case h.length > end-r.n:
		return false, fmt.Errorf("%w: an element of %d bytes in one with %d left", ErrSyntax, h.length, end-r.n)
	case h.length > r.limit-r.b.Len():
		return false, fmt.Errorf("%w: %d bytes, and %d are allowed", ErrTooLong, h.length, r.limit)
	}
	r.b.Write(appendTag(r.b.AvailableBuffer(), h.Class, h.IsConstructed, h.Tag))
	if h.IsConstructed {
		return false, r.elements(h, end, depth)
	}
	r.b.Write(appendLength(r.b.AvailableBuffer(), h.length))
	isEnd = h.Class == Universal && h.Tag == 0 && h.length == 0
	return isEnd, r.content(h.length)
}

// elements reads what is in an element, and writes its length.
func (r *reader) elements(h header, end, depth int) error {
	if depth == MaxDepth {
		return fmt.Errorf("%w: nested deeper than %d", ErrSyntax, MaxDepth)
	}
	if !h.isIndefinite {
		end = r.n + h.length
	}
	const fourBytes = 0x84
	r.b.Write([]byte{fourBytes, 0, 0, 0, 0}) // the length is set below
	start := r.b.Len()
	for h.isIndefinite || r.n < end {
		last := r.b.Len()
		isEnd, err := r.element(end, depth+1)
		if err != nil {
			return early(err)
		}
		if isEnd && h.isIndefinite {
			r.b.Truncate(last)
			break
		}
	}
	length := uint32(r.b.Len() - start) //nolint:gosec // at most limit, and a few bytes
	binary.BigEndian.PutUint32(r.b.Bytes()[start-4:], length)
	return nil
}

// header reads a tag and a length.
func (r *reader) header(end int) (header, error) {
	const longest = 1 + 4 + 1 + 4
	have := make([]byte, 0, longest)
	for {
		if r.n == end {
			return header{}, errShort
		}
		c, err := r.r.ReadByte()
		if err != nil {
			if len(have) > 0 {
				err = early(err)
			}
			return header{}, err
		}
		if r.b.Len()+len(have) >= r.limit {
			return header{}, fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.limit)
		}
		r.n++
		have = append(have, c)
		h, _, err := parseHeader(have)
		if err == nil || err != errShort || len(have) == longest { //nolint:errorlint // it is never wrapped
			return h, err
		}
	}
}

// content reads so many bytes.
func (r *reader) content(n int) error {
	r.n += n
	if reader, ok := r.r.(io.Reader); ok {
		_, err := io.CopyN(r.b, reader, int64(n))
		return early(err)
	}
	for range n {
		c, err := r.r.ReadByte()
		if err != nil {
			return early(err)
		}
		r.b.WriteByte(c)
	}
	return nil
}

// early returns io.ErrUnexpectedEOF for io.EOF.
func early(err error) error {
	if err == io.EOF { //nolint:errorlint // readers return it unwrapped
		return io.ErrUnexpectedEOF
	}
	return err
}
