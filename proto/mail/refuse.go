package mail

import (
	"context"
	"errors"

	"locus/access"
	"locus/scheme"
)

// An Address is an [access.Engine] that refuses mailto URLs. They name a
// recipient, not a resource (RFC 1738 §3.5).
type Address struct{}

// ErrAddress says that a URL names an address.
var ErrAddress = access.Reason("it is an address to write to, not something to open", errors.ErrUnsupported)

// Do always fails. For a mailto URL the error is [ErrAddress].
func (Address) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	return nil, refuse(req)
}

func refuse(req *access.Request) error {
	e := &access.Error{Op: req.Op.String(), URL: req.URL, Err: access.ErrNoScheme}
	if req.URL.Scheme() != "mailto" {
		return e
	}
	if _, err := scheme.ParseMailto(req.URL); err != nil {
		e.Err = err
		return e
	}
	e.Err = ErrAddress
	e.Remedy = access.WriteMail
	return e
}
