package ber

import (
	"bytes"
	"fmt"
	"io"
)

// Read reads one element with its header from r into b, after it empties b. In b every element has
// a definite length. The error wraps [ErrSyntax] if the element is malformed, for example if an
// element in it extends beyond its end.
//
// The memory of Read grows with the data that arrives, because a header can claim any length.
// An element of more than limit bytes is [ErrTooLong]. The error is io.EOF if r ends before the
// first byte, and io.ErrUnexpectedEOF if it ends later.
func Read(r io.ByteReader, b *bytes.Buffer, limit int) error {
	b.Reset()
	if err := (&reader{r, b, limit}).element(0); err != nil {
		return err
	}
	return makeDefinite(b)
}

type reader struct {
	r     io.ByteReader
	b     *bytes.Buffer
	limit int
}

// element reads one element from r.r and appends it, with its header, to r.b. It does not look
// into an element of definite length. depth is the number of elements around it. The error wraps
// ErrSyntax if elements of indefinite length are nested more deeply than MaxDepth.
func (r *reader) element(depth int) error {
	h, err := r.header()
	switch {
	case err != nil:
		return err
	case !h.isIndefinite:
		return r.content(h.length)
	case depth == MaxDepth:
		return fmt.Errorf("%w: nested deeper than %d", ErrSyntax, MaxDepth)
	}
	for {
		start := r.b.Len()
		if err := r.element(depth + 1); err != nil {
			return early(err)
		}
		if string(r.b.Bytes()[start:]) == endOfContents {
			return nil
		}
	}
}

// header reads a tag and a length, and appends their bytes to r.b. The error is io.EOF before
// the first byte, and io.ErrUnexpectedEOF after it.
func (r *reader) header() (header, error) {
	const longest = 1 + 4 + 1 + 4
	start := r.b.Len()
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			if r.b.Len() > start {
				err = early(err)
			}
			return header{}, err
		}
		if r.b.Len() >= r.limit {
			return header{}, fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.limit)
		}
		r.b.WriteByte(c)
		have := r.b.Bytes()[start:]
		h, _, err := parseHeader(have)
		if err == nil || err != errShort || len(have) > longest { //nolint:errorlint // it is never wrapped
			return h, err
		}
	}
}

// content reads n bytes and appends them to r.b. The error wraps ErrTooLong if r.b would then
// exceed the limit, and is io.ErrUnexpectedEOF if r.r has fewer bytes.
func (r *reader) content(n int) error {
	if n > r.limit-r.b.Len() {
		return fmt.Errorf("%w: %d bytes, and %d are allowed", ErrTooLong, n, r.limit)
	}
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

// early returns io.ErrUnexpectedEOF if err is io.EOF, and err otherwise.
func early(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
