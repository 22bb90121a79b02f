package locus

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Proxies chooses the proxy of each URL, as curl does. The zero Proxies uses no proxy. With
// Getenv set to os.Getenv it obeys the usual variables:
//
//   - ftp_proxy and FTP_PROXY are the proxy for URLs of a scheme. For x-foo they are x-foo_proxy
//     and x_foo_proxy, because a shell cannot set a variable with a hyphen.
//   - all_proxy and ALL_PROXY are the proxy for all others.
//   - no_proxy and NO_PROXY list the hosts that are reached without a proxy.
//
// It ignores HTTP_PROXY if REQUEST_METHOD is set, because a web server may have set it from
// the header Proxy of a request. Received mail (mid, cid) has the proxy of imap.
type Proxies struct {
	// Getenv returns the value of a variable; "" if it is not set. A nil Getenv stands for
	// an empty environment.
	Getenv func(name string) string

	// URL is the proxy for all schemes, such as socks5://host:port; "": Getenv
	// decides.
	URL string

	// Schemes are schemes beside the ones of this module for which [Proxies.ProxyFunc] reads
	// a variable of their own, such as x_foo_proxy; it may be nil.
	Schemes []string
}

// ProxyFunc returns a function for [Client.Proxy], which returns the proxy for a URL. It
// returns nil if no scheme has a proxy. The schemes in except are reached without a proxy.
// If a proxy is invalid, it returns the error of For.
func (p Proxies) ProxyFunc(except ...string) (func(u url.URL) (proxy url.URL, ok bool), error) {
	chosen := make(map[string]url.URL) // by the scheme; the zero URL for a scheme without a proxy
	others, err := p.For("")           // of the schemes that chosen does not have
	if err != nil {
		return nil, err
	}
	hasProxy := !others.IsZero()
	names := slices.Clone(p.Schemes)
	for s := range facts.All() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		at, err := p.For(name)
		if err != nil {
			return nil, err
		}
		hasProxy = hasProxy || !at.IsZero()
		chosen[name] = at
	}
	for _, name := range except {
		chosen[name] = url.URL{}
	}
	if !hasProxy {
		return nil, nil
	}
	return func(u url.URL) (url.URL, bool) {
		at, ok := chosen[u.Scheme()]
		if !ok {
			at = others
		}
		return at, !at.IsZero() && !p.SkipsURL(u)
	}, nil
}

// For returns the proxy for a scheme, whatever the host; the zero URL if the scheme has no proxy. For "" it returns the
// proxy for schemes without a variable of their own. The error names the variable with an invalid proxy, but not its
// value, which may have a password.
func (p Proxies) For(scheme string) (url.URL, error) {
	name, text := p.lookup(scheme)
	if text == "" {
		return url.URL{}, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if host, _ := u.Host(); err != nil || host == "" {
		return url.URL{}, fmt.Errorf("%s is not a URL such as socks5://host:port", name)
	}
	switch u.Scheme() {
	case "http", "socks5", "socks5h":
		return u, nil
	}
	return url.URL{}, fmt.Errorf("%s has the scheme %q, want http, socks5 or socks5h", name, u.Scheme())
}

// lookup returns the proxy for a scheme as it was written, and the name of the variable that has it, or "the proxy" for
// p.URL. Both are "" if there is no proxy.
func (p Proxies) lookup(scheme string) (name, text string) {
	switch {
	case p.URL != "":
		return "the proxy", p.URL
	case p.Getenv == nil:
		return "", ""
	case scheme == "mid" || scheme == "cid":
		scheme = "imap"
	}
	names := []string{"all_proxy", "ALL_PROXY"}
	if scheme != "" {
		for _, word := range []string{asVariable.Replace(scheme), scheme} {
			names = slices.Insert(names, 0, word+"_proxy", strings.ToUpper(word)+"_PROXY")
		}
	}
	for _, name := range names {
		if name == "HTTP_PROXY" && p.Getenv("REQUEST_METHOD") != "" {
			continue
		}
		if text := p.Getenv(name); text != "" {
			return name, text
		}
	}
	return "", ""
}

// asVariable replaces the characters of a scheme's name that the name of a variable cannot have.
var asVariable = strings.NewReplacer("+", "_", "-", "_", ".", "_")

// SkipsURL reports whether no_proxy has the host of u, so that u is opened without a proxy. A URL without a port has
// the default port of its scheme.
func (p Proxies) SkipsURL(u url.URL) bool {
	host, _ := u.Host()
	port, _ := u.Port()
	return p.Skips(strings.Trim(host, "[]"), cmp.Or(port, strconv.Itoa(int(facts.Of(u.Scheme()).Port))))
}

// Skips reports whether an entry of no_proxy matches a host and a port. An entry is a host, a domain or a network that
// contains the host, or "*" for all hosts. An entry with a port matches only that port.
func (p Proxies) Skips(host, port string) bool {
	if p.Getenv == nil {
		return false
	}
	list := p.Getenv("no_proxy")
	if list == "" {
		list = p.Getenv("NO_PROXY")
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, entry := range strings.FieldsFunc(strings.ToLower(list), func(r rune) bool { return r == ',' || r == ' ' }) {
		if h, only, err := net.SplitHostPort(entry); err == nil {
			if only != port {
				continue
			}
			entry = h
		}
		if entry == "*" || isWithin(host, strings.Trim(entry, "[]")) {
			return true
		}
	}
	return false
}

// isWithin reports whether entry is host, a domain that contains host, or a network that contains host, which then is
// an IP address. A domain may begin with "." or "*.".
func isWithin(host, entry string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		if network, err := netip.ParsePrefix(entry); err == nil {
			return network.Contains(addr.Unmap())
		}
		other, err := netip.ParseAddr(entry)
		return err == nil && other == addr
	}
	domain := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(entry, "*"), "."), ".")
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}
