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
	r.Body = recoverBody{r.Body, req}
	if r.List != nil {
		r.List = recoverList{r.List, req}
	}
	return r, nil
}

type recoverBody struct {
	io.ReadCloser
	req *Request
}

func (b recoverBody) Read(p []byte) (n int, err error) {
	defer func() { err = failPanic(b.req, err) }()
	defer CatchPanic(&err)
	return b.ReadCloser.Read(p)
}

func (b recoverBody) Close() (err error) {
	defer CatchPanic(&err)
	return b.ReadCloser.Close()
}

type recoverList struct {
	Lister
	req *Request
}

func (l recoverList) Next() (e Entry, err error) {
	defer func() { err = failPanic(l.req, err) }()
	defer CatchPanic(&err)
	return l.Lister.Next()
}

// failPanic adds to a *PanicError what was being read.
func failPanic(req *Request, err error) error {
	if p, ok := err.(*PanicError); ok { //nolint:errorlint // it comes from CatchPanic, unwrapped
		return Fail("read", req.URL, p)
	}
	return err
}
