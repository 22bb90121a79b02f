package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/url"
)

// Via is an Opener that reaches resources through a gateway instead of over
// their own protocol (RFC 1738 §4): it asks another Opener for the URL of a
// gateway with the whole URL wanted in it. Put it into a [Table] under the
// scheme that has no engine of its own.
//
// A gateway that is an HTTP proxy has another form; see web.Gateway.
type Via struct {
	// Opener opens the URLs of the gateway. nil opens nothing.
	Opener Opener

	// Prefix is the URL of the gateway, to which the URL wanted is appended,
	// without its fragment: as it is written if Prefix ends in "/" or is "",
	// and escaped if Prefix has a query ("http://gw.example/?url=").
	Prefix string

	// SendPassword lets the gateway know the password of a URL. Otherwise a URL
	// that has one is refused, because it is another host's secret.
	SendPassword bool
}

// Open opens what req names through the gateway. The Resource has the URL of
// the request.
func (v Via) Open(ctx context.Context, req *Request) (*Resource, error) {
	inner, err := v.request("open", req)
	if err != nil {
		return nil, err
	}
	r, err := v.Opener.Open(ctx, inner)
	if err != nil {
		return nil, v.translate("open", req.URL, err)
	}
	r.URL = req.URL
	return r, nil
}

// Stat finds the attributes of what req names through the gateway.
func (v Via) Stat(ctx context.Context, req *Request) (Entry, error) {
	inner, err := v.request("stat", req)
	if err != nil {
		return Entry{}, err
	}
	e, err := Stat(ctx, v.Opener, inner)
	if err != nil {
		return Entry{}, v.translate("stat", req.URL, err)
	}
	e.URL = req.URL
	return e, nil
}

// request returns the request to make to the gateway.
func (v Via) request(op string, req *Request) (*Request, error) {
	if v.Opener == nil {
		return nil, &Error{Op: op, URL: req.URL, Err: ErrNoScheme}
	}
	if _, has := req.URL.Password(); has && !v.SendPassword {
		return nil, &Error{
			Op: op, URL: req.URL,
			Err: errors.New("the gateway would learn the password"),
			Tip: "leave the password out of the URL",
		}
	}
	text, _, _ := strings.Cut(req.URL.String(), "#")
	if strings.Contains(v.Prefix, "?") {
		text = escape(text)
	}
	u, err := url.Parse(v.Prefix + text)
	if err != nil {
		return nil, &Error{Op: op, URL: req.URL, Err: fmt.Errorf("the gateway cannot be asked for it: %w", err)}
	}
	inner := *req
	inner.URL = u
	inner.Password = nil
	return &inner, nil
}

// translate lets an error of the gateway be one about the URL wanted.
func (v Via) translate(op string, u url.URL, err error) error {
	e := &Error{Op: op, URL: u, Err: err, Tip: Hint(err)}
	if inner, ok := errors.AsType[*Error](err); ok {
		e.Reply = inner.Reply
		e.Err = inner.Err
	}
	e.Err = fmt.Errorf("through a gateway: %w", e.Err)
	return e
}

// WithPassed returns a context for an access on behalf of a request that has come
// through gateways or proxies already: via is its Via (RFC 9110 §7.6.3), "" for
// none. An engine that asks another gateway says so there, so that one that has
// seen the request before knows it again.
func WithPassed(ctx context.Context, via string) context.Context {
	if via == "" {
		return ctx
	}
	return context.WithValue(ctx, passedKey{}, via)
}

// Passed returns what WithPassed put into ctx; "" if nothing was.
func Passed(ctx context.Context) string {
	via, _ := ctx.Value(passedKey{}).(string)
	return via
}

type passedKey struct{}
