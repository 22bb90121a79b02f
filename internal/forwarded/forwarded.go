// Package forwarded reads the header fields in which reverse proxies name the client of a request: Forwarded (RFC 7239),
// X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.
//
// Each proxy adds the address of its own peer at the end of a list. So only the end of the list, which trusted proxies
// wrote, can be believed:
//
//	X-Forwarded-For: 198.51.100.7, 192.0.2.44, 10.0.0.9
//	                 |__________|  |________|  |______|
//	                  the client    the first   trusted, so
//	                  says it       address     the address
//	                                that is     before it
//	                                not trusted counts
//
// Notable divergences:
//   - RFC 7239 §4: a value without quotes may have any characters except blanks, '"', ',' and ';', because some proxies
//     write a port or an IPv6 address without quotes.
package forwarded

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks of trusted proxies.
type Proxies []netip.Prefix

// Contains reports whether a is the address of a trusted proxy. An IPv4 address in IPv6 counts as IPv4, and the zone of
// an address does not count.
func (p Proxies) Contains(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(a) })
}

// An Origin is the part of a request that proxies have changed: as the client sent it to the first trusted proxy.
type Origin struct {
	// Client is the address of the client. It is the zero AddrPort if the fields do not name a client. Then the
	// client is the peer. The port is 0 if the proxies do not tell it. If a proxy hides the client ("unknown"),
	// Client is the address of that proxy, or the zero AddrPort if the peer hides it.
	Client netip.AddrPort
	// Proto is "http" or "https", or "" if the proxies do not tell it.
	Proto string
	// Host is the Host field of the client's request, or "" if the proxies do not tell it.
	Host string
}

// An Error is the error for a field that Read cannot use.
type Error struct {
	Field  string // the name of the field
	Reason string
}

// Error returns a text such as "X-Forwarded-For: not an address". It does not have the value of the field.
func (e *Error) Error() string { return e.Field + ": " + e.Reason }

// The names of the fields.
const (
	standard = "Forwarded"
	forField = "X-Forwarded-For"
	proto    = "X-Forwarded-Proto"
	host     = "X-Forwarded-Host"
)

// Read returns the origin of a request with the header h that came from a trusted proxy. Names in h are canonical, as in
// an http.Header. The error is an *Error if a part that Read needs is malformed, or if Forwarded contradicts an
// X-Forwarded field: proxies write one kind and pass the other on as the client sent it, and Read cannot know which kind
// the client has invented.
func (p Proxies) Read(h map[string][]string) (Origin, error) {
	a, err := p.readStandard(h[standard])
	if err != nil {
		return Origin{}, err
	}
	b, err := p.readExtensions(h)
	if err != nil {
		return Origin{}, err
	}
	return join(a, b)
}

// A statement is the part of an Origin that one kind of fields tells.
type statement struct {
	Origin
	hasNodes bool // the fields list proxies and clients, which may be hidden
}

// join returns the Origin that two statements make together. A field that one statement lacks comes from the other. The
// error is an *Error if both have a field, with different values.
func join(a, b statement) (Origin, error) {
	switch {
	case a.hasNodes && b.hasNodes && a.Client.Addr() != b.Client.Addr():
		return Origin{}, contradicts(forField)
	case a.Proto != "" && b.Proto != "" && a.Proto != b.Proto:
		return Origin{}, contradicts(proto)
	case a.Host != "" && b.Host != "" && !strings.EqualFold(a.Host, b.Host):
		return Origin{}, contradicts(host)
	}
	if !a.Client.IsValid() {
		a.Client = b.Client
	}
	if a.Proto == "" {
		a.Proto = b.Proto
	}
	if a.Host == "" {
		a.Host = b.Host
	}
	return a.Origin, nil
}

// contradicts returns the error for a Forwarded whose value differs from the value of field.
func contradicts(field string) error { return &Error{standard, "it contradicts " + field} }

