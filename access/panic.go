package access

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
)

// A PanicError is the error of a request whose engine panicked. Error does not show
// Stack: that is for a log.
type PanicError struct {
	Value any    // what the engine panicked with
	Stack []byte // of the goroutine that panicked
}

// Error returns "internal error: " and the value.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// CatchPanic turns a panic into a *PanicError in *err. It must be deferred.
func CatchPanic(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// Recover is an Engine that turns a panic of its Engine into an error with a
// [*PanicError] in its tree: in Do, and while Body or List is read. It belongs outside
// every other Engine. A goroutine that an Engine starts must recover by itself.
type Recover struct{ Engine Engine }

// Do does what req asks.
func (e Recover) Do(ctx context.Context, req *Request) (r *Resource, err error) {
	defer func() { err = Fail(req.verb(), req.URL, err) }()
	defer CatchPanic(&err)
	r, err = orNothing(e.Engine).Do(ctx, req)
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
	list Lister
	req  *Request
}

func (r *recovered) Read(p []byte) (n int, err error) {
	defer r.catch(&err)
	return r.ReadCloser.Read(p)
}

func (r *recovered) Close() (err error) {
	defer r.catch(&err)
	return r.ReadCloser.Close()
}

func (r *recovered) Next() (e Entry, err error) {
	defer r.catch(&err)
	return r.list.Next()
}

// catch is CatchPanic, and adds to a *PanicError what was being read. That may be the
// panic of another goroutine.
func (r *recovered) catch(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
	if p, ok := (*err).(*PanicError); ok { //nolint:errorlint // a wrapped one says what was being done
		*err = Fail("read", r.req.URL, p)
	}
}
