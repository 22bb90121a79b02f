package mail

import (
	"context"
	"errors"

	"locus/access"
	"locus/internal/sentinel"
	"locus/scheme"
)

// An Address is an [access.Engine] that refuses mailto and mailserver URLs, because they name a
// recipient, not a resource (RFC 1738 §3.5). [ReadDraft] reads the message that such a URL
// describes.
type Address struct{}

// ErrAddress is the error of opening an address.
var ErrAddress = sentinel.New("it is an address to write to, not something to open", errors.ErrUnsupported)

// Do always returns an error. For a valid URL it wraps [ErrAddress].
func (Address) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	return nil, refuse(req)
}

// refuse returns the error for req, which no engine can execute: ErrAddress for a mailto or
// mailserver URL, the syntax error for an invalid one, and access.ErrNoScheme for another
// scheme.
func refuse(req *access.Request) error {
	e := &access.Error{Op: req.Op.String(), URL: req.URL, Err: access.ErrNoScheme}
	switch _, err := scheme.Parse(req.URL); {
	case !IsAddress(req.URL):
		return e
	case err != nil:
		e.Err = err
		return e
	}
	e.Err = ErrAddress
	e.Remedy = access.WriteMail
	return e
}
