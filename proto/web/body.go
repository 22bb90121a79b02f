package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"

	"locus/access"
	"locus/url"
)

// A body is the Body of a Resource. It gives io.EOF only if the answer is
// whole.
type body struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	rc     io.ReadCloser
	url    url.URL
	left   int64 // how many octets must come; -1 if that is unknown
	closed atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, b.fail(context.Cause(b.ctx))
	}
	n, err := b.rc.Read(p)
	if b.left >= 0 {
		if int64(n) > b.left {
			return 0, b.fail(fmt.Errorf("%w: more octets than were announced", access.ErrProtocol))
		}
		b.left -= int64(n)
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF) && b.left > 0:
		return n, b.fail(io.ErrUnexpectedEOF)
	case errors.Is(err, io.EOF):
		return n, io.EOF
	case b.ctx.Err() != nil:
		err = context.Cause(b.ctx)
	}
	return n, b.fail(err)
}

func (b *body) fail(err error) error {
	return access.Fail("read", b.url, err)
}

// Close ends the access, even while Read is stuck in another goroutine.
func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	b.cancel(net.ErrClosed)
	return b.rc.Close()
}
