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

// A body is the Body of a Resource. It returns io.EOF only if the response is
// complete.
type body struct {
	ctx       context.Context
	cancel    context.CancelCauseFunc
	reader    io.ReadCloser
	url       url.URL
	remaining int64 // bytes still expected; -1 if unknown
	closed    atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, b.fail(context.Cause(b.ctx))
	}
	n, err := b.reader.Read(p)
	if b.remaining >= 0 {
		if int64(n) > b.remaining {
			return 0, b.fail(fmt.Errorf("%w: more bytes than announced", access.ErrProtocol))
		}
		b.remaining -= int64(n)
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF) && b.remaining > 0:
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

// Close ends the request, even while Read blocks in another goroutine.
func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	b.cancel(net.ErrClosed)
	return b.reader.Close()
}
