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

// checkAddresses checks the syntax of u, the URL of a message to write, and looks up the domains of its addresses. It
// returns the error of the first address that cannot get mail, and an *uncheckedError if the scheme, which a program has
// added, has other addresses.
func (v *visit) checkAddresses(ctx context.Context, u url.URL) error {
	list, err := addressesOf(u)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return &uncheckedError{ClassScheme, "locus cannot check addresses of this scheme"}
	case err != nil:
		return &failure{ClassSyntax, badURL(err)}
	}
	for domain := range domains(list) {
		if err := v.checkDomain(ctx, domain); err != nil {
			return err
		}
	}
	return nil
}

// addressesOf returns the addresses in u, the URL of a message to write, such as a mailto URL, separated by commas. The
// error is a [*url.SyntaxError], or wraps errors.ErrUnsupported if the scheme of u has no such messages.
func addressesOf(u url.URL) (string, error) {
	view, err := scheme.Parse(u)
	if err != nil {
		return "", err
	}
	switch v := view.(type) {
	case scheme.Mailto:
		return v.Address, nil
	case scheme.Mailserver:
		return v.Address, nil
	}
	return "", errors.ErrUnsupported
}

// domains yields the domain of each address in list, which separates addresses by commas. Local parts may be quoted. It
// leaves out addresses without "@".
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

// checkDomain looks up whether a domain has a mail exchanger or an address (RFC 5321 §5.1). The error is a *failure if
// it has neither or accepts no mail. Without a Resolver, or offline, checkDomain accepts every domain, and it always
// accepts address literals such as "[192.0.2.1]".
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
