package access

import (
	"errors"
	"io"
)

// A rewindable is a Body that can start again: if it was not read yet, or by again.
type rewindable struct {
	io.Reader
	again  func() (io.Reader, error) // may be nil
	isRead bool
}

func (b *rewindable) Read(p []byte) (int, error) {
	b.isRead = true
	return b.Reader.Read(p)
}

// withRewindable returns a copy of req with a GetBody. That fails if Body was read, and
// req has no GetBody, and Body cannot seek.
func withRewindable(req *Request) *Request {
	b := &rewindable{Reader: req.Body, again: req.GetBody}
	next := *req
	next.Body, next.GetBody = b, b.rewind
	s, ok := req.Body.(io.Seeker)
	if !ok {
		return &next
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return &next
	}
	if b.again == nil {
		b.again = func() (io.Reader, error) {
			_, err := s.Seek(start, io.SeekStart)
			return req.Body, err
		}
	}
	if next.Size < 0 {
		next.Size = remaining(s, start)
	}
	return &next
}

// rewind returns the Body from its start.
func (b *rewindable) rewind() (io.Reader, error) {
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

// Content returns what Put and Append send: Body, or an empty reader if Body is
// nil. Unless Size is negative, it fails if Body has fewer or more bytes.
func (req *Request) Content() io.Reader {
	switch {
	case req.Body == nil:
		return NoBody
	case req.Size < 0:
		return req.Body
	}
	return &sizedBody{r: req.Body, left: req.Size}
}

// sizedBody is a Body that fails unless it has exactly left bytes.
type sizedBody struct {
	r    io.Reader
	left int64
}

func (s *sizedBody) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.left -= int64(n)
	switch {
	case s.left < 0:
		return 0, errors.New("the body has more bytes than Request.Size")
	case s.left > 0 && IsEnd(err):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// Rewindable returns req, or a copy of it, with a GetBody. That returns an error if Body
// cannot be sent again. An engine calls it if a server may want the body twice.
func Rewindable(req *Request) *Request {
	if req.Body == nil || req.GetBody != nil {
		return req
	}
	return withRewindable(req)
}

// remaining returns how many bytes follow the position at of s; -1 if unknown.
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
