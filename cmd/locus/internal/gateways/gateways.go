// Package gateways opens the URLs of a scheme through a gateway, or through an HTTP proxy,
// that a person chose for the scheme (RFC 1738 §4).
package gateways

import (
	"strings"
	"time"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/flags"
	"locus/internal/ascii"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

// A Gateway is a gateway or an HTTP proxy that opens the URLs of a scheme. A person chose
// it, so any address is allowed.
//
//	wais=http://gateway.example/       gets the request /wais://…
//	wais=http://gateway.example/?url=  gets the request /?url=wais%3A%2F%2F…
//	wais=http://proxy.example:3128     is an HTTP proxy, and gets the request wais://…
type Gateway struct {
	Scheme string  // in lower case
	At     url.URL // of the gateway or the proxy
}

// Kind returns the kind of a flag that can be repeated, with values SCHEME=URL. Each value is a
// Gateway.
func Kind() flags.Kind {
	return flags.Kind{List: true, Parse: func(flag, text string) (any, error) { return parse(flag, text) }}
}

// parse parses SCHEME=URL, the value of a flag. An invalid value is a UsageError, which does not
// show a login.
func parse(flag, text string) (Gateway, error) {
	name, rest, _ := strings.Cut(text, "=")
	name = strings.ToLower(name)
	at, err := url.Parse(rest)
	host, _ := at.Host()
	_, hasQuery := at.Query()
	if err != nil || !ascii.IsScheme(name) || host == "" || at.Scheme() != "http" && at.Scheme() != "https" {
		return Gateway{}, flags.Misuse("--%s must be SCHEME=URL, such as wais=http://gateway.example/, not %q", flag, flags.HideLogin(text))
	}
	s, _ := scheme.Lookup(name)
	switch {
	case s.Flags.Has(scheme.Session):
		return Gateway{}, flags.Misuse("--%s: %s sessions cannot go through a gateway", flag, name)
	case at.Path() == "" && (hasQuery || at.Scheme() != "http"):
		return Gateway{}, flags.Misuse("--%s: a URL without a path names an HTTP proxy, and must have the form http://host:port", flag)
	case at.Path() != "" && !hasQuery && !strings.HasSuffix(at.Path(), "/"):
		return Gateway{}, flags.Misuse("--%s: %q must end in / or in a query, because locus appends the URL to it", flag, flags.HideLogin(rest))
	}
	return Gateway{Scheme: name, At: at}, nil
}

// Engine returns an engine that opens URLs through the gateway. It connects with dial, and through
// the proxy of p if p has one for the gateway. idle is the longest time that the gateway may be
// silent, and via names this program in the header Via. It returns an error if the proxy in p is
// invalid.
func (g Gateway) Engine(dial locus.Dial, p locus.Proxies, idle time.Duration, via string) (access.Engine, error) {
	if !p.SkipsURL(g.At) {
		proxy, err := p.For(g.At.Scheme())
		if err != nil {
			return nil, err
		}
		if !proxy.IsZero() {
			dial = locus.DialThrough(dial, proxy)
		}
	}
	client := &web.Client{Dial: dial, Idle: idle, Via: via}
	if g.At.Path() != "" {
		return access.Via{Engine: client, Prefix: g.At.String()}, nil
	}
	return web.Gateway{Client: client, At: g.At}, nil
}
