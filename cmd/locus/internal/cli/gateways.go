package cli

import (
	"cmp"
	"crypto/rand"

	"locus/cmd/locus/internal/flags"
	"locus/internal/lazy"
	"locus/url"
)

const (
	// UsualGateway is the URL of the user's gateway, unless a flag or GatewayVariable names another one.
	UsualGateway = "http://127.0.0.1:1738/"
	// GatewayVariable is the environment variable with the URL of the user's gateway.
	GatewayVariable = "LOCUS_GATEWAY"
)

// UserGateway returns the URL of the user's gateway: given, which is the value of --at, or else the
// value of GatewayVariable, or else UsualGateway. Its path is "/". A URL that is not http or https,
// or has another path, a query or a fragment, is a UsageError.
func (e *Env) UserGateway(given string) (url.URL, error) {
	text := cmp.Or(given, e.Getenv(GatewayVariable), UsualGateway)
	at, err := url.Parse(text)
	host, _ := at.Host()
	_, hasQuery := at.Query()
	_, hasFragment := at.Fragment()
	if err != nil || host == "" || at.Scheme() != "http" && at.Scheme() != "https" || hasQuery || hasFragment || at.Path() != "" && at.Path() != "/" {
		return url.URL{}, Misuse("the address of a gateway must be a URL such as %s, not %q", UsualGateway, flags.HideLogin(text))
	}
	return at.With(url.Path, url.Some("/"))
}

// Pseudonym returns the name of this process in Via headers. By it the process recognizes
// its own requests.
func Pseudonym() string { return pseudonym.Get() }

var pseudonym = lazy.Value[string]{Make: func() string { return "locus-" + rand.Text()[:8] }}
