package engine

import (
	"context"
	"io"
	"runtime/debug"

	"locus/access"
)

// CatchPanic turns a panic into a *access.PanicError in *err. It must be deferred.
func CatchPanic(err *error) {
	if v := recover(); v != nil {
		*err = &access.PanicError{Value: v, Stack: debug.Stack()}
	}
}

// Recover is an Engine that turns a panic of its Engine into an error with a
// [*access.PanicError] in its tree: in Do, and while Body or List is read. It belongs
// outside every other Engine. A goroutine that an Engine starts must recover by itself,
// because a panic ends the program if its own goroutine does not recover.
type Recover struct{ Engine access.Engine }

// Do does what req asks with e.Engine; a nil e.Engine refuses it. If e.Engine panics, Do returns an
// error with an *access.PanicError in its tree. The Body and the List of the Resource turn panics
// into such errors, too.
func (e Recover) Do(ctx context.Context, req *access.Request) (r *access.Resource, err error) {
	defer func() { err = Fail(req.Verb(), req.URL, err) }()
	defer CatchPanic(&err)
	inner := e.Engine
	if inner == nil {
		inner = access.Table(nil)
	}
	r, err = inner.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	safe := &recovered{r.Body, r.List, req}
	r.Body = safe
	if r.List != nil {
		r.List = safe
	}
	return r, nil
}

// A recovered is the Body and the List of a Resource, whose panics become errors.
type recovered struct {
	io.ReadCloser
	list access.Lister
	req  *access.Request
}

// Read reads from the Body. A panic becomes the error.
func (r *recovered) Read(p []byte) (n int, err error) {
	defer r.catch(&err)
	return r.ReadCloser.Read(p)
}

// Close closes the Body. A panic becomes the error.
func (r *recovered) Close() (err error) {
	defer r.catch(&err)
	return r.ReadCloser.Close()
}

// Next returns the next entry of the List. A panic becomes the error.
func (r *recovered) Next() (e access.Entry, err error) {
	defer r.catch(&err)
	return r.list.Next()
}

// catch turns a panic into an error about the URL in *err. It must be deferred. It also adds the
// URL to an *access.PanicError in *err, which comes from the panic of another goroutine.
func (r *recovered) catch(err *error) {
	if v := recover(); v != nil {
		*err = &access.PanicError{Value: v, Stack: debug.Stack()}
	}
	if p, ok := (*err).(*access.PanicError); ok { //nolint:errorlint // a wrapped one already has its URL
		*err = Fail("read", r.req.URL, p)
	}
}
