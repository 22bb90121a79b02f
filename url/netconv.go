package url

import (
	"errors"
	"fmt"
	"net/netip"
	neturl "net/url"
	"strings"
)

// Addr returns the IP address that the host is, its zone decoded. It returns
// false if the host is a name, or there is none. It allocates only for a zone.
func (u URL) Addr() (netip.Addr, bool) {
	host, _ := u.Host()
	if strings.HasPrefix(host, "[") {
		if !strings.HasSuffix(host, "]") {
			return netip.Addr{}, false
		}
		host = host[1 : len(host)-1]
	}
	host, zone, scoped := strings.Cut(host, "%25")
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return netip.Addr{}, false
	}
	if !scoped {
		return addr, true
	}
	if zone, err = Unescape(zone); err != nil || !addr.Is6() {
		return netip.Addr{}, false
	}
	return addr.WithZone(zone), true
}

// Net returns u as net/url has it, and the names of the parts that net/url
// would not write back as they are: an escape that need not be one, an empty
// fragment, a scheme in capitals. The error says why net/url does not read u
// at all; it shows no password.
func (u URL) Net() (n *neturl.URL, lost []PartName, err error) {
	n, err = neturl.Parse(u.text)
	if err != nil {
		return nil, nil, fmt.Errorf("convert %s to net/url: %s", u.Redacted(), objection(err))
	}
	back := Split(n.String())
	for name := range PartName(partCount) {
		if u.Part(name) != back.Part(name) {
			lost = append(lost, name)
		}
	}
	return n, lost, nil
}

// objection returns what net/url objects to without what it quotes, which may
// be a password.
func objection(err error) string {
	if e, ok := errors.AsType[*neturl.Error](err); ok {
		err = e.Err
	}
	what, _, _ := strings.Cut(err.Error(), `"`)
	return strings.TrimSpace(strings.TrimPrefix(what, "net/url: "))
}

// FromNet returns the RFC 3986 URL that n stands for, and the names of n's
// fields that it does not keep because they contradict others: a RawPath that
// is no encoding of Path, an Opaque beside a Host. The error is a
// [*SyntaxError] in n.String(), or says that net/url does not read that text.
func FromNet(n *neturl.URL) (u URL, lost []string, err error) {
	text := n.String()
	if u, err = Parse(text); err != nil {
		return URL{}, nil, err
	}
	back, err := neturl.Parse(text)
	if err != nil {
		return URL{}, nil, errors.New("convert from net/url: it does not read back what it wrote")
	}
	for _, field := range []struct {
		name string
		same bool
	}{
		{"Scheme", strings.EqualFold(n.Scheme, back.Scheme)},
		{"Opaque", n.Opaque == back.Opaque},
		{"User", n.User.String() == back.User.String() && (n.User == nil) == (back.User == nil)},
		{"Host", n.Host == back.Host},
		{"Path", n.Path == back.Path},
		{"RawPath", n.RawPath == "" || n.EscapedPath() == n.RawPath},
		{"RawQuery", n.RawQuery == back.RawQuery && (n.ForceQuery || n.RawQuery != "") == (back.ForceQuery || back.RawQuery != "")},
		{"Fragment", n.Fragment == back.Fragment},
		{"RawFragment", n.RawFragment == "" || n.EscapedFragment() == n.RawFragment},
	} {
		if !field.same {
			lost = append(lost, field.name)
		}
	}
	return u, lost, nil
}
