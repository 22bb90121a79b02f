package scheme

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"locus/internal/ascii"
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

// wantScheme refuses a URL of another scheme than those named, if any are.
func wantScheme(u url.URL, names ...string) error {
	if len(names) == 0 || slices.Contains(names, u.Scheme()) {
		return nil
	}
	return fail(u, 0, "RFC 1738 §2.1", "the scheme "+strconv.Quote(names[0]))
}

// hostPort returns the host of u, which must have one, and its port. Like the next
// functions it refuses a URL of another scheme than those named.
func hostPort(u url.URL, rule string, schemes ...string) (Host, error) {
	if err := wantScheme(u, schemes...); err != nil {
		return Host{}, err
	}
	host, ok := u.Host()
	if !ok {
		return Host{}, noSlashes(u, rule, "a host")
	}
	if host == "" {
		return Host{}, fail(u, start(u, url.Host), rule, "a host")
	}
	port, err := portOf(u, rule)
	return Host{Name: hostName(host), Port: port}, err
}

// noSlashes fails where "//" is wanted: at the second slash if one is there.
func noSlashes(u url.URL, rule, after string) error {
	if strings.HasPrefix(u.Path(), "/") {
		return pathFail(u, 1, rule, `a second "/", and then `+after)
	}
	return pathFail(u, 0, rule, `"//" and then `+after)
}

// plainHost is hostPort for schemes whose URLs have no user.
func plainHost(u url.URL, rule string, schemes ...string) (Host, error) {
	if err := wantScheme(u, schemes...); err != nil {
		return Host{}, err
	}
	if err := noUser(u, true, rule); err != nil {
		return Host{}, err
	}
	return hostPort(u, rule)
}

// noUser refuses a user: at the first byte with which what stands before the
// "@" is no host and, if the scheme has ports, no port, or else at the "@".
func noUser(u url.URL, ports bool, rule string) error {
	user, ok := u.User()
	if !ok {
		return nil
	}
	const want = `a host and a port: no user or password, and no "@", is allowed`
	at := start(u, url.User)
	if bad, ok := errors.AsType[*url.SyntaxError](judgeHost(u.Standard(), user)); ok {
		return fail(u, at+bad.Offset, rule, want)
	}
	at += len(user)
	if password, ok := u.Password(); ok && ports {
		at += len(":") + skip(password, isDigit)
	}
	return fail(u, at, rule, want)
}

// judgeHost holds a text to what a standard lets stand in a host. The error is
// a *url.SyntaxError whose Offset is a place in host.
func judgeHost(std url.Standard, host string) error {
	const before = "ftp://"
	_, err := std.Parse(before + host)
	if bad, ok := errors.AsType[*url.SyntaxError](err); ok {
		bad.Offset -= len(before)
		return bad
	}
	return nil
}

// portOf returns the port of u; 0 if it names none.
func portOf(u url.URL, rule string) (uint16, error) {
	text, _ := u.Port()
	if text == "" {
		return 0, nil
	}
	port, ok := ascii.Port(text)
	if !ok || port == 0 {
		return 0, fail(u, start(u, url.Port), rule, "a port from 1 to 65535")
	}
	return port, nil
}

// noAuthority refuses a URL with "//" after its scheme: at the first slash, or
// at the second if what is wanted may start with one.
func noAuthority(u url.URL, mayStart bool, rule, want string, schemes ...string) error {
	if err := wantScheme(u, schemes...); err != nil {
		return err
	}
	if _, ok := u.Host(); !ok {
		return nil
	}
	at := len(u.Part(url.Scheme).Text) + len(":")
	if mayStart {
		at += len("/")
	}
	return fail(u, at, rule, want)
}

// hostName decodes a host. An IPvFuture literal keeps its brackets, without
// which it would be a name.
func hostName(host string) string {
	if host[0] == '[' && len(host) > 2 && host[1] != 'v' && host[1] != 'V' {
		host = host[1 : len(host)-1]
	}
	return ascii.Unescape(host)
}

// hostText writes a host: an address in brackets if it needs them, else a name.
func hostText(name string) string {
	if strings.IndexByte(name, ':') >= 0 {
		if literal := literalText(name); isHost(literal) {
			return literal
		}
	}
	if len(name) > 1 && name[0] == '[' && name[1]|0x20 == 'v' && isHost(name) {
		return name // an IPvFuture literal
	}
	return url.Escape(name, inHost)
}

func literalText(name string) string {
	var b builder
	b.WriteByte('[')
	address, zone, scoped := strings.Cut(name, "%")
	b.WriteString(address)
	if scoped {
		b.WriteString("%25")
		b.escape(zone, inHost)
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
		b.escape(user.Text, inUser)
		if password.Present {
			b.WriteByte(':')
			b.escape(password.Text, inUser)
		}
		b.WriteByte('@')
	}
	b.WriteString(hostText(h.Name))
	if h.Port != 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(int(h.Port)))
	}
}

// server writes "//", a host without a login, and "/".
func (b *builder) server(h Host) {
	b.authority(h, url.Part{}, url.Part{})
	b.WriteByte('/')
}

// scheme writes the scheme, or else its default, and ":".
func (b *builder) scheme(name, otherwise string) {
	if name == "" {
		name = otherwise
	}
	b.Grow(usual)
	b.WriteString(name)
	b.WriteByte(':')
}

func fail(u url.URL, offset int, rule, want string) error {
	return &url.SyntaxError{Text: u.String(), Offset: offset, Standard: u.Standard(), Rule: rule, Want: want}
}

// start returns where a part starts.
func start(u url.URL, n url.PartName) int {
	at, _, _ := u.Span(n)
	return at
}

// pathFail fails at byte n of the path and query.
func pathFail(u url.URL, n int, rule, want string) error {
	return fail(u, start(u, url.Path)+n, rule, want)
}
