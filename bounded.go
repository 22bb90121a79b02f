package locus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"locus/access"
)

// Limits bounds one access.
type Limits struct {
	// Bytes is how many bytes a Body may give; one that is longer fails with an
	// error that wraps ErrTooLarge. 0: no limit.
	Bytes int64
	// Total is how long an access may take, reading the Body included; 0: no limit.
	Total time.Duration
}

// ErrTooLarge says that a resource has more bytes than [Limits] allows.
var ErrTooLarge = errors.New("the resource is larger than is allowed")

// bounded is an Engine that keeps to Limits.
type bounded struct {
	engine access.Engine
	limits Limits
}

func (b bounded) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	cancel := func() {}
	if b.limits.Total > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, b.limits.Total, &tookTooLong{b.limits.Total})
	}
	r, err := b.engine.Do(ctx, req)
	if err != nil || req.Op != access.Get {
		cancel()
		return r, err
	}
	if b.limits.Total > 0 {
		r.OnClose(cancel)
	}
	if b.limits.Bytes <= 0 || r.Session != nil {
		return r, nil
	}
	if r.Size-r.Offset > b.limits.Bytes && r.List == nil {
		r.Body.Close()
		return nil, b.tooLarge(r)
	}
	r.Body = &boundedBody{ReadCloser: r.Body, left: b.limits.Bytes, err: b.tooLarge(r)}
	return r, nil
}

func (b bounded) tooLarge(r *access.Resource) error {
	return &access.Error{Op: "read", URL: r.URL, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, b.limits.Bytes)}
}

// A tookTooLong is the cause of a context that [Limits].Total ended.
type tookTooLong struct{ total time.Duration }

func (e *tookTooLong) Error() string { return fmt.Sprintf("not done after %v", e.total) }
func (e *tookTooLong) Timeout() bool { return true }
func (e *tookTooLong) Unwrap() error { return context.DeadlineExceeded }

// A boundedBody fails with err after left bytes, unless that is the end.
type boundedBody struct {
	io.ReadCloser
	left int64
	err  error
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), b.err
	}
	b.left -= int64(n)
	return n, err
}
