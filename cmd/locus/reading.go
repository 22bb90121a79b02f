package main

import (
	"context"
	"errors"
	"io"
	"os"
)

// untilDone returns what reads r until ctx is done: then a Read that waits, for
// somebody who types, say, ends. Nothing is read ahead: between two Reads others
// may read from where r does, to ask for a password.
func untilDone(ctx context.Context, r io.Reader) io.Reader { return &reading{ctx: ctx, r: r} }

type reading struct {
	ctx context.Context
	r   io.Reader
	buf []byte // for r alone: it may fill it after ctx is done
}

// Read reads from r, or ends with the context.
func (r *reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.buf) < len(b) {
		r.buf = make([]byte, len(b))
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := r.r.Read(r.buf[:len(b)])
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(b, r.buf[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

// Seek seeks in r, unless it is a file that is not on disk: of a terminal some
// systems say that it can.
func (r *reading) Seek(offset int64, whence int) (int64, error) {
	if f, ok := r.r.(*os.File); ok && !isRegular(f) {
		return 0, errors.ErrUnsupported
	}
	s, ok := r.r.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return s.Seek(offset, whence)
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}
