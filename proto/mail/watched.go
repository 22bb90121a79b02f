package mail

import (
	"context"
	"errors"
	"io"
)

// A watched reader ends with its context, and remembers what went wrong: who
// reads through it may say no more than that a message makes no sense.
type watched struct {
	ctx context.Context
	r   io.Reader
	err error // the first that was not io.EOF
}

// Read reads from r, as long as ctx is not done.
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
