package web

import (
	"context"
	"errors"
	"net/http"
	neturl "net/url"
	"strings"

	"locus/access"
	"locus/url"
)

// A Gateway is an [access.Engine] that reaches URLs of any scheme through an HTTP proxy,
// which is sent the whole URL on the request line (RFC 1630, "http"; RFC 1738
// §4). Put it into an access.Table under the schemes that it is to serve.
//
// A URL with a password is refused unless SendPassword is set: the proxy would
// learn it. A user name without a password is part of the URL.
type Gateway struct {
	// Client connects and sets the limits; nil opens nothing. Its Proxy is not
	// used.
	Client *Client

	// At is the proxy, an http URL without a path: "http://proxy.example:3128".
	// A user name and a password in it are sent to the proxy (Basic).
	At url.URL

	// SendPassword lets the proxy know the password of a URL.
	SendPassword bool
}

// Do asks the proxy to get or stat what req names. The Resource's Sys is a
// [*Reply]. Every other Op is unsupported.
func (g Gateway) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return g.client().openVia(ctx, req, g.route)
	case req.Op == access.Stat:
		return access.Found(g.client().statVia(ctx, req, g.route))
	}
	return nil, access.Unsupported(req)
}

func (g Gateway) client() *Client {
	if g.Client == nil {
		return &Client{}
	}
	return g.Client
}

// route sends u in absolute form (RFC 9112 §3.2.2) to the proxy.
func (g Gateway) route(u url.URL) (*http.Request, error) {
	if !u.IsAbs() {
		return nil, access.ErrNoScheme
	}
	if _, has := u.Password(); has && !g.SendPassword {
		return nil, errors.New("the proxy would learn the password")
	}
	at, err := origin(g.At)
	if err != nil || g.At.Scheme() != "http" {
		return nil, errors.Join(errors.New("the gateway is no http URL"), err)
	}
	text, _, _ := strings.Cut(u.String(), "#")
	target := &neturl.URL{Scheme: "http", Host: at.URL.Host, Opaque: transmissible(text)}
	out := newRequest(target)
	if name, ok := userOf(g.At); ok {
		password, _ := passwordOf(g.At)
		out.Header.Set("Proxy-Authorization", basic(name, password))
	}
	out.Host, _ = u.Host()
	if port, ok := u.Port(); ok && port != "" {
		out.Host += ":" + port
	}
	return out, nil
}
