package mail

import (
	"context"
	"errors"
	"io"
)

// A watched reader fails when its context is done, and remembers its error.
// Callers need that, since a parser may only report an invalid message.
type watched struct {
	ctx context.Context
	r   io.Reader
	err error // the first error that is not io.EOF
}

// Read reads from r, unless ctx is done.
func (w *watched) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		w.err = err
		return 0, err
	}
	n, err := w.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) && w.err == nil {
		w.err = err
	}
	return n, err
}
