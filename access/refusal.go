package access

import (
	"errors"
	"io"
	"time"

	"locus/url"
)

// A Refusal is a reply by which a server refuses a request. [Fail] makes an [*Error]
// of it.
type Refusal struct {
	Reply  Reply
	Means  error  // what it means, such as fs.ErrNotExist; nil if unknown
	Remedy Remedy // what the caller can do; nil if unknown

	RetryAfter time.Duration // how long to wait before a retry; 0 if the server does not say
	HTTPStatus int           // the code of Reply if it is a status of HTTP (RFC 9110 §15); 0 if not

	Sys any // the Sys of the [Error]
}

// Error returns the reply alone: "550 no such file".
func (r *Refusal) Error() string { return r.Reply.String() }

// Unwrap returns what the reply means.
func (r *Refusal) Unwrap() error { return r.Means }

var errRefused = errors.New("the server refuses")

// Fail returns err as an [*Error] with op and u; nil if err is nil. It takes the reply
// and its meaning from a [*Refusal] in the tree of err. An *Error, and a [*Moved] in
// the tree, are returned unchanged.
func Fail(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok { //nolint:errorlint // a wrapped one is about another request
		return e
	}
	if moved, ok := errors.AsType[*Moved](err); ok {
		return moved
	}
	e := &Error{Op: op, URL: u, Err: err, Remedy: RemedyFor(err)}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		e.Reply, e.Err = &refusal.Reply, refusal.Means
		e.RetryAfter, e.HTTPStatus, e.Sys = refusal.RetryAfter, refusal.HTTPStatus, refusal.Sys
		if e.Err == nil {
			e.Err = errRefused
		}
	}
	return e
}

// FailReading is [Fail] for an error of a Body, but returns io.EOF as it is.
// io.ErrUnexpectedEOF, an early end, is an error.
func FailReading(op string, u url.URL, err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return Fail(op, u, err)
}

// Reason returns an error with this text that wraps kinds, such as fs.ErrPermission.
// Their own texts are not shown.
func Reason(text string, kinds ...error) error { return &reason{text, kinds} }

type reason struct {
	text  string
	kinds []error
}

func (r *reason) Error() string   { return r.text }
func (r *reason) Unwrap() []error { return r.kinds }
