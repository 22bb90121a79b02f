package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	neturl "net/url"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A Gateway is an [access.Engine] for URLs of any scheme. It sends the whole URL to an HTTP proxy
// (RFC 1630, "http"; RFC 1738 §4). Put it into an access.Table under the schemes that it should
// serve.
//
// It refuses a URL with a password, because the proxy would see the password. A user name without a
// password is sent.
type Gateway struct {
	// Client connects and sets the limits. Nil refuses every request. Its Proxy
	// is ignored.
	Client *Client

	// At is the proxy, an http URL without a path: "http://proxy.example:3128".
	// A user name and password in it are sent to the proxy (Basic).
	At url.URL
}

// Do executes Stat and a Get without Answers through the proxy. For any other request the error
// wraps errors.ErrUnsupported. The Sys of the Resource is a [*Reply].
func (g Gateway) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		r, err := g.client().fetch(ctx, req, g.route)
		return engine.For(req).Result(r, g.withProxyName(err))
	case req.Op == access.Stat:
		r, err := g.client().statWith(ctx, req, g.route)
		return engine.For(req).Result(r, g.withProxyName(err))
	}
	return nil, engine.Unsupported(req)
}

// withProxyName adds the name of the proxy to an error of the connection. It returns other errors
// unchanged, and errors that already have the name, because some dial functions add it.
func (g Gateway) withProxyName(err error) error {
	_, isNetwork := errors.AsType[*net.OpError](err)
	at, urlErr := originRequest(g.At)
	if !isNetwork || urlErr != nil || strings.Contains(err.Error(), at.URL.Host) {
		return err
	}
	return fmt.Errorf("through the gateway %s: %w", at.URL.Host, err)
}

// client returns Client, or a Client without Dial if that is nil.
func (g Gateway) client() *Client {
	if g.Client == nil {
		return &Client{}
	}
	return g.Client
}

// route returns a request for u to the proxy, in absolute form (RFC 9112 §3.2.2), without a
// fragment. It returns an error if u is relative or has a password, or if At is not an http URL.
func (g Gateway) route(u url.URL) (*http.Request, error) {
	if !u.IsAbs() {
		return nil, access.ErrNoScheme
	}
	if _, has := u.Password(); has {
		return nil, errors.New("the proxy would see the password")
	}
	at, err := originRequest(g.At)
	if err != nil || g.At.Scheme() != "http" {
		return nil, errors.Join(errors.New("the gateway is not an http URL"), err)
	}
	text, _, _ := strings.Cut(u.String(), "#")
	target := &neturl.URL{Scheme: "http", Host: at.URL.Host, Opaque: sendable(u, text)}
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
