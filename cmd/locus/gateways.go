package main

import (
	"crypto/rand"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

func gatewayFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "gateway", Usage: "open the URLs of a scheme through a gateway: `SCHEME=URL`; repeatable"}
}

// pseudonym is what this process calls itself in Via, so that it knows again what
// it has asked for itself.
var pseudonym = sync.OnceValue(func() string { return "locus-" + rand.Text()[:8] })

// addGateways lets t open the schemes that --gateway names through gateways
// (RFC 1738 §4). They are the user's choice, whatever else may be connected to.
//
//	wais=http://gateway.example/       is asked for /wais://…
//	wais=http://gateway.example/?url=  is asked for /?url=wais%3A%2F%2F…
//	wais=http://proxy.example:3128     is an HTTP proxy: it is asked for wais://…
func addGateways(t access.Table, c *cli.Command) error {
	p := proxiesOf(c)
	for _, text := range c.StringSlice("gateway") {
		name, at, err := parseGateway(text)
		if err != nil {
			return err
		}
		proxy, err := p.of(at.Scheme())
		if err != nil {
			return err
		}
		client := &web.Client{Dial: p.dialler(proxy), SendUserinfo: true, Via: pseudonym()}
		if at.Path() != "" {
			t[name] = access.Via{Opener: client, Prefix: at.String()}
			continue
		}
		client.SendUserinfo = false // of the URL asked for
		t[name] = web.Gateway{Client: client, At: at}
	}
	return nil
}

// parseGateway reads a value of --gateway.
func parseGateway(text string) (name string, at url.URL, err error) {
	name, rest, _ := strings.Cut(text, "=")
	name = strings.ToLower(name)
	at, err = url.Parse(rest)
	host, _ := at.Host()
	_, hasQuery := at.Query()
	if isName := isScheme(name); err != nil || !isName || host == "" || at.Scheme() != "http" && at.Scheme() != "https" {
		return "", at, misuse("--gateway wants SCHEME=URL, such as wais=http://gateway.example/, not %q", hideLogin(text))
	}
	s, _ := scheme.Lookup(name)
	switch {
	case s.Flags.Has(scheme.Session):
		return "", at, misuse("--gateway: a session with %s does not go through a gateway", name)
	case at.Path() == "" && (hasQuery || at.Scheme() != "http"):
		return "", at, misuse("--gateway: a URL without a path is an HTTP proxy, reached by http://host:port")
	case at.Path() != "" && !hasQuery && !strings.HasSuffix(at.Path(), "/"):
		return "", at, misuse("--gateway: the URL is put after %q, which ends neither in / nor in a query", hideLogin(rest))
	}
	return name, at, nil
}

// isScheme reports whether a name may be that of a scheme (RFC 3986 §3.1).
func isScheme(name string) bool {
	u, err := url.Parse(name + ":")
	return err == nil && u.Scheme() == name && name != ""
}
