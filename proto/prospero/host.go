package prospero

import (
	"net/netip"
	"strconv"
	"strings"

	"locus/scheme"
	"locus/url"
)

// parseHost parses text, a host such as "example.org(1525)" in a message from server. The
// name LOCALHOST with a port means the machine of server, not this machine. LOCALHOST
// without a port becomes local. ok is false if text is malformed.
func parseHost(text string, server, local scheme.Host) (host scheme.Host, ok bool) {
	name, port, hasPort := strings.Cut(text, "(")
	if hasPort {
		n, err := strconv.ParseUint(strings.TrimSuffix(port, ")"), 10, 16)
		if err != nil || n == 0 || !strings.HasSuffix(port, ")") {
			return scheme.Host{}, false
		}
		host.Port = uint16(n)
	}
	if isLocalhost(name) {
		host.Name = server.Name
		if !hasPort {
			host = local
		}
		return host, true
	}
	host.Name = strings.Trim(name, "[]")
	return host, isHost(host.Name)
}

// isLocalhost reports whether name is LOCALHOST in upper or lower case, with or without a
// final period.
func isLocalhost(name string) bool {
	return strings.EqualFold(strings.TrimSuffix(name, "."), "LOCALHOST")
}

// isLoopback reports whether host is LOCALHOST or a loopback address.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return isLocalhost(host) || err == nil && addr.Unmap().IsLoopback()
}

// isHost reports whether name is an IP address, or may be a DNS name. It is false for "".
func isHost(name string) bool {
	if strings.IndexByte(name, ':') >= 0 {
		_, err := netip.ParseAddr(name)
		return err == nil
	}
	return isWord(name)
}

// withoutDefaultPort returns h, but with Port 0 if h has the default port, which is port.
func withoutDefaultPort(h scheme.Host, port uint16) scheme.Host {
	if h.Port == port {
		h.Port = 0
	}
	return h
}

// withoutNull returns text, or "" if text stands for a null pointer.
//
// QUIRK: the server of 1994 prints a null pointer as "(NULL POINTER)".
func withoutNull(text string) string {
	if text == "(NULL POINTER)" {
		return ""
	}
	return text
}

// server returns the host of the server that has the link's object. from is the server that
// sent the link. ok is false if the link has no valid host of the type INTERNET-D.
func (l Link) server(from scheme.Host) (server scheme.Host, ok bool) {
	host := withoutNull(l.Host)
	if host == "" || !strings.EqualFold(l.HostType, "INTERNET-D") {
		return scheme.Host{}, false
	}
	return parseHost(host, from, from)
}

// url returns the prospero URL of the link's object. from is the server that sent the link.
// The URL is zero if the link has no valid host, or if its hsoname contains NUL.
func (l Link) url(from scheme.Host) url.URL {
	host, ok := l.server(from)
	if !ok || strings.Contains(l.Hsoname, "\x00") {
		return url.URL{}
	}
	v := scheme.Prospero{Host: withoutDefaultPort(host, defaultPort), Hsoname: withoutNull(l.Hsoname)}
	if !strings.EqualFold(l.HsonameType, "ASCII") {
		v.Fields = append(v.Fields, scheme.Field{Name: "HSONAME-TYPE", Value: l.HsonameType})
	}
	if l.Version != "0" && l.Version != "" {
		v.Fields = append(v.Fields, scheme.Field{Name: "OBJECT-VERSION", Value: l.Version})
	}
	for _, id := range values(l.Attributes, "ID") {
		if len(id) == 2 && id[0] == "REMOTE" {
			v.Fields = append(v.Fields, scheme.Field{Name: "ID", Value: strings.Join(id, " ")})
		}
	}
	return v.URL()
}
