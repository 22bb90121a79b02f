package locus

import (
	"errors"
	"io"
	"net/http"
)

// bodyOf returns what r sends, and what closes all but r.Body itself. It can seek
// if r has GetBody: a redirect that asks for the same change elsewhere (307, 308)
// and a server that wants a password first are sent it once more.
func bodyOf(r *http.Request) (body io.Reader, closeBody func()) {
	switch {
	case r.Body == nil:
		return http.NoBody, func() {}
	case r.GetBody == nil:
		return r.Body, func() {}
	}
	b := &renewable{body: io.NopCloser(r.Body), renew: r.GetBody}
	return b, func() { b.body.Close() }
}

// A renewable is a reader that is made anew to seek.
type renewable struct {
	body  io.ReadCloser // of which one is open at a time
	renew func() (io.ReadCloser, error)
	at    int64 // octets before the next one
}

func (b *renewable) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.at += int64(n)
	return n, err
}

// Seek goes anywhere but to places counted from the end, which nobody knows.
func (b *renewable) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += b.at
	case io.SeekEnd:
		return b.at, errors.ErrUnsupported
	}
	if offset == b.at {
		return b.at, nil
	}
	body, err := b.renew()
	if err != nil {
		return b.at, err
	}
	b.body.Close()
	b.body = body
	b.at, err = io.CopyN(io.Discard, body, offset)
	return b.at, err
}
