package access

import (
	"errors"
	"io"
	"time"

	"locus/url"
)

// A Refusal is an answer of a server that says no. Engines find it on the wire;
// [Fail] makes an [*Error] of it.
type Refusal struct {
	Reply  Reply
	Means  error  // what it means, such as fs.ErrNotExist; nil if nothing is known
	Remedy Remedy // what the caller can do about it; nil if unknown

	RetryAfter time.Duration // how long the server asks to be left alone; 0 if it does not say
	HTTPStatus int           // the code of Reply if it is a status of HTTP (RFC 9110 §15); 0 if not
}

// Error gives the reply alone: "550 no such file".
func (r *Refusal) Error() string { return r.Reply.String() }

// Unwrap returns what the reply means.
func (r *Refusal) Unwrap() error { return r.Means }

var errRefused = errors.New("the server refuses")

// Fail returns err as an [*Error] that says what was being done to which URL;
// nil if err is nil. Of a [*Refusal] in its tree it has the reply and what that
// means. An *Error, and a [*Moved] in the tree, are returned as they are.
func Fail(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	if told, ok := err.(*Error); ok { //nolint:errorlint // one that is wrapped is of something else
		return told
	}
	if moved, ok := errors.AsType[*Moved](err); ok {
		return moved
	}
	e := &Error{Op: op, URL: u, Err: err, Remedy: RemedyFor(err)}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		e.Reply, e.Err = &refusal.Reply, refusal.Means
		e.RetryAfter, e.HTTPStatus = refusal.RetryAfter, refusal.HTTPStatus
		if e.Err == nil {
			e.Err = errRefused
		}
	}
	return e
}

// FailReading does what [Fail] does to an error of a Body, whose end is none:
// io.EOF stays io.EOF. An early end, io.ErrUnexpectedEOF, is an error.
func FailReading(op string, u url.URL, err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return Fail(op, u, err)
}

// Reason returns an error that says text alone, and is each of kinds to errors.Is,
// where a kind, such as fs.ErrPermission, would only say it in other words.
func Reason(text string, kinds ...error) error { return &reason{text, kinds} }

type reason struct {
	text  string
	kinds []error
}

func (r *reason) Error() string   { return r.text }
func (r *reason) Unwrap() []error { return r.kinds }
