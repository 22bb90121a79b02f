package engine

import (
	"context"
	"errors"
	"time"

	"locus/access"
	"locus/url"
)

// A Call is a request that an engine answers: see [For].
type Call struct{ req *access.Request }

// For returns the Call of req.
func For(req *access.Request) Call { return Call{req} }

// Result returns r, or err as the error of the request: see [Fail]. Its arguments can be
// the results of a function.
func (c Call) Result(r *access.Resource, err error) (*access.Resource, error) {
	if err != nil {
		return nil, Fail(c.req.Verb(), c.req.URL, err)
	}
	return r, nil
}

// Found returns the answer to a Stat: a Resource with e and without a Body, or err if it is not
// nil.
func Found(e access.Entry, err error) (*access.Resource, error) {
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: e, Body: access.NoBody}, nil
}

// Done returns the answer to an Op that changes something, or err if it is not nil. u is the URL of
// the changed resource, or of the resource that Append added.
func Done(u url.URL, err error) (*access.Resource, error) {
	return Found(access.Entry{URL: u, Size: -1}, err)
}

// Unsupported returns the error of an engine that does not have req's Op. It wraps
// errors.ErrUnsupported.
func Unsupported(req *access.Request) error {
	return Fail(req.Verb(), req.URL, errors.ErrUnsupported)
}

// CheckTime compares modTime, the time when the resource was last changed, with the conditions of
// req, a Get. It returns [access.ErrNotModified] if IfChanged names this version, and
// [access.ErrChanged] if req starts at an Offset of another version than IfMatch names. It is for
// protocols without entity tags, which can compare only the time.
func CheckTime(req *access.Request, modTime time.Time) error {
	if req.IfChanged.HasTime(modTime) {
		return access.ErrNotModified
	}
	if req.Offset > 0 && !req.IfMatch.IsZero() && !req.IfMatch.HasTime(modTime) {
		return access.ErrChanged
	}
	return nil
}

// Credentials calls the Login of req. If the answer lacks a User, it gets the User of c. Without a
// Login, the result is the zero Credentials if c is Optional, and otherwise [access.ErrPassword].
func Credentials(ctx context.Context, req *access.Request, c access.Challenge) (access.Credentials, error) {
	if req.Login == nil {
		if c.Optional {
			return access.Credentials{}, nil
		}
		return access.Credentials{}, access.ErrPassword
	}
	answer, err := req.Login(ctx, c)
	if err != nil {
		return access.Credentials{}, err
	}
	if answer.User == "" {
		answer.User = c.User
	}
	return answer, nil
}
