package scheme

import (
	"strconv"
	"strings"

	"locus/url"
)

// A Host is where a service is. The zero Host is no host.
type Host struct {
	Name string // decoded, brackets off: "example.org", "::1", "fe80::1%eth0"
	Port uint16 // 0 if the URL names none
}

// Address returns the host and its port, or else defaultPort, as one dials it:
// "example.org:21", "[::1]:21".
func (h Host) Address(defaultPort uint16) string {
	port := h.Port
	if port == 0 {
		port = defaultPort
	}
	name := h.Name
	if strings.IndexByte(name, ':') >= 0 {
		name = "[" + name + "]"
	}
	return name + ":" + strconv.Itoa(int(port))
}

// hostPort returns the host of u, which must have one, and its port.
func hostPort(u url.URL, rule string) (Host, error) {
	host, ok := u.Host()
	if !ok {
		return Host{}, fail(u, partsOf(u).path, rule, `"//" and a host`)
	}
	if host == "" {
		return Host{}, fail(u, partsOf(u).host, rule, "a host")
	}
	port, err := portOf(u, rule)
	return Host{Name: hostName(host), Port: port}, err
}

// plainHost is hostPort for schemes whose URLs have no user.
func plainHost(u url.URL, rule string) (Host, error) {
	if _, ok := u.User(); ok {
		return Host{}, fail(u, partsOf(u).user, rule, `a host: no user or password, and no "@", is allowed`)
	}
	return hostPort(u, rule)
}

// portOf returns the port of u; 0 if it names none.
func portOf(u url.URL, rule string) (uint16, error) {
	text, _ := u.Port()
	if text == "" {
		return 0, nil
	}
	port, ok := u.PortNumber()
	if !ok || port == 0 {
		return 0, fail(u, partsOf(u).port, rule, "a port from 1 to 65535")
	}
	return port, nil
}

// noAuthority refuses a URL with "//" after its scheme.
func noAuthority(u url.URL, rule, want string) error {
	if _, ok := u.Authority(); ok {
		return fail(u, partsOf(u).authority, rule, want)
	}
	return nil
}

// hostName decodes a host. An IPvFuture literal keeps its brackets, without
// which it would be a name.
func hostName(host string) string {
	if host[0] == '[' && len(host) > 2 && host[1] != 'v' && host[1] != 'V' {
		host = host[1 : len(host)-1]
	}
	return unescape(host)
}

// hostText writes a host: an address in brackets if it needs them, else a name.
func hostText(name string) string {
	if strings.IndexByte(name, ':') >= 0 {
		if literal := literalText(name); isHost(literal) {
			return literal
		}
	}
	if strings.HasPrefix(name, "[") && isHost(name) {
		return name
	}
	var b builder
	b.escape(name, &inHost)
	return b.String()
}

func literalText(name string) string {
	var b builder
	b.WriteByte('[')
	address, zone, scoped := strings.Cut(name, "%")
	b.WriteString(address)
	if scoped {
		b.WriteString("%25")
		b.escape(zone, &inUser)
	}
	b.WriteByte(']')
	return b.String()
}

// isHost reports whether text is a host as it stands, and nothing but a host.
func isHost(text string) bool {
	u, err := url.Parse("x://" + text)
	host, _ := u.Host()
	return err == nil && host == text
}

// authority writes "//" and what follows up to the path.
func (b *builder) authority(h Host, user, password url.Part) {
	b.WriteString("//")
	if user.Present || password.Present {
		b.escape(user.Text, &inUser)
		if password.Present {
			b.WriteByte(':')
			b.escape(password.Text, &inUser)
		}
		b.WriteByte('@')
	}
	b.host(h)
}

func (b *builder) host(h Host) {
	b.WriteString(hostText(h.Name))
	if h.Port != 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(int(h.Port)))
	}
}

// scheme writes the scheme, or else its default, and ":".
func (b *builder) scheme(name, otherwise string) {
	if name == "" {
		name = otherwise
	}
	b.WriteString(name)
	b.WriteByte(':')
}

// places are where the parts of a URL start in its text.
type places struct{ authority, user, password, host, port, path, end int }

func partsOf(u url.URL) (p places) {
	p.end = len(u.String())
	if fragment, ok := u.Fragment(); ok {
		p.end -= len(fragment) + 1
	}
	p.path = p.end - len(u.PathAndQuery())
	p.authority, p.user, p.host, p.port = p.path, p.path, p.path, p.path
	if authority, ok := u.Authority(); ok {
		p.user = p.path - len(authority)
		p.authority = p.user - 2
	}
	if port, ok := u.Port(); ok {
		p.port = p.path - len(port)
		p.host = p.port - 1
	}
	host, _ := u.Host()
	p.host -= len(host)
	if password, ok := u.Password(); ok {
		p.password = p.host - 1 - len(password)
	}
	return p
}

func fail(u url.URL, offset int, rule, want string) error {
	return &url.SyntaxError{Text: u.String(), Offset: offset, Standard: u.Standard(), Rule: rule, Want: want}
}

// pathFail fails at octet n of the path and query.
func pathFail(u url.URL, n int, rule, want string) error {
	return fail(u, partsOf(u).path+n, rule, want)
}
