package prospero

import (
	"net/netip"
	"strconv"
	"strings"

	"locus/scheme"
	"locus/url"
)

// parsePlace parses a host such as "example.org(1525)". LOCALHOST with a port is the
// host server, not this machine; LOCALHOST alone is the place local. ok is false if text
// is no host.
func parsePlace(text string, server, local scheme.Host) (place scheme.Host, ok bool) {
	name, port, hasPort := strings.Cut(text, "(")
	if hasPort {
		n, err := strconv.ParseUint(strings.TrimSuffix(port, ")"), 10, 16)
		if err != nil || n == 0 || !strings.HasSuffix(port, ")") {
			return scheme.Host{}, false
		}
		place.Port = uint16(n)
	}
	if isLocalhost(name) {
		place.Name = server.Name
		if !hasPort {
			place = local
		}
		return place, true
	}
	place.Name = strings.Trim(name, "[]")
	return place, isHost(place.Name)
}

func isLocalhost(name string) bool {
	return strings.EqualFold(strings.TrimSuffix(name, "."), "LOCALHOST")
}

// isLoopback reports whether host is LOCALHOST or a loopback address.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return isLocalhost(host) || err == nil && addr.Unmap().IsLoopback()
}

func isHost(name string) bool {
	if strings.IndexByte(name, ':') >= 0 {
		_, err := netip.ParseAddr(name)
		return err == nil
	}
	return isWord(name)
}

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

func (l Link) place(server scheme.Host) (scheme.Host, bool) {
	host := withoutNull(l.Host)
	if host == "" || !strings.EqualFold(l.HostType, "INTERNET-D") {
		return scheme.Host{}, false
	}
	return parsePlace(host, server, server)
}

// url returns the prospero URL of the link's object. It is zero if there is none.
// server is the server that sent the link.
func (l Link) url(server scheme.Host) url.URL {
	place, ok := l.place(server)
	if !ok || strings.Contains(l.Hsoname, "\x00") {
		return url.URL{}
	}
	v := scheme.Prospero{Host: withoutDefaultPort(place, defaultPort), Hsoname: withoutNull(l.Hsoname)}
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