// readExtensions returns the statement of the X-Forwarded fields of h. Without these fields it is the zero statement.
// The error is an *Error.
func (p Proxies) readExtensions(h map[string][]string) (s statement, err error) {
	nodes := list(h[forField])
	s.hasNodes = len(nodes) > 0
	if _, s.Client, err = p.client(nodes); err != nil {
		return s, &Error{forField, err.Error()}
	}
	if s.Proto, err = readProto(last(list(h[proto]))); err != nil {
		return s, &Error{proto, err.Error()}
	}
	if s.Host, err = readHost(last(list(h[host]))); err != nil {
		return s, &Error{host, err.Error()}
	}
	return s, nil
}

// readStandard returns the statement of the values of Forwarded. Proto and Host are from the element that names the
// client, because the proxy that got the client's request wrote it. Without elements the result is the zero statement.
// The error is an *Error.
func (p Proxies) readStandard(fields []string) (s statement, err error) {
	elements, err := parse(strings.Join(fields, ","))
	if err != nil {
		return s, &Error{standard, err.Error()}
	}
	if len(elements) == 0 {
		return s, nil
	}
	nodes := make([]string, len(elements))
	for i, e := range elements {
		nodes[i] = e.client
	}
	s.hasNodes = true
	var i int
	if i, s.Client, err = p.client(nodes); err == nil {
		s.Proto, err = readProto(elements[i].proto)
	}
	if err == nil {
		s.Host, err = readHost(elements[i].host)
	}
	if err != nil {
		return s, &Error{standard, err.Error()}
	}
	return s, nil
}

// client returns the client that a request came from: the last address of nodes that is not trusted or, if all are
// trusted, the first. Each proxy has added a node at the end. If client meets a hidden node first, it returns the
// address after that node, which is zero if the last node is hidden. index is the index of the node at which it
// stopped. The error says that a node is malformed.
func (p Proxies) client(nodes []string) (index int, client netip.AddrPort, err error) {
	for i, text := range slices.Backward(nodes) {
		at, isHidden, err := parseNode(text)
		if err != nil || isHidden {
			return i, client, err
		}
		index, client = i, at
		if !p.Contains(at.Addr()) {
			break
		}
	}
	return index, client, nil
}

// list splits the values of a field at commas, and leaves empty elements out (RFC 9110 §5.6.1.2).
func list(fields []string) []string {
	var all []string
	for _, field := range fields {
		for one := range strings.SplitSeq(field, ",") {
			if one = strings.Trim(one, " \t"); one != "" {
				all = append(all, one)
			}
		}
	}
	return all
}

// last returns the last of texts, which the peer itself wrote, or "" if texts is empty.
func last(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// parseNode parses the address of a node and its port, which is 0 if it is missing. isHidden is true for "", "unknown"
// and an obfuscated name (RFC 7239 §6), which have no address.
func parseNode(text string) (at netip.AddrPort, isHidden bool, err error) {
	name, _, _ := strings.Cut(text, ":")
	if text == "" || strings.EqualFold(name, "unknown") || strings.HasPrefix(name, "_") {
		return netip.AddrPort{}, true, nil
	}
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return netip.AddrPortFrom(addr.Unmap().WithZone(""), 0), false, nil
	}
	if at, err = netip.ParseAddrPort(text); err == nil {
		return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port()), false, nil
	}
	if i := strings.LastIndex(text, ":_"); i > 0 { // an obfuscated port
		return parseNode(text[:i])
	}
	return netip.AddrPort{}, false, errors.New("not an address")
}

// readProto returns "http" or "https" for a scheme in any case, also for ws and wss, because some proxies name the
// scheme of a WebSocket. It returns "" for "", and an error for another scheme.
func readProto(text string) (string, error) {
	switch strings.ToLower(text) {
	case "":
		return "", nil
	case "http", "ws":
		return "http", nil
	case "https", "wss":
		return "https", nil
	}
	return "", errors.New("neither http nor https")
}

// readHost returns text unchanged if it can be the value of a Host field, even "". Otherwise it returns an error.
func readHost(text string) (string, error) {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"/\<>@?#`, c) >= 0 {
			return "", errors.New("not a host")
		}
	}
	return text, nil
}
