package check

import (
	"context"
	"errors"
	"net"
	"strings"

	"locus/scheme"
	"locus/url"
)

// A Resolver looks up domains. A *net.Resolver implements it.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// checkMailto checks the syntax of a mailto URL, and the domains of its addresses.
func (v *visit) checkMailto(ctx context.Context, u url.URL) error {
	m, err := scheme.ParseMailto(u)
	if err != nil {
		return &failure{ClassSyntax, badURL(err)}
	}
	for domain := range domains(m.Address) {
		if err := v.checkDomain(ctx, domain); err != nil {
			return err
		}
	}
	return nil
}

// domains yields the domain of each address in a list, which may have quoted local parts.
func domains(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		quoted, at := false, -1
		for i := 0; i <= len(list); i++ {
			switch {
			case i < len(list) && quoted && list[i] == '\\':
				i++
			case i < len(list) && list[i] == '"':
				quoted = !quoted
			case i < len(list) && !quoted && list[i] == '@':
				at = i
			case i == len(list) || !quoted && list[i] == ',':
				if at >= 0 && !yield(strings.TrimSpace(list[at+1:i])) {
					return
				}
				at = -1
			}
		}
	}
}

// checkDomain checks that a domain has a mail exchanger or an address (RFC 5321 §5.1). It accepts every domain if
// there is no Resolver, or offline, and address literals such as "[192.0.2.1]".
func (v *visit) checkDomain(ctx context.Context, name string) error {
	if v.Resolver == nil || v.Offline || strings.HasPrefix(name, "[") {
		return nil
	}
	exchangers, err := v.Resolver.LookupMX(ctx, name)
	if len(exchangers) == 1 && strings.Trim(exchangers[0].Host, ".") == "" {
		return &failure{ClassDNS, name + " accepts no mail"} // RFC 7505
	}
	if len(exchangers) > 0 {
		return nil
	}
	if missing, ok := errors.AsType[*net.DNSError](err); err != nil && (!ok || !missing.IsNotFound) {
		return err
	}
	if _, err := v.Resolver.LookupHost(ctx, name); err != nil {
		if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound {
			return &failure{ClassDNS, name + " has neither a mail exchanger nor an address"}
		}
		return err
	}
	return nil
}
