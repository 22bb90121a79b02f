package whatwg

import "strings"

// parseHost is the host parser. The host starts at m.text[i].
func (m *machine) parseHost(host string, opaque bool, i int) (string, error) {
	switch {
	case strings.HasPrefix(host, "["):
		if !strings.HasSuffix(host, "]") {
			return "", m.fail(IPv6Unclosed, i)
		}
		address, at, name := parseIPv6(host[1 : len(host)-1])
		if name != "" {
			return "", m.fail(name, i+1+at)
		}
		return address.text(host), nil
	case opaque:
		return m.parseOpaqueHost(host, i)
	case kept(host, 0, closerHost) == len(host) && (endsInName(host) || isQuad(host)):
		return host, nil
	}
	domain, ok := ToASCII(toUTF8(percentDecode(host)), false)
	if !ok {
		return "", m.fail(DomainToASCII, i)
	}
	for j := range len(domain) {
		if octets[domain[j]]&forbiddenDomain != 0 {
			return "", m.fail(DomainInvalidCodePoint, i+min(j, len(host)))
		}
	}
	if !endsInNumber(domain) {
		return domain, nil
	}
	return m.parseIPv4(domain, i)
}

// parseOpaqueHost is the opaque-host parser.
func (m *machine) parseOpaqueHost(host string, i int) (string, error) {
	for j := range len(host) {
		if octets[host[j]]&forbiddenHost != 0 {
			return "", m.fail(HostInvalidCodePoint, i+j)
		}
	}
	m.checkUnits(i, i+len(host))
	return PercentEncode(host, C0Control), nil
}

// toUTF8 decodes octets as UTF-8, errors as U+FFFD.
func toUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
