package mail

import (
	"context"
	"errors"

	"locus/access"
	"locus/scheme"
)

// An Address opens no mailto URL: such a URL names somebody to write to, and
// nothing that can be retrieved (RFC 1738 §3.5). It is an
// [access.Engine] to say so.
type Address struct{}

// ErrAddress says that a URL names an address.
var ErrAddress = access.Reason("it is an address to write to, not something to open", errors.ErrUnsupported)

// Do always fails: for a mailto URL with [ErrAddress].
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
	e.Remedy = access.WriteMail{}
	return e
}
