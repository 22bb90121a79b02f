package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/url"
)

// Via is an Engine that uses a gateway instead of the protocol of a URL (RFC 1738 §4).
// It asks another Engine for a URL of the gateway that contains the whole URL. Put it
// into a [Table] under the scheme. It has only Get and Stat.
//
// For a gateway that is an HTTP proxy, see web.Gateway.
type Via struct {
	// Engine opens the URLs of the gateway; nil refuses every request with [ErrNoScheme].
	Engine Engine

	// Prefix is the URL of the gateway. The URL of the request is appended to it
	// without its fragment: escaped if Prefix has a query
	// ("http://gw.example/?url="), otherwise unchanged.
	Prefix string

	// SendPassword sends passwords in URLs to the gateway. Otherwise URLs with a password
	// are refused, because the gateway would learn the password.
	SendPassword bool
}

// Do executes Get and Stat: it sends req to the gateway and returns its answer as the resource of
// the URL of req. Any other Op wraps errors.ErrUnsupported.
func (v Via) Do(ctx context.Context, req *Request) (*Resource, error) {
	if req.Op != Get && req.Op != Stat || req.Answers != nil {
		return nil, unsupported(req)
	}
	inner, err := v.request(req)
	if err != nil {
		return nil, err
	}
	r, err := v.Engine.Do(ctx, inner)
	if err != nil {
		return nil, throughGateway(req, inner.URL, err)
	}
	r.URL = req.URL
	return r, nil
}

// request returns the request that asks the gateway for the URL of req, without the Login. It
// returns an error if v has no Engine, or if the URL has a password that the gateway must not
// learn.
func (v Via) request(req *Request) (*Request, error) {
	if v.Engine == nil {
		return nil, &Error{Op: req.Verb(), URL: req.URL, Err: ErrNoScheme}
	}
	if _, has := req.URL.Password(); has && !v.SendPassword {
		return nil, &Error{
			Op: req.Verb(), URL: req.URL,
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
		return nil, &Error{Op: req.Verb(), URL: req.URL, Err: fmt.Errorf("the gateway cannot be asked for it: %w", err)}
	}
	inner := *req
	inner.URL = u
	inner.Login = nil
	return &inner, nil
}

// throughGateway converts err, an error of the gateway at the URL at, to an error about the URL of
// req. It keeps the reply and the Remedy.
func throughGateway(req *Request, at url.URL, err error) error {
	e := &Error{Op: req.Verb(), URL: req.URL, Err: err, Remedy: RemedyFor(err)}
	if inner, ok := errors.AsType[*Error](err); ok {
		e.Reply = inner.Reply
		e.Err = inner.Err
	}
	e.Err = fmt.Errorf("through the gateway %s: %w", hostPort(at), e.Err)
	return e
}

// hostPort returns the host of u, and its port if it has one.
func hostPort(u url.URL) string {
	host, _ := u.Host()
	if port, ok := u.Port(); ok && port != "" {
		host += ":" + port
	}
	return host
}
