package cli

import (
	"crypto/tls"
	"fmt"
	"slices"

	"locus/internal/facts"
	"locus/limit"
	"locus/scheme"
	"locus/url"
)

// certificate returns a function from a URL to the client certificate for its server: the certificate of --cert for
// the gemini servers that args name, and nil for other servers, to which redirects and links may lead. Without --cert
// the function itself is nil.
func (e *Env) certificate(o Certificates, args []string) (func(url.URL) *tls.Certificate, error) {
	switch {
	case o.Cert == "" && o.Key != "":
		return nil, Misuse("--key needs --cert, because it is the key of that certificate")
	case o.Cert == "":
		return nil, nil
	}
	var servers []string
	for _, arg := range args {
		u, err := url.Parse(scheme.Unprefix(arg))
		if err == nil && facts.Of(u.Scheme()).Protocol == "gemini" {
			servers = append(servers, limit.Server(u))
		}
	}
	if servers == nil {
		return nil, Misuse("--cert works only for gemini servers, and no argument is a gemini or titan URL")
	}
	text, err := e.ReadFile(o.Cert)
	if err != nil {
		return nil, fmt.Errorf("--cert: %w", err)
	}
	key, names := text, "--cert"
	if o.Key != "" {
		names = "--cert and --key"
		if key, err = e.ReadFile(o.Key); err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
	}
	pair, err := tls.X509KeyPair(text, key)
	if err != nil {
		return nil, Misuse("%s: %v", names, err)
	}
	return func(u url.URL) *tls.Certificate {
		if slices.Contains(servers, limit.Server(u)) {
			return &pair
		}
		return nil
	}, nil
}
