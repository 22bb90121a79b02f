package mail

import (
	"context"
	"errors"

	"locus/access"
	"locus/internal/sentinel"
	"locus/scheme"
)

// An Address is an [access.Engine] that refuses mailto and mailserver URLs. They name a
// recipient, not a resource (RFC 1738 §3.5). [ReadDraft] reads the message for it.
type Address struct{}

// ErrAddress says that a URL names an address.
var ErrAddress = sentinel.New("it is an address to write to, not something to open", errors.ErrUnsupported)

// Do always fails. For a valid URL the error is [ErrAddress].
func (Address) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	return nil, refuse(req)
}

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
