// Package rewind sends the body of a request again, because a server or a redirect may want
// it twice. Packages access and access/engine use it.
package rewind

import (
	"errors"
	"io"
)

// A Body is the body of a request that can start again, if it was not read or again is not nil.
type Body struct {
	io.Reader
	again  func() (io.Reader, error) // returns the body from its start; may be nil
	size   int64
	isRead bool
}

// New returns a Body that reads r. again returns r from its start. If again is nil and r is an
// io.Seeker, r is rewound to its present offset. size is how many bytes r has; if it is -1, New
// asks an io.Seeker.
func New(r io.Reader, again func() (io.Reader, error), size int64) *Body {
	b := &Body{Reader: r, again: again, size: size}
	s, ok := r.(io.Seeker)
	if !ok {
		return b
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return b
	}
	if b.again == nil {
		b.again = func() (io.Reader, error) {
			_, err := s.Seek(start, io.SeekStart)
			return r, err
		}
	}
	if b.size < 0 {
		b.size = remaining(s, start)
	}
	return b
}

// Read reads from the body.
func (b *Body) Read(p []byte) (int, error) {
	b.isRead = true
	return b.Reader.Read(p)
}

// Size returns how many bytes the body has; -1 if that is unknown.
func (b *Body) Size() int64 { return b.size }

// Rewind returns b, which then reads from its start again. It fails if b was read and cannot be
// read again.
func (b *Body) Rewind() (io.Reader, error) {
	if !b.isRead {
		return b, nil
	}
	if b.again == nil {
		return nil, errors.New("the body cannot be sent a second time")
	}
	body, err := b.again()
	if err != nil {
		return nil, err
	}
	b.Reader, b.isRead = body, false
	return b, nil
}

// remaining returns how many bytes s has from the offset at on, and moves s to that offset; -1 if s
// cannot tell.
func remaining(s io.Seeker, at int64) int64 {
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil || end < at {
		return -1
	}
	if _, err := s.Seek(at, io.SeekStart); err != nil {
		return -1
	}
	return end - at
}
