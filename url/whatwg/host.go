package whatwg

import (
	"strings"

	"locus/internal/ascii"
)

// parseHost is the host parser. The host starts at m.text[i].
func (m *machine) parseHost(host string, opaque bool, i int) (string, error) {
	switch {
	case strings.HasPrefix(host, "["):
		if !strings.HasSuffix(host, "]") {
			return "", m.fail(IPv6Unclosed, i)
		}
		leadingZero := func(at int) { m.report(IPv6PieceLeadingZero, i+1+at) }
		address, at, name := parseIPv6(host[1:len(host)-1], leadingZero)
		if name != "" {
			return "", m.fail(name, i+1+at)
		}
		if m.probe {
			return host, nil
		}
		return address.text(host), nil
	case opaque:
		return m.parseOpaqueHost(host, i)
	case isPlainHost(host):
		m.checkDomain(host, i)
		return host, nil
	}
	return m.parseDomain(host, i)
}

// parseDomain is the part of the host parser that reads domains and IPv4 addresses.
func (m *machine) parseDomain(host string, i int) (string, error) {
	if escape := firstEscape(host); escape < len(host) {
		m.report(DomainPercentEncoded, i+escape)
	}
	domain := toUTF8(ascii.Unescape(host))
	name, ok := domain, domain != ""
	if !m.probe || !ascii.IsASCII(domain) {
		name, ok = ToASCII(domain, false)
	}
	if !ok {
		return "", m.fail(DomainToASCII, i)
	}
	for j := range len(name) {
		if setsOf[name[j]]&forbiddenDomain != 0 {
			return "", m.fail(DomainToASCII, i+min(j, len(host)))
		}
	}
	m.checkDomain(domain, i)
	if !endsInNumber(name) {
		return name, nil
	}
	return m.parseIPv4(name, i)
}

// checkDomain reports a domain that the parser accepts but that is not valid.
func (m *machine) checkDomain(domain string, i int) {
	if m.reporter == nil {
		return
	}
	if _, ok := ToASCII(domain, true); !ok {
		m.report(DomainToASCII, i)
	}
}

// parseOpaqueHost is the opaque-host parser.
func (m *machine) parseOpaqueHost(host string, i int) (string, error) {
	for j := range len(host) {
		if setsOf[host[j]]&forbiddenHost != 0 {
			return "", m.fail(HostInvalidCodePoint, i+j)
		}
	}
	m.checkUnits(i, i+len(host))
	if m.probe {
		return "", nil
	}
	return PercentEncode(host, C0Control), nil
}

// toUTF8 decodes bytes as UTF-8, errors as U+FFFD.
func toUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
