package compare

import (
	"net/netip"
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
)

// An Origin is the scheme, the host and the port of a URL. Unlike the origin of RFC 6454, it exists for every scheme.
// Two readings lead to the same server if their Origins are ==, because an Origin is normalized:
//
//   - the scheme and the host are in lower case, and escapes in the host are decoded;
//   - an IPv6 address is written as netip writes it, without brackets;
//   - if the port is absent or empty, Port is the default port of the scheme. It is 0 if
//     the scheme has none, or if there is no host;
//   - file://localhost is file:// (RFC 1738 §3.10).
//
// Hosts are not resolved further: 127.1 is a name by RFC 3986 and 127.0.0.1 in a browser.
type Origin struct {
	Scheme string
	Host   string // "" if there is none
	Port   uint16
}

// String returns the origin as "http host:80", or "http host" if Port is 0. It returns "http, no host" if Host is "",
// and "nowhere" for the zero Origin.
func (p Origin) String() string {
	switch {
	case p == Origin{}:
		return "nowhere"
	case p.Host == "":
		return p.Scheme + ", no host"
	case p.Port == 0:
		return p.Scheme + " " + p.Host
	}
	return p.Scheme + " " + joinHostPort(p.Host, p.Port)
}

// joinHostPort returns "host:port", with brackets around an IPv6 address.
func joinHostPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

// originOf returns the normalized scheme, host and port of p. It returns false if p lacks a scheme, or if the port is
// not a number up to 65535.
func originOf(p url.Parts) (Origin, bool) {
	origin := Origin{Scheme: strings.ToLower(p.Scheme.Text), Host: foldHost(p.Host.Text)}
	if origin.Scheme == "" {
		return Origin{}, false
	}
	if origin.Scheme == "file" && origin.Host == "localhost" {
		origin.Host = ""
	}
	if origin.Host == "" && p.Port.Text == "" {
		return origin, true
	}
	port, ok := foldPort(origin.Scheme, p.Port)
	origin.Port = port
	return origin, ok
}

// foldPort returns the number of a port, or the default port of the scheme name if the port is absent or empty. It
// returns false if the port is not a number from 0 to 65535. The port may have leading zeros.
func foldPort(name string, port url.Part) (uint16, bool) {
	if port.Text == "" {
		return facts.Of(name).Port, true
	}
	digits := strings.TrimLeft(port.Text, "0")
	if digits == "" {
		return 0, true
	}
	return ascii.Port(digits)
}

// foldedPort returns the port of p without leading zeros. The result is absent if the port is empty or the default port
// of the scheme. foldedPort returns a port that is not valid unchanged.
func foldedPort(p url.Parts) url.Part {
	name := strings.ToLower(p.Scheme.Text)
	port, ok := foldPort(name, p.Port)
	switch {
	case !ok:
		return p.Port
	case p.Port.Text == "" || port == facts.Of(name).Port && port != 0:
		return url.Part{}
	}
	return url.Some(strconv.Itoa(int(port)))
}

// foldHost returns a host in the normalized form of [Origin]: in lower case and without escapes, and an IPv6 address
// without brackets. Brackets around other text stay.
func foldHost(host string) string {
	host = strings.ToLower(host)
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, _ = strings.CutSuffix(inner, "]")
		address, zone, _ := strings.Cut(inner, "%")
		if a, err := netip.ParseAddr(address); err == nil {
			zone = strings.TrimPrefix(zone, "25")
			return a.WithZone(zone).String()
		}
		return host
	}
	if name, err := url.Unescape(host); err == nil {
		host = strings.ToLower(name)
	}
	if a, err := netip.ParseAddr(host); err == nil && strings.Contains(host, ":") {
		return a.String() // Python removes the brackets
	}
	return host
}

// folded returns the part n in the normalized form in which readings are compared: for example with a scheme in lower
// case, the host of the Origin, no default port, and no needless escapes.
func (r *Reading) folded(n url.PartName) url.Part {
	part := r.Parts.Part(n)
	switch n {
	case url.Scheme:
		part.Text = strings.ToLower(part.Text)
	case url.Host:
		return url.Part{Text: r.Origin.Host, Present: r.Origin.Host != ""}
	case url.Port:
		return foldedPort(r.Parts)
	case url.User, url.Password:
		if decoded, err := url.Unescape(part.Text); err == nil {
			part.Text = decoded
		}
	case url.Path:
		part.Text = foldEscapes(part.Text)
		if part.Text == "" && r.Parts.Host.Present {
			part.Text = "/"
		}
	case url.Fragment:
		return partOf(foldEscapes(part.Text)) // net/url forgets an empty one
	default:
		part.Text = foldEscapes(part.Text)
	}
	return part
}

// foldEscapes returns s with the escapes of unreserved characters decoded, and with every byte escaped that RFC 3986
// does not allow in a query.
func foldEscapes(s string) string {
	keep := url.RFC3986.Allowed(url.Query)
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c, free := s[i], keep
		if ascii.HasEscape(s, i) {
			c, free = ascii.Escaped(s, i), url.RFC3986.Unreserved()
			i += 2
		}
		if free.Has(c) {
			b = append(b, c)
		} else {
			b = ascii.AppendEscape(b, c)
		}
	}
	return string(b)
}
