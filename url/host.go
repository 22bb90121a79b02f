package url

import (
	"net/netip"
	"slices"
	"sort"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
)

func (u URL) judgeHost(r *rules) *SyntaxError {
	start := int(max(u.auth, u.host))
	host := u.text[start:u.hostEnd()]
	if host == "" {
		return u.judgeEmptyHost(r)
	}
	var offset int
	var want string
	switch u.std {
	case RFC1738:
		offset, want = judgeHost1738(unescapeName(host))
		offset = escapedOffset(host, offset)
	case RFC1630:
		offset, want = judgeHost1630(host)
	case RFC3986:
		offset, want = judgeHost3986(host)
	default:
		offset, want = judgeHref(host)
	}
	if want == "" {
		return nil
	}
	if offset < len(host) && host[offset] == '%' && strings.HasPrefix(want, "two hex") {
		return u.fail(start+offset, r.escapes, want)
	}
	return u.fail(start+offset, r.sections[Host], want)
}

// judgeEmptyHost lets an empty host stand where it means this machine: in file
// URLs and, under RFC 1630, in partial forms. RFC 3986's generic syntax lets it
// stand everywhere.
func (u URL) judgeEmptyHost(r *rules) *SyntaxError {
	alone := u.host == 0 && u.port == 0
	if r.emptyHost || alone && (u.scheme == 0 || facts.Of(u.rawScheme()).Has(facts.EmptyHost)) {
		return nil
	}
	return u.fail(int(max(u.auth, u.host)), r.sections[Host], "a host")
}

const wantHexDigits = `two hex digits after the "%"`

// judgeHref judges a host as the other parts of an href are judged.
func judgeHref(host string) (int, string) {
	if i := skip(host, 0, cHref); i < len(host) {
		return i, "printable ASCII"
	}
	return 0, ""
}

// judgeHost3986 returns the place of the first offending byte and what was
// wanted there; "" if the host is good.
func judgeHost3986(host string) (int, string) {
	if host[0] == '[' {
		return judgeLiteral(host)
	}
	return judgeName(host, c3986User, "a byte that may stand in a host, or an escape")
}

// judgeName judges a host that may hold the bytes of a set, and escapes.
func judgeName(host string, set class, want string) (int, string) {
	i := skip(host, 0, set)
	switch {
	case i == len(host):
		return 0, ""
	case host[i] == '%':
		return i, wantHexDigits
	}
	return i, want
}

func judgeLiteral(host string) (int, string) {
	end := strings.IndexByte(host, ']')
	inner := host[1:]
	if end >= 0 {
		inner = host[1:end]
	}
	n, want := judgeAddress(inner)
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

// judgeAddress judges what stands between brackets.
func judgeAddress(s string) (int, string) {
	if s != "" && (s[0] == 'v' || s[0] == 'V') {
		return judgeFuture(s)
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

// judgeFuture judges "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ).
func judgeFuture(s string) (int, string) {
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

// ipv6Prefix returns the length of the longest prefix of s with which some IPv6 address
// starts too.
func ipv6Prefix(s string) int {
	const longest = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")
	return sort.Search(min(len(s), longest), func(n int) bool { return !startsIPv6(s[:n+1]) })
}

// startsIPv6 reports whether some IPv6 address starts with s.
func startsIPv6(s string) bool {
	ends := [...]string{"", "0", ":", "::", ".0", ".0.0", "0.0", "0.0.0"} // one of them completes it
	return slices.ContainsFunc(ends[:], func(end string) bool { return isIPv6(s + end) })
}

// unescapeName decodes the escapes of what may stand in a domain name. By RFC
// 1738 §2.2 they mean the same encoded or not.
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

// isNameEscape reports whether host[i:] starts with the escape of a byte of a
// domain name.
func isNameEscape(host string, i int) bool {
	return ascii.HasEscape(host, i) && classes[ascii.Escaped(host, i)]&c1738Host != 0
}

// escapedOffset returns the place in host of the byte that unescapeName puts at
// offset.
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

// judgeHost1738 judges host = hostname | hostnumber: labels of letters, digits
// and inner hyphens, the last of which starts with a letter; or four groups of
// digits.
func judgeHost1738(host string) (int, string) {
	labels := 0
	for start := 0; start <= len(host); labels++ {
		label, _, more := strings.Cut(host[start:], ".")
		if n, want := judgeLabel(label); want != "" {
			return start + n, want
		}
		if !more {
			if isTop(host, label, labels+1) {
				return 0, ""
			}
			return len(host), `"." and a label that starts with a letter, or four groups of digits`
		}
		start += len(label) + 1
	}
	return len(host), "a domain label"
}

func judgeLabel(label string) (int, string) {
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

// isTop reports whether a host may end with the last of so many labels.
func isTop(host, last string, labels int) bool {
	return classes[last[0]]&cAlpha != 0 || labels == 4 && strings.Trim(host, digit+".") == ""
}

// judgeHost1630 judges host = hostname | hostnumber, where a hostname is
// ialpha [ "." hostname ], and an ialpha a letter and then any xalphas.
func judgeHost1630(host string) (int, string) {
	if classes[host[0]]&cDigit != 0 {
		return judgeHostNumber(host)
	}
	if classes[host[0]]&cAlpha == 0 {
		return 0, "a letter that starts a host name, or four groups of digits"
	}
	return judgeName(host, c1630Xalpha, "a byte that may stand in a host name, or an escape")
}

// judgeHostNumber judges hostnumber = digits . digits . digits . digits.
func judgeHostNumber(host string) (int, string) {
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
