package main

import (
	"net"
	"net/netip"
	"os"
	"strings"

	"locus/internal/facts"
	"locus/url"

	"github.com/urfave/cli/v3"
)

// proxies chooses the proxy of each URL.
type proxies struct {
	getenv func(string) string
	flag   string // --proxy, which overrides the environment
	none   bool   // --no-proxy
}

// proxiesOf returns the proxies that the flags of c and the environment name.
func proxiesOf(c *cli.Command) proxies {
	return proxies{getenv: os.Getenv, flag: c.String("proxy"), none: c.Bool("no-proxy")}
}

// of returns the proxy for a scheme; the zero URL if there is none.
func (p proxies) of(scheme string) (url.URL, error) {
	text := p.named(scheme)
	if text == "" || p.none {
		return url.URL{}, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if host, _ := u.Host(); err != nil || host == "" {
		return url.URL{}, misuse("%s is no URL such as socks5://host:port", p.place(scheme))
	}
	switch u.Scheme() {
	case "http", "socks5", "socks5h":
		return u, nil
	}
	return url.URL{}, misuse("a proxy URL has the scheme http, socks5 or socks5h, not %s", u.Scheme())
}

// place returns where the proxy for a scheme was set, for errors.
func (p proxies) place(scheme string) string {
	if p.flag != "" {
		return "--proxy"
	}
	return "the proxy for " + scheme
}

// named returns the value of the flag or the environment for a scheme. It ignores
// HTTP_PROXY if a web server may have set it from a request.
func (p proxies) named(scheme string) string {
	if p.flag != "" {
		return p.flag
	}
	for _, name := range []string{scheme + "_proxy", strings.ToUpper(scheme) + "_PROXY", "all_proxy", "ALL_PROXY"} {
		if name == "HTTP_PROXY" && p.getenv("REQUEST_METHOD") != "" {
			continue
		}
		if text := p.getenv(name); text != "" {
			return text
		}
	}
	return ""
}

// skips reports whether no_proxy contains a host, a domain of it, or a network, perhaps
// with a port. "*" is all hosts.
func (p proxies) skips(host, port string) bool {
	list := p.getenv("no_proxy")
	if list == "" {
		list = p.getenv("NO_PROXY")
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, entry := range strings.FieldsFunc(strings.ToLower(list), func(r rune) bool { return r == ',' || r == ' ' }) {
		if h, only, err := net.SplitHostPort(entry); err == nil {
			if only != port {
				continue
			}
			entry = h
		}
		if entry == "*" || within(host, strings.Trim(entry, "[]")) {
			return true
		}
	}
	return false
}

// within reports whether a host is entry, or in the domain or network entry.
func within(host, entry string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		if network, err := netip.ParsePrefix(entry); err == nil {
			return network.Contains(addr.Unmap())
		}
		other, err := netip.ParseAddr(entry)
		return err == nil && other == addr
	}
	domain := strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}

// skipsURL reports whether no_proxy contains the host of u.
func (p proxies) skipsURL(u url.URL) bool {
	port, _ := u.Port()
	return p.skips(hostOf(u), port)
}

// chooser returns a function that returns the proxy for a URL; nil if there are no
// proxies. Schemes with a gateway use that instead.
func (p proxies) chooser(gateways []schemeGateway) (func(url.URL) (url.URL, bool), error) {
	chosen := make(map[string]url.URL)
	for s := range facts.All() {
		at, err := p.of(proxyName(s.Name))
		if err != nil {
			return nil, err
		}
		if !at.IsZero() {
			chosen[s.Name] = at
		}
	}
	for _, g := range gateways {
		delete(chosen, g.scheme)
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	return func(u url.URL) (url.URL, bool) {
		at, ok := chosen[u.Scheme()]
		return at, ok && !p.skipsURL(u)
	}, nil
}

// proxyName returns the scheme whose proxy is used for URLs of scheme. Received mail is
// fetched by imap.
func proxyName(scheme string) string {
	if scheme == "mid" || scheme == "cid" {
		return "imap"
	}
	return scheme
}

// hostOf returns the host of u without brackets; "" if it has none.
func hostOf(u url.URL) string {
	host, _ := u.Host()
	return strings.Trim(host, "[]")
}

// addressOf returns the host of at and its port, or port if it names none.
func addressOf(at url.URL, port string) string {
	if p, ok := at.Port(); ok && p != "" {
		port = p
	}
	return net.JoinHostPort(hostOf(at), port)
}
