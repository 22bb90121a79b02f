package engine

import (
	"errors"
	"io"
	"time"

	"locus/access"
	"locus/access/internal/cause"
	"locus/internal/sentinel"
	"locus/url"
)

// A Refusal is a reply by which a server refuses a request. [Fail] turns it into an
// [*access.Error].
type Refusal struct {
	Reply  access.Reply
	Means  error         // its meaning, such as fs.ErrNotExist; nil if unknown
	Remedy access.Remedy // a change that may help; nil if unknown

	RetryAfter time.Duration // how long to wait before a retry; 0 if the server does not say
	HTTPStatus int           // the code of Reply if it is a status of HTTP (RFC 9110 §15); 0 if not

	Header access.Header // the Header of the [access.Error]
	Sys    any           // the Sys of the [access.Error]
}

// Error returns the reply alone: "550 no such file".
func (r *Refusal) Error() string { return r.Reply.String() }

// Unwrap returns Means.
func (r *Refusal) Unwrap() error { return r.Means }

// Suggest returns the Remedy: see [access.RemedyFor].
func (r *Refusal) Suggest() access.Remedy { return r.Remedy }

// Fail returns err as an [*access.Error] with op and u; nil if err is nil. It takes the
// reply and its meaning from a [*Refusal] in the tree of err. It returns an *access.Error,
// and an [*access.Moved] in the tree, unchanged, because they already have their URLs.
func Fail(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*access.Error); ok { //nolint:errorlint // a wrapped one is about another request
		return e
	}
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		return moved
	}
	e := &access.Error{Op: op, URL: u, Err: err, Remedy: access.RemedyFor(err)}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		e.Reply, e.Err = &refusal.Reply, refusal.Means
		e.RetryAfter, e.HTTPStatus, e.Header, e.Sys = refusal.RetryAfter, refusal.HTTPStatus, refusal.Header, refusal.Sys
		if e.Err == nil {
			e.Err = cause.ErrRefused
		}
	}
	return e
}

// FailReading is [Fail] for an error of a Body. It returns io.EOF unchanged, because
// readers compare it with ==. An early end, such as io.ErrUnexpectedEOF, is an error like
// any other.
func FailReading(op string, u url.URL, err error) error {
	if access.IsEnd(err) {
		return io.EOF
	}
	return Fail(op, u, err)
}

// Reason returns an error with this text that wraps kinds, such as fs.ErrPermission.
// Their own texts are not shown.
func Reason(text string, kinds ...error) error { return sentinel.New(text, kinds...) }
