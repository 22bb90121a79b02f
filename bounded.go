package locus

import (
	"context"
	"fmt"
	"io"
	"time"

	"locus/access"
	"locus/internal/sentinel"
)

// Limits bounds one request.
type Limits struct {
	// Bytes is how many bytes a Body may have, or the titles and URLs of a listing
	// together. An entry without a title and a URL counts as one byte, so that every
	// listing ends. Reading more fails with ErrTooLarge. 0 means no limit, and a negative
	// value means no limit.
	Bytes int64
	// Total is how long a request may take, reading the Body included. 0 means no limit,
	// and a negative value means no limit.
	Total time.Duration
}

// ErrTooLarge says that a resource has more bytes than [Limits] allows. It wraps
// access.ErrTooLong, so wrappers do not retry it.
var ErrTooLarge = sentinel.New("the resource is larger than allowed", access.ErrTooLong)

// bounded is an Engine that enforces Limits.
type bounded struct {
	engine access.Engine
	limits Limits
}

// Do executes req within the limits. After Limits.Total, Do and later reading of the resource fail
// with a *tookTooLong. The caller closes the Body, which ends the time limit.
func (b bounded) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if b.limits.Total <= 0 {
		return b.do(ctx, req)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.limits.Total, &tookTooLong{b.limits.Total})
	r, err := b.do(ctx, req)
	if err != nil || !req.Op.HasBody() {
		cancel()
		return r, err
	}
	r.OnClose(cancel)
	return r, nil
}

// do executes req and enforces Limits.Bytes. If the resource announces more bytes, do returns
// ErrTooLarge. Otherwise reading the resource fails with it after that many bytes, if more follow.
// Sessions have no limit.
func (b bounded) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := b.engine.Do(ctx, req)
	if err != nil || !req.Op.HasBody() || b.limits.Bytes <= 0 || r.Session != nil {
		return r, err
	}
	if r.List == nil && expected(req, r) > b.limits.Bytes {
		r.Body.Close()
		return nil, b.tooLarge(r)
	}
	body := &boundedBody{r.Body, r.List, b.limits.Bytes, b.tooLarge(r)}
	r.Body = body
	if r.List != nil {
		r.List = body
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

// tooLarge returns the error for reading r beyond Limits.Bytes, which wraps ErrTooLarge.
func (b bounded) tooLarge(r *access.Resource) error {
	return &access.Error{Op: "read", URL: r.URL, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, b.limits.Bytes)}
}

// A tookTooLong is the cause of a context after [Limits].Total.
type tookTooLong struct{ total time.Duration }

func (e *tookTooLong) Error() string { return fmt.Sprintf("timed out after %v", e.total) }
func (e *tookTooLong) Timeout() bool { return true }
func (e *tookTooLong) Unwrap() error { return context.DeadlineExceeded }

// A boundedBody is the Body and the List of a resource. It fails with err if there are more
// than left bytes.
type boundedBody struct {
	io.ReadCloser
	list access.Lister
	left int64 // negative after the first byte too many
	err  error
}

// Read reads the body. It returns b.err instead of the first byte beyond the limit, and from then
// on.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.err
	}
	p = p[:min(int64(len(p))-1, b.left)+1] // one more, to notice the first byte too many
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.err
	}
	return n, err
}

// Next returns the next entry of the list. Its title and its URL count as bytes. It returns b.err
// instead of the first entry beyond the limit, and from then on.
func (b *boundedBody) Next() (access.Entry, error) {
	if b.left < 0 {
		return access.Entry{}, b.err
	}
	e, err := b.list.Next()
	if err != nil {
		return e, err
	}
	if b.left -= int64(max(len(e.Title)+len(e.URL.String()), 1)); b.left < 0 {
		return access.Entry{}, b.err
	}
	return e, nil
}
