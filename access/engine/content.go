package engine

import (
	"errors"
	"io"

	"locus/access"
	"locus/access/internal/rewind"
)

// Content returns the bytes that Put and Append send: the Body of req, or an empty reader
// if Body is nil. Unless Size is negative, reading fails if Body has fewer or more bytes.
func Content(req *access.Request) io.Reader {
	switch {
	case req.Body == nil:
		return access.NoBody
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

// Read reads from the body. It returns an error if the body has more bytes than Request.Size, and
// io.ErrUnexpectedEOF if it ends before.
func (s *sizedBody) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.left -= int64(n)
	switch {
	case s.left < 0:
		return 0, errors.New("the body has more bytes than Request.Size")
	case s.left > 0 && access.IsEnd(err):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// Rewindable returns req, or a copy of it, with a GetBody. The GetBody returns an error if
// Body cannot be sent again. An engine calls Rewindable if a server may want the body
// twice.
func Rewindable(req *access.Request) *access.Request {
	if req.Body == nil || req.GetBody != nil {
		return req
	}
	body := rewind.New(req.Body, nil, req.Size)
	next := *req
	next.Body, next.GetBody, next.Size = body, body.Rewind, body.Size()
	return &next
}
