package whatwg

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"locus/internal/ascii"
)

// parseHost is the host parser. It returns the serialized host, or an error of m.fail. host is m.text[i:i+len(host)].
// opaque says whether the scheme is not special, so that the host is an opaque host. If m.probe is set, the returned
// text is unspecified.
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

// parseDomain is the part of the host parser for domains and IPv4 addresses. It returns the serialized host, or an
// error of m.fail. host is m.text[i:i+len(host)]. If m.probe is set, the returned text is unspecified.
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

// checkDomain reports a validation error at m.text[i] for a domain that the parser accepts although it is not valid. It
// does nothing without a reporter.
func (m *machine) checkDomain(domain string, i int) {
	if m.reporter == nil {
		return
	}
	if _, ok := ToASCII(domain, true); !ok {
		m.report(DomainToASCII, i)
	}
}

// parseOpaqueHost is the opaque-host parser. It returns the host escaped, or an error of m.fail. host is
// m.text[i:i+len(host)]. If m.probe is set, it only checks the host and returns "".
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

// toUTF8 replaces each run of bytes that are not UTF-8 by U+FFFD.
func toUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

var (
	lenient = idna.New(
		idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true),
		idna.StrictDomainName(false), idna.CheckHyphens(false), idna.VerifyDNSLength(false),
	)
	strict = idna.New(
		idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true),
		idna.StrictDomainName(true), idna.CheckHyphens(true), idna.VerifyDNSLength(true),
	)
)

// ToASCII is the algorithm "domain to ASCII" of the URL Standard. It returns the domain in ASCII and lower case, or
// false if that algorithm fails. Without beStrict, ToASCII only puts an ASCII domain into lower case, so it does not
// check its "xn--" labels. With beStrict, a domain must consist of letters, digits and inner hyphens, in labels of 1 to
// 63 bytes, and of at most 253 bytes; it may end in a dot.
func ToASCII(domain string, beStrict bool) (string, bool) {
	if !beStrict && ascii.IsASCII(domain) {
		return strings.ToLower(domain), domain != ""
	}
	profile := lenient
	if beStrict {
		profile = strict
	}
	domain = strings.Map(mapLater, domain)
	name, err := profile.ToASCII(domain)
	emptyEnd := beStrict && strings.HasSuffix(name, "..") // because idna takes the empty label for the root
	if err != nil || name == "" || emptyEnd || hasEmptyPunycode(domain) {
		return name, false
	}
	// QUIRK: idna decides before the mapping whether the Bidi rule applies, so
	// it misses "ℵ", which maps to Hebrew. It finds it in the result.
	_, err = profile.ToUnicode(name)
	return name, err == nil
}

// hasEmptyPunycode reports whether UTS 46 maps a label of domain to "xn--". Such a domain is invalid.
//
// QUIRK: golang.org/x/net/idna makes an empty label of "xn--".
func hasEmptyPunycode(domain string) bool {
	for label := range strings.FieldsFuncSeq(domain, isDot) {
		if name, _ := lenient.ToASCII(label); name != "" {
			continue
		}
		if name, _ := lenient.ToASCII("a" + label); name != "a" {
			return true
		}
	}
	return false
}

// isDot reports whether UTS 46 maps r to one or several dots.
func isDot(r rune) bool { return strings.ContainsRune(".。．｡․‥…", r) }

// mapLater maps a code point whose UTS 46 mapping changed after Unicode 15.0: to lower case,
// to an ideograph, or to -1, which means that it is removed. It returns any other r unchanged.
// This is needed because before Go 1.27 golang.org/x/net/idna has the tables of Unicode 15.0.
func mapLater(r rune) rune {
	switch r {
	case 0x04c0, 0x2132, 0x2183, 0x1e9e:
		return unicode.ToLower(r)
	case 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x3164, 0xffa0:
		return -1
	case 0x2f868:
		return 0x36fc
	case 0x2f874:
		return 0x5f53
	case 0x2f91f:
		return 0x243ab
	case 0x2f95f:
		return 0x7aee
	case 0x2f9bf:
		return 0x45d7
	}
	switch {
	case 0x10a0 <= r && r <= 0x10c5:
		return unicode.ToLower(r)
	case 0x206a <= r && r <= 0x206f, 0x1d173 <= r && r <= 0x1d17a:
		return -1
	}
	return r
}
