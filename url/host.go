package url

import (
	"net/netip"
	"slices"
	"sort"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
)

// checkHost returns an error for the first byte of the host that is invalid by u's standard, or nil if the host is
// valid. u must have an authority.
func (u URL) checkHost(r *rules) *SyntaxError {
	start := int(max(u.auth, u.host))
	host := u.text[start:u.hostEnd()]
	if host == "" {
		return u.checkEmptyHost(r)
	}
	var offset int
	var want string
	switch u.std {
	case RFC1738:
		offset, want = checkHost1738(unescapeName(host))
		offset = escapedOffset(host, offset)
	case RFC1630:
		offset, want = checkHost1630(host)
	case RFC3986:
		offset, want = checkHost3986(host)
	default:
		offset, want = checkHref(host)
	}
	if want == "" {
		return nil
	}
	if offset < len(host) && host[offset] == '%' && strings.HasPrefix(want, "two hex") {
		return u.fail(start+offset, r.escapes, want)
	}
	return u.fail(start+offset, r.sections[Host], want)
}

// checkEmptyHost returns an error at the place of the empty host, or nil if u may have an empty host. The generic
// syntax of RFC 3986 allows it everywhere. The other standards allow it where it means this machine: in file URLs and,
// by RFC 1630, in partial forms.
func (u URL) checkEmptyHost(r *rules) *SyntaxError {
	alone := u.host == 0 && u.port == 0
	if r.emptyHost || alone && (u.scheme == 0 || facts.Of(u.rawScheme()).Has(facts.EmptyHost)) {
		return nil
	}
	return u.fail(int(max(u.auth, u.host)), r.sections[Host], "a host")
}

const wantHexDigits = `two hex digits after the "%"`

// checkHref checks the host of an href, in which only printable ASCII is correct. It returns the offset of the first
// error and a description of the text that is correct there, or 0 and "" for a correct host.
func checkHref(host string) (offset int, want string) {
	if i := skip(host, 0, cHref); i < len(host) {
		return i, "printable ASCII"
	}
	return 0, ""
}

// checkHost3986 checks a host of RFC 3986, which is not empty: an IP literal in brackets or a reg-name. It returns the
// offset of the first error and a description of the text that is correct there, or 0 and "" for a correct host.
func checkHost3986(host string) (offset int, want string) {
	if host[0] == '[' {
		return checkLiteral(host)
	}
	return checkName(host, c3986User, "a byte that may stand in a host, or an escape")
}

// checkName checks a host that consists of escapes and of the bytes of a set. It returns 0 and "" for a correct host.
// Otherwise it returns the offset of the first wrong byte, and wanted, or the description of an escape if that byte is
// a "%".
func checkName(host string, set class, wanted string) (offset int, want string) {
	i := skip(host, 0, set)
	switch {
	case i == len(host):
		return 0, ""
	case host[i] == '%':
		return i, wantHexDigits
	}
	return i, wanted
}

// checkLiteral checks a host that is an IP literal. host starts with "[". It returns the offset of the first error and
// a description of the text that is correct there, or 0 and "" for a correct host.
func checkLiteral(host string) (offset int, want string) {
	end := strings.IndexByte(host, ']')
	inner := host[1:]
	if end >= 0 {
		inner = host[1:end]
	}
	n, want := checkAddress(inner)
	switch {
	case want != "":
		return 1 + n, want
	case end < 0:
		return len(host), `the "]" that ends the address`
	case end+1 < len(host):
		return end + 1, `a ":" or the end of the authority after "]"`
	}
	return 0, ""
}

// checkAddress checks s, the text between the brackets: an IPv6 address, which may have a zone, or an address of a
// future version. It returns the offset of the first error and a description of the text that is correct there, or 0
// and "" for a correct address.
func checkAddress(s string) (offset int, want string) {
	if s != "" && (s[0] == 'v' || s[0] == 'V') {
		return checkFuture(s)
	}
	addr, zone, scoped := strings.Cut(s, "%")
	if !isIPv6(addr) {
		return ipv6Prefix(addr), "an IPv6 address"
	}
	if !scoped {
		return 0, ""
	}
	if !strings.HasPrefix(zone, "25") {
		return len(addr), `"%25" before the zone (RFC 6874)`
	}
	zone = zone[2:]
	start := len(s) - len(zone)
	if zone == "" {
		return start, "a zone after \"%25\" (RFC 6874)"
	}
	for i := 0; i < len(zone); i++ {
		switch {
		case ascii.HasEscape(zone, i):
			i += 2
		case zone[i] == '%':
			return start + i, wantHexDigits
		case strings.IndexByte(unreserved, zone[i]) < 0:
			return start + i, "a byte that may stand in a zone (RFC 6874), or an escape"
		}
	}
	return 0, ""
}

