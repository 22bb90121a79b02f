package compare

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

var (
	errCurlInput   = errors.New("a space or a control character (curl)")
	errCurlScheme  = errors.New("no scheme (curl)")
	errCurlSlashes = errors.New("not one to three slashes after the scheme (curl)")
	errCurlFile    = errors.New("a file URL with a host (curl)")
	errCurlHost    = errors.New("no host, or a bad one (curl)")
	errCurlPort    = errors.New("a bad port (curl)")
)

// curlParts reads text as libcurl 8.23.0 does for a transfer, except that it does not guess a missing scheme.
// testdata/curl.jsonl has the answers of libcurl.
func curlParts(text string) (p url.Parts, err error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return p, errCurlInput
	}
	name := curlScheme(text)
	if name == "" {
		return p, errCurlScheme
	}
	p.Scheme = url.Some(name)
	rest := text[len(name)+1:]
	if name == "file" {
		if rest, err = curlFile(rest); err != nil {
			return p, err
		}
	} else {
		slashes := len(rest) - len(strings.TrimLeft(rest[:min(4, len(rest))], "/")) - len(rest[min(4, len(rest)):])
		if slashes < 1 || slashes > 3 {
			return p, errCurlSlashes
		}
		rest = rest[slashes:]
		end := indexAny(rest, "/?#")
		if err := curlAuthority(&p, rest[:end]); err != nil {
			return p, err
		}
		rest = rest[end:]
	}
	setRest(&p, rest)
	if p.Path == "" {
		p.Path = "/"
	}
	p.Path = removeDots(p.Path)
	return p, nil
}

// curlScheme returns the scheme of text in lower case, or "" if curl does not find a scheme.
func curlScheme(text string) string {
	const longest = 40
	colon := strings.IndexByte(text, ':')
	if colon <= 0 || colon > longest || !ascii.IsScheme(text[:colon]) {
		return ""
	}
	return strings.ToLower(text[:colon])
}

// curlFile returns the path of a file URL, together with the query and the fragment. rest is the text after the colon
// of the scheme. The error is errCurlFile if the path does not start with "/" or starts with a drive, or if the host is
// neither empty nor localhost nor 127.0.0.1.
func curlFile(rest string) (string, error) {
	if len(rest) < 2 || rest[0] != '/' {
		return "", errCurlFile
	}
	if path, ok := strings.CutPrefix(rest, "//"); ok {
		rest = path
		if !strings.HasPrefix(rest, "/") && !startsWithDrive(rest) {
			const loopback = 9 // the length of "localhost" and of "127.0.0.1"
			if len(rest) <= loopback || rest[loopback] != '/' || !strings.EqualFold(rest[:loopback], "localhost") && rest[:loopback] != "127.0.0.1" {
				return "", errCurlFile
			}
			rest = rest[loopback:]
		}
	}
	if startsWithDrive(strings.TrimPrefix(rest, "/")) {
		return "", errCurlFile
	}
	return rest, nil
}

// startsWithDrive reports whether s is a drive such as "C:" or "C|", or starts with a drive and "/" or "\".
func startsWithDrive(s string) bool {
	return len(s) >= 2 && ascii.IsLetter(s[0]) && (s[1] == ':' || s[1] == '|') && (len(s) == 2 || strings.IndexByte(`/\`, s[2]) >= 0)
}

// curlAuthority sets the login, the host and the port of p. The first "@" of authority ends the login. The error is
// errCurlHost or errCurlPort if curl refuses the host or the port.
func curlAuthority(p *url.Parts, authority string) error {
	host, ok := setPort(p, setLogin(p, authority, strings.IndexByte(authority, '@')))
	if !ok {
		return errCurlHost
	}
	if p.Port.Text != "" {
		number, err := strconv.ParseUint(p.Port.Text, 10, 16)
		if err != nil {
			return errCurlPort
		}
		p.Port.Text = strconv.FormatUint(number, 10)
	}
	host, ok = curlHost(host)
	p.Host = url.Some(host)
	if !ok {
		return errCurlHost
	}
	return nil
}

// curlHost returns host as curl does: decoded, an IPv4 address as four decimal numbers, and an IPv6 address in
// brackets. It returns false if curl refuses the host.
func curlHost(host string) (string, bool) {
	host = ascii.Unescape(host)
	if strings.HasPrefix(host, "[") {
		return curlIPv6(strings.TrimSuffix(host[1:], "]"))
	}
	if address, ok := curlIPv4(host); ok {
		return address, true
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	isEmpty := host == "" || host == "." || strings.HasSuffix(host, "..")
	return host, !isEmpty && !strings.ContainsAny(host, " \r\n\t/:#?!@{}[]\\$'\"^`*<>=;,+&()%|")
}

// curlIPv6 returns literal, an IPv6 address without brackets, as curl writes it: with brackets, and in the shorter
// notation. The address may have a zone, whose "%" may be written "%25". curlIPv6 returns false if curl refuses the
// address.
func curlIPv6(literal string) (string, bool) {
	address, zone, scoped := strings.Cut(literal, "%")
	if rest, ok := strings.CutPrefix(zone, "25"); ok && rest != "" {
		zone = rest
	}
	a, err := netip.ParseAddr(address)
	if err != nil || !a.Is6() || scoped && (zone == "" || len(zone) > 15) {
		return "", false
	}
	if shorter := curlNotation(a); len(shorter) < len(address) {
		address = shorter
	}
	if scoped {
		address += "%" + zone
	}
	return "[" + address + "]", true
}

// curlNotation formats an IPv6 address as inet_ntop does. If the address is 0 except in its last 32 bits, and not all
// of the first 16 of these are 0, these 32 bits are written as an IPv4 address.
func curlNotation(a netip.Addr) string {
	b := a.As16()
	if [12]byte(b[:]) == [12]byte{} && (b[12] != 0 || b[13] != 0) {
		return "::" + netip.AddrFrom4([4]byte(b[12:])).String()
	}
	return a.String()
}

// curlIPv4 returns host as four decimal numbers if inet_aton reads it as an address: up to four numbers, which may be
// octal or hexadecimal, and perhaps a dot. The last number fills the bytes of the address that the others leave.
// curlIPv4 returns false if host is not such an address.
func curlIPv4(host string) (string, bool) {
	var address uint64
	numbers := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(numbers) > 4 {
		return "", false
	}
	for i, text := range numbers {
		if text == "" || text[0] < '0' || text[0] > '9' || strings.Contains(text, "_") || strings.HasPrefix(strings.ToLower(text), "0b") || strings.HasPrefix(strings.ToLower(text), "0o") {
			return "", false
		}
		n, err := strconv.ParseUint(text, 0, 64)
		bits := 8
		if i == len(numbers)-1 {
			bits = 8 * (5 - len(numbers))
		}
		if err != nil || n >= 1<<bits {
			return "", false
		}
		address = address<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}).String(), true
}

// removeDots returns path with its segments "." and ".." resolved, also if the dots are escaped. It returns a path that
// does not start with "/" unchanged.
func removeDots(path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		dots := strings.ReplaceAll(strings.ToLower(segment), "%2e", ".")
		switch {
		case dots == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
			fallthrough
		case dots == "." || dots == "..":
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}
