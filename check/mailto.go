package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"locus/scheme"
	"locus/url"
)

// A Resolver looks up domains, as a *net.Resolver does.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// address checks a mailto URL: how its addresses are written, and that mail to
// their domains can go somewhere.
func (v *visit) address(ctx context.Context, u url.URL) error {
	m, err := scheme.ParseMailto(u)
	if err != nil {
		return errors.New(badness(err))
	}
	for domain := range domains(m.Address) {
		if err := v.domain(ctx, domain); err != nil {
			return err
		}
	}
	return nil
}

// domains yields the domain of each address of a list that reads as one.
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

// domain looks up where mail to a domain goes (RFC 5321 §5.1).
func (v *visit) domain(ctx context.Context, name string) error {
	if v.Resolver == nil || strings.HasPrefix(name, "[") {
		return nil
	}
	exchangers, err := v.Resolver.LookupMX(ctx, name)
	if len(exchangers) == 1 && strings.Trim(exchangers[0].Host, ".") == "" {
		return fmt.Errorf("%s takes no mail", name) // RFC 7505
	}
	if len(exchangers) > 0 {
		return nil
	}
	if missing, ok := errors.AsType[*net.DNSError](err); err != nil && (!ok || !missing.IsNotFound) {
		return err
	}
	if _, err := v.Resolver.LookupHost(ctx, name); err != nil {
		if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound {
			return fmt.Errorf("%s has neither a mail exchanger nor an address", name)
		}
		return err
	}
	return nil
}
