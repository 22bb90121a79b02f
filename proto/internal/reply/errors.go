package reply

import (
	"errors"

	"locus/access"
	"locus/url"
)

// An Error is a reply that says no.
type Error struct {
	Reply access.Reply
	Means error  // what it means, such as fs.ErrNotExist; nil if nothing is known
	Tip   string // what the user can do about it; "" if unknown
}

// Error gives "550 no such file".
func (e *Error) Error() string { return e.Reply.String() }

// Unwrap returns what the reply means.
func (e *Error) Unwrap() error { return e.Means }

// Hint returns what the user can do about it; "" if nothing is known.
func (e *Error) Hint() string { return e.Tip }

// Refused returns r as an error, without [Conn.Secrets]. Means may be nil.
func (c *Conn) Refused(r access.Reply, means error) *Error {
	r.Text = Hide(r.Text, c.Secrets)
	return &Error{Reply: r, Means: means}
}

var errRefused = errors.New("the server refuses")

// Failure returns err as an [*access.Error]; a [*Error] in its tree gives the
// reply, the meaning and the hint.
func Failure(op string, u url.URL, err error) *access.Error {
	e := &access.Error{Op: op, URL: u, Err: err, Tip: access.Hint(err)}
	if refused, ok := errors.AsType[*Error](err); ok {
		e.Reply = &refused.Reply
		e.Err = errRefused
		if refused.Means != nil {
			e.Err = refused.Means
		}
	}
	return e
}

// Is reports whether the code of r starts as want does: 2 for 2yz, 33 for 33z,
// 331 for itself.
func Is(r access.Reply, want int) bool {
	got := r.Code
	for got > want {
		got /= 10
	}
	return got == want
}
