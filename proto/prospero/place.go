package prospero

import (
	"net/netip"
	"strconv"
	"strings"

	"locus/scheme"
	"locus/url"
)

// parsePlace reads a host of the protocol, "example.org(1525)". A host
// LOCALHOST is the one that was asked, never the machine of who asks; at if no
// port is given. ok is false if it is no host.
func parsePlace(text string, asked, at scheme.Host) (place scheme.Host, ok bool) {
	name, port, hasPort := strings.Cut(text, "(")
	if hasPort {
		n, err := strconv.ParseUint(strings.TrimSuffix(port, ")"), 10, 16)
		if err != nil || n == 0 || !strings.HasSuffix(port, ")") {
			return scheme.Host{}, false
		}
		place.Port = uint16(n)
	}
	if isLocalhost(name) {
		place.Name = asked.Name
		if !hasPort {
			place = at
		}
		return place, true
	}
	place.Name = strings.Trim(name, "[]")
	return place, isHost(place.Name)
}

// isLocalhost reports whether name is the one that every machine has for itself.
func isLocalhost(name string) bool {
	return strings.EqualFold(strings.TrimSuffix(name, "."), "LOCALHOST")
}

// isLoopback reports whether a host is written as the machine itself.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return isLocalhost(host) || err == nil && addr.Unmap().IsLoopback()
}

// isHost reports whether name can be a host: a name or an address.
func isHost(name string) bool {
	if strings.IndexByte(name, ':') >= 0 {
		_, err := netip.ParseAddr(name)
		return err == nil
	}
	return isWord(name)
}

// usual leaves out the port that it would have anyway.
func usual(h scheme.Host, port uint16) scheme.Host {
	if h.Port == port {
		h.Port = 0
	}
	return h
}

// blank is text, unless it stands for nothing.
//
// QUIRK: the server of 1994 prints a null pointer as "(NULL POINTER)".
func blank(text string) string {
	if text == "(NULL POINTER)" {
		return ""
	}
	return text
}

// place returns where the object of a link is.
func (l Link) place(asked scheme.Host) (scheme.Host, bool) {
	host := blank(l.Host)
	if host == "" || !strings.EqualFold(l.HostType, "INTERNET-D") {
		return scheme.Host{}, false
	}
	return parsePlace(host, asked, asked)
}

// url returns the prospero URL of the object of a link, the zero URL if it has
// none. asked is the server that gave the link.
func (l Link) url(asked scheme.Host) url.URL {
	place, ok := l.place(asked)
	if !ok || strings.Contains(l.Hsoname, "\x00") {
		return url.URL{}
	}
	v := scheme.Prospero{Host: usual(place, defaultPort), Hsoname: blank(l.Hsoname)}
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
