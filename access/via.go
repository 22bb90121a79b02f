package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/url"
)

// Via is an Engine that reaches resources through a gateway instead of over
// their own protocol (RFC 1738 §4): it asks another Engine for the URL of a
// gateway with the whole URL wanted in it. Put it into a [Table] under the
// scheme that has no engine of its own. It gets and stats, and refuses every
// other Op.
//
// A gateway that is an HTTP proxy has another form; see web.Gateway.
type Via struct {
	// Engine opens the URLs of the gateway. nil does nothing.
	Engine Engine

	// Prefix is the URL of the gateway, to which the URL wanted is appended,
	// without its fragment: as it is written if Prefix ends in "/" or is "",
	// and escaped if Prefix has a query ("http://gw.example/?url=").
	Prefix string

	// SendPassword lets the gateway know the password of a URL. Otherwise a URL
	// that has one is refused, because it is another host's secret.
	SendPassword bool
}

// Do gets or stats what req names through the gateway. The Resource has the URL
// of the request.
func (v Via) Do(ctx context.Context, req *Request) (*Resource, error) {
	if req.Op != Get && req.Op != Stat || req.Answers != nil {
		return nil, Unsupported(req)
	}
	inner, err := v.request(req)
	if err != nil {
		return nil, err
	}
	r, err := v.Engine.Do(ctx, inner)
	if err != nil {
		return nil, throughGateway(req, err)
	}
	r.URL = req.URL
	return r, nil
}

// request returns the request to make to the gateway.
func (v Via) request(req *Request) (*Request, error) {
	if v.Engine == nil {
		return nil, &Error{Op: req.verb(), URL: req.URL, Err: ErrNoScheme}
	}
	if _, has := req.URL.Password(); has && !v.SendPassword {
		return nil, &Error{
			Op: req.verb(), URL: req.URL,
			Err:    errors.New("the gateway would learn the password"),
			Remedy: Advice("leave the password out of the URL"),
		}
	}
	text := withoutFragment(req.URL)
	if strings.Contains(v.Prefix, "?") {
		text = escape(text)
	}
	u, err := url.Parse(v.Prefix + text)
	if err != nil {
		return nil, &Error{Op: req.verb(), URL: req.URL, Err: fmt.Errorf("the gateway cannot be asked for it: %w", err)}
	}
	inner := *req
	inner.URL = u
	inner.Login = nil
	return &inner, nil
}

// throughGateway makes an error of the gateway one about the URL wanted.
func throughGateway(req *Request, err error) error {
	e := &Error{Op: req.verb(), URL: req.URL, Err: err, Remedy: RemedyFor(err)}
	if inner, ok := errors.AsType[*Error](err); ok {
		e.Reply = inner.Reply
		e.Err = inner.Err
	}
	e.Err = fmt.Errorf("through a gateway: %w", e.Err)
	return e
}
