package cli

import (
	"cmp"
	"crypto/rand"
	"strings"
	"time"

	"locus"
	"locus/access"
	"locus/internal/lazy"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

const (
	// UsualGateway is where the user's gateway is.
	UsualGateway = "http://127.0.0.1:1738/"
	// GatewayVariable is the environment variable that names another one.
	GatewayVariable = "LOCUS_GATEWAY"
)

// UserGateway returns the URL of the user's gateway. given is the value of --at.
func (e *Env) UserGateway(given string) (url.URL, error) {
	text := cmp.Or(given, e.Getenv(GatewayVariable), UsualGateway)
	at, err := url.Parse(text)
	host, _ := at.Host()
	_, hasQuery := at.Query()
	if err != nil || host == "" || at.Scheme() != "http" && at.Scheme() != "https" || hasQuery || at.Path() != "" && at.Path() != "/" {
		return url.URL{}, Misuse("a gateway is at a URL such as %s, not at %q", UsualGateway, HideLogin(text))
	}
	return at.With(url.Path, url.Some("/"))
}

// Pseudonym returns the name of this process in Via headers. By it the process recognizes
// its own requests.
func Pseudonym() string { return pseudonym.Get() }

var pseudonym = lazy.Value[string]{Make: func() string { return "locus-" + rand.Text()[:8] }}

// A schemeGateway is a gateway or an HTTP proxy that opens the URLs of a scheme
// (RFC 1738 §4). The user chose it, so any address is allowed.
//
//	wais=http://gateway.example/       gets the request /wais://…
//	wais=http://gateway.example/?url=  gets the request /?url=wais%3A%2F%2F…
//	wais=http://proxy.example:3128     is an HTTP proxy, and gets the request wais://…
type schemeGateway struct {
	scheme string
	at     url.URL
	proxy  url.URL // on the way to it; zero: none
}

// engine returns an engine that opens URLs through the gateway. idle is its timeout.
func (g schemeGateway) engine(idle time.Duration) access.Engine {
	dial := Dial
	if !g.proxy.IsZero() {
		dial = locus.DialThrough(dial, g.proxy)
	}
	client := &web.Client{Dial: dial, Idle: idle, Via: Pseudonym()}
	if g.at.Path() != "" {
		return access.Via{Engine: client, Prefix: g.at.String()}
	}
	return web.Gateway{Client: client, At: g.at}
}

// gatewaysOf returns the values of --gateway.
func gatewaysOf(texts []string, p locus.Proxies) ([]schemeGateway, error) {
	var all []schemeGateway
	for _, text := range texts {
		name, at, err := parseGateway(text)
		if err != nil {
			return nil, err
		}
		g := schemeGateway{scheme: name, at: at}
		if !p.SkipsURL(at) {
			if g.proxy, err = p.For(at.Scheme()); err != nil {
				return nil, Misuse("%v", err)
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// parseGateway reads a value of --gateway.
func parseGateway(text string) (name string, at url.URL, err error) {
	name, rest, _ := strings.Cut(text, "=")
	name = strings.ToLower(name)
	at, err = url.Parse(rest)
	host, _ := at.Host()
	_, hasQuery := at.Query()
	if isName := isScheme(name); err != nil || !isName || host == "" || at.Scheme() != "http" && at.Scheme() != "https" {
		return "", at, Misuse("--gateway wants SCHEME=URL, such as wais=http://gateway.example/, not %q", HideLogin(text))
	}
	s, _ := scheme.Lookup(name)
	switch {
	case s.Flags.Has(scheme.Session):
		return "", at, Misuse("--gateway: a session with %s does not go through a gateway", name)
	case at.Path() == "" && (hasQuery || at.Scheme() != "http"):
		return "", at, Misuse("--gateway: a URL without a path is an HTTP proxy, reached by http://host:port")
	case at.Path() != "" && !hasQuery && !strings.HasSuffix(at.Path(), "/"):
		return "", at, Misuse("--gateway: the URL is put after %q, which ends neither in / nor in a query", HideLogin(rest))
	}
	return name, at, nil
}
