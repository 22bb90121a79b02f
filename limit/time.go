package limit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"locus/access"
	"locus/url"
)

// Within calls do with u and a context that ends after timeout. If timeout is 0 or negative, the context ends only
// when ctx does. Within returns the error of do. If do failed because of the timeout, the error is wrapped in a
// *TimeoutError.
func Within(ctx context.Context, timeout time.Duration, u url.URL, do func(context.Context, url.URL) error) error {
	own, cancel := Deadline(ctx, timeout)
	defer cancel()
	err := do(own, u)
	if err != nil && own.Err() != nil && ctx.Err() == nil {
		return &TimeoutError{u, timeout, err}
	}
	return err
}

// A Timed is an Engine that limits the time of each request, from Do until the Body is closed. After that time, Do and
// the Body return a *TimeoutError.
type Timed struct {
	access.Engine
	Timeout time.Duration // 0: the default, no limit; negative: no limit
}

// Do executes req with the Engine. If the time runs out, Do or a Read of the Body returns a *TimeoutError. Closing the
// Body ends the measurement.
func (t Timed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if t.Timeout <= 0 {
		return t.Engine.Do(ctx, req)
	}
	own, cancel := Deadline(ctx, t.Timeout)
	late := func(err error) error {
		if errors.Is(own.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
			return &TimeoutError{req.URL, t.Timeout, context.DeadlineExceeded}
		}
		return err
	}
	r, err := t.Engine.Do(own, req)
	if err != nil {
		defer cancel()
		return nil, late(err)
	}
	if !req.Op.HasBody() {
		cancel() // because the caller need not close the Body
		return r, nil
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{errorMap{r.Body, late}, r.Body}
	r.OnClose(cancel)
	return r, nil
}

// Deadline returns a copy of ctx that ends after d. If d is 0 or negative, the copy ends only when ctx does. The
// caller must call the CancelFunc, which releases the timer.
func Deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// A TimeoutError reports that the request for a URL took longer than its Timeout.
type TimeoutError struct {
	URL     url.URL // its password is not shown
	Timeout time.Duration
	Err     error // the error when the time was over
}

// Error returns "ftp://h/x: timed out after 1m0s".
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s: timed out after %v", e.URL.Redacted(), e.Timeout)
}

// Unwrap returns Err.
func (e *TimeoutError) Unwrap() error { return e.Err }

// IsTimeout reports whether err is a TimeoutError.
func IsTimeout(err error) bool {
	_, ok := errors.AsType[*TimeoutError](err)
	return ok
}

// An errorMap is a Reader that passes its errors, except io.EOF, through convert.
type errorMap struct {
	io.Reader
	convert func(error) error
}

// Read reads from the Reader. It returns io.EOF unchanged, and every other error as converted by e.convert.
func (e errorMap) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if err != nil && !access.IsEnd(err) {
		err = e.convert(err)
	}
	return n, err
}
