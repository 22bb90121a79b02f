package locus

import (
	"context"
	"fmt"
	"io"
	"time"

	"locus/access"
)

// Limits bounds one request.
type Limits struct {
	// Bytes is how many bytes a Body may have, or the titles and URLs of a listing
	// together; an entry without both counts as one. If there are more, reading fails
	// with ErrTooLarge. 0: no limit.
	Bytes int64
	// Total is how long a request may take, reading the Body included; 0: no limit.
	Total time.Duration
}

// ErrTooLarge says that a resource has more bytes than [Limits] allows. It is an
// access.ErrTooLong, so nobody retries it.
var ErrTooLarge = access.Reason("the resource is larger than is allowed", access.ErrTooLong)

// bounded is an Engine that enforces Limits.
type bounded struct {
	engine access.Engine
	limits Limits
}

func (b bounded) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if b.limits.Total <= 0 {
		return b.do(ctx, req)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.limits.Total, &tookTooLong{b.limits.Total})
	r, err := b.do(ctx, req)
	if err != nil || req.Op != access.Get {
		cancel()
		return r, err
	}
	r.OnClose(cancel)
	return r, nil
}

// do enforces Bytes.
func (b bounded) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := b.engine.Do(ctx, req)
	if err != nil || req.Op != access.Get || b.limits.Bytes <= 0 || r.Session != nil {
		return r, err
	}
	if r.List == nil && expected(req, r) > b.limits.Bytes {
		r.Body.Close()
		return nil, b.tooLarge(r)
	}
	r.Body = &boundedBody{ReadCloser: r.Body, left: b.limits.Bytes, err: b.tooLarge(r)}
	if r.List != nil {
		r.List = &boundedList{list: r.List, left: b.limits.Bytes, err: b.tooLarge(r)}
	}
	return r, nil
}

// expected returns how many bytes of r the caller of req will read; -1 if that is
// unknown.
func expected(req *access.Request, r *access.Resource) int64 {
	switch {
	case r.Size < 0:
		return -1
	case req.Length > 0:
		return min(r.Size-r.Offset, req.Offset-r.Offset+req.Length)
	}
	return r.Size - r.Offset
}

func (b bounded) tooLarge(r *access.Resource) error {
	return &access.Error{Op: "read", URL: r.URL, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, b.limits.Bytes)}
}

// A tookTooLong is the cause of a context after [Limits].Total.
type tookTooLong struct{ total time.Duration }

func (e *tookTooLong) Error() string { return fmt.Sprintf("not done after %v", e.total) }
func (e *tookTooLong) Timeout() bool { return true }
func (e *tookTooLong) Unwrap() error { return context.DeadlineExceeded }

// A boundedBody fails with err after left bytes, unless that is the end.
type boundedBody struct {
	io.ReadCloser
	left   int64
	err    error
	failed bool
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.failed {
		return 0, b.err
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more, to see whether this is the end
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, err, b.failed = int(b.left), b.err, true
	}
	b.left -= int64(n)
	return n, err
}

// A boundedList fails with err after entries of left bytes.
type boundedList struct {
	list access.Lister
	left int64
	err  error
}

func (l *boundedList) Next() (access.Entry, error) {
	if l.left < 0 {
		return access.Entry{}, l.err
	}
	e, err := l.list.Next()
	if err != nil {
		return e, err
	}
	l.left -= int64(max(len(e.Title)+len(e.URL.String()), 1))
	if l.left < 0 {
		return access.Entry{}, l.err
	}
	return e, nil
}