// checkFuture checks an address of a future version: "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ). s starts
// with "v" or "V". It returns the offset of the first error and a description of the text that is correct there, or 0
// and "" for a correct address.
func checkFuture(s string) (offset int, want string) {
	i := 1
	for i < len(s) && classes[s[i]]&cHex != 0 {
		i++
	}
	if i == 1 {
		return i, "a hex digit of the address's version"
	}
	if i == len(s) || s[i] != '.' {
		return i, `a "." after the address's version`
	}
	i++
	start := i
	for i < len(s) && classes[s[i]]&(c3986User|cColon) != 0 {
		i++
	}
	if i < len(s) || i == start {
		return i, "a byte of the address"
	}
	return 0, ""
}

// isIPv6 reports whether s is an IPv6 address without a zone.
func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// ipv6Prefix returns the length of the longest prefix of s that is also the prefix of an IPv6 address.
func ipv6Prefix(s string) int {
	const longest = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")
	return sort.Search(min(len(s), longest), func(n int) bool { return !startsIPv6(s[:n+1]) })
}

// startsIPv6 reports whether s is the prefix of an IPv6 address.
func startsIPv6(s string) bool {
	ends := [...]string{"", "0", ":", "::", ".0", ".0.0", "0.0", "0.0.0"} // one of them completes it
	return slices.ContainsFunc(ends[:], func(end string) bool { return isIPv6(s + end) })
}

// unescapeName returns host with the escapes of letters, digits, "-" and "." decoded, because by RFC 1738 §2.2 these
// bytes mean the same with and without an escape. It keeps all other escapes.
func unescapeName(host string) string {
	if strings.IndexByte(host, '%') < 0 {
		return host
	}
	b := make([]byte, 0, len(host))
	for i := 0; i < len(host); i++ {
		if isNameEscape(host, i) {
			b = append(b, ascii.Escaped(host, i))
			i += 2
			continue
		}
		b = append(b, host[i])
	}
	return string(b)
}

// isNameEscape reports whether unescapeName decodes the text at host[i]: the escape of a letter, a digit, "-" or ".".
func isNameEscape(host string, i int) bool {
	return ascii.HasEscape(host, i) && classes[ascii.Escaped(host, i)]&c1738Host != 0
}

// escapedOffset returns the offset in host of the byte that is at offset in unescapeName(host).
func escapedOffset(host string, offset int) int {
	i := 0
	for ; offset > 0; offset-- {
		if isNameEscape(host, i) {
			i += 2
		}
		i++
	}
	return i
}

// checkHost1738 checks host = hostname | hostnumber. A hostname consists of labels of letters, digits and inner
// hyphens; the last label starts with a letter. A hostnumber consists of four groups of digits. It returns the offset
// of the first error and a description of the text that is correct there, or 0 and "" for a correct host.
func checkHost1738(host string) (offset int, want string) {
	labels := 0
	for start := 0; start <= len(host); labels++ {
		label, _, more := strings.Cut(host[start:], ".")
		if n, want := checkLabel(label); want != "" {
			return start + n, want
		}
		if !more {
			if isTopLabel(host, label, labels+1) {
				return 0, ""
			}
			return len(host), `"." and a label that starts with a letter, or four groups of digits`
		}
		start += len(label) + 1
	}
	return len(host), "a domain label"
}

// checkLabel checks a label of a domain name: letters, digits and inner hyphens. It returns the offset of the first
// error and a description of the text that is correct there, or 0 and "" for a correct label.
func checkLabel(label string) (offset int, want string) {
	for i := range len(label) {
		if label[i] == '-' && i > 0 {
			continue
		}
		if classes[label[i]]&(cAlpha|cDigit) == 0 {
			return i, "a letter or digit of a domain name"
		}
	}
	if label == "" || label[len(label)-1] == '-' {
		return len(label), "a letter or digit that ends a domain label"
	}
	return 0, ""
}

// isTopLabel reports whether last may be the last label of host: it starts with a letter, or the host consists of four
// groups of digits. labels is the number of labels of the host.
func isTopLabel(host, last string, labels int) bool {
	return classes[last[0]]&cAlpha != 0 || labels == 4 && strings.Trim(host, digit+".") == ""
}

// checkHost1630 checks host = hostname | hostnumber, where a hostname is ialpha [ "." hostname ], and an ialpha is a
// letter followed by any xalphas. host is not empty. It returns the offset of the first error and a description of the
// text that is correct there, or 0 and "" for a correct host.
func checkHost1630(host string) (offset int, want string) {
	if classes[host[0]]&cDigit != 0 {
		return checkHostNumber(host)
	}
	if classes[host[0]]&cAlpha == 0 {
		return 0, "a letter that starts a host name, or four groups of digits"
	}
	return checkName(host, c1630Xalpha, "a byte that may stand in a host name, or an escape")
}

// checkHostNumber checks hostnumber = digits . digits . digits . digits. It returns the offset of the first error and a
// description of the text that is correct there, or 0 and "" for a correct host.
func checkHostNumber(host string) (offset int, want string) {
	n := 0
	for group := range 4 {
		start := n
		n = skipDigits(host, n)
		switch {
		case n == start:
			return n, "a digit of a host number"
		case group == 3 && n == len(host):
			return 0, ""
		case group == 3 || n == len(host) || host[n] != '.':
			return n, "four groups of digits, as the host starts with a digit"
		}
		n++
	}
	return n, ""
}
