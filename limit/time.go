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

// Within calls do with u and a context that ends after the timeout.
func Within(ctx context.Context, timeout time.Duration, u url.URL, do func(context.Context, url.URL) error) error {
	ctx, cancel := Deadline(ctx, timeout)
	defer cancel()
	err := do(ctx, u)
	if err != nil && ctx.Err() != nil {
		return &TimeoutError{u, timeout, err}
	}
	return err
}

// A Timed is an Engine that gives each URL a limited time, until its Body is closed.
type Timed struct {
	access.Engine
	Timeout time.Duration // 0: no limit
}

// Do gives req its time.
func (t Timed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
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
	r.Body = struct {
		io.Reader
		io.Closer
	}{errorMap{r.Body, late}, r.Body}
	r.OnClose(cancel)
	return r, nil
}

// Deadline returns a context that ends after d; never for 0.
func Deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// A TimeoutError reports that a URL took longer than its Timeout.
type TimeoutError struct {
	URL     url.URL
	Timeout time.Duration
	Err     error
}

// Error returns "ftp://h/x: not done after 1m0s".
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s: not done after %v", e.URL.Redacted(), e.Timeout)
}

// Unwrap returns Err.
func (e *TimeoutError) Unwrap() error { return e.Err }

// IsTimeout reports whether err is a TimeoutError.
func IsTimeout(err error) bool {
	_, ok := errors.AsType[*TimeoutError](err)
	return ok
}

// An errorMap is a Reader whose errors pass through convert.
type errorMap struct {
	io.Reader
	convert func(error) error
}

func (e errorMap) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // an early end wraps it
		err = e.convert(err)
	}
	return n, err
}
