package scheme

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// A Host is the host and port of a service. The zero Host means that there is no host.
type Host struct {
	Name string // decoded, without brackets: "example.org", "::1", "fe80::1%eth0"
	Port uint16 // 0 if the URL does not name one
}

// Address returns the address to dial: the host and its port, or defaultPort if Port is 0. Examples are
// "example.org:21" and "[::1]:21".
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

// wantScheme returns an error if the scheme of u is not one of names. The error wants the first name. Without names
// wantScheme accepts every scheme.
func wantScheme(u url.URL, names ...string) error {
	if len(names) == 0 || slices.Contains(names, u.Scheme()) {
		return nil
	}
	return fail(u, 0, "RFC 1738 §2.1", "the scheme "+strconv.Quote(names[0]))
}

// hostPort returns the host and the port of u. It returns an error if the scheme of u is not one of schemes, if u lacks
// a host, or if the port is not valid. A user and a password are allowed, and are not part of the result. Errors cite
// rule. Without schemes, every scheme is allowed.
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

// noSlashes returns the error for a URL that lacks "//". The error is at the second slash if u has only one.
// It cites rule, and wants "//" and then after.
func noSlashes(u url.URL, rule, after string) error {
	if strings.HasPrefix(u.Path(), "/") {
		return pathFail(u, 1, rule, `a second "/", and then `+after)
	}
	return pathFail(u, 0, rule, `"//" and then `+after)
}

// plainHost returns the host and the port of u. It returns an error if the scheme of u is not one of schemes, if u has
// a user or lacks a host, or if the port is not valid. Errors cite rule. Without schemes, every scheme is allowed.
func plainHost(u url.URL, rule string, schemes ...string) (Host, error) {
	if err := wantScheme(u, schemes...); err != nil {
		return Host{}, err
	}
	if err := refuseUser(u, true, rule); err != nil {
		return Host{}, err
	}
	return hostPort(u, rule)
}

// refuseUser returns an error if u has a user. refuseUser reads the text before the "@" as a host, and also as a port
// if ports is true. The error is at the first byte that cannot belong to them, or at the "@" if all bytes can.
func refuseUser(u url.URL, ports bool, rule string) error {
	user, ok := u.User()
	if !ok {
		return nil
	}
	const want = `a host and a port: no user or password, and no "@", is allowed`
	at := start(u, url.User)
	if bad, ok := errors.AsType[*url.SyntaxError](checkHost(u.Standard(), user)); ok {
		return fail(u, at+bad.Offset, rule, want)
	}
	at += len(user)
	if password, ok := u.Password(); ok && ports {
		at += len(":") + skip(password, isDigit)
	}
	return fail(u, at, rule, want)
}

// checkHost returns nil if host is valid by the standard. Otherwise the error is a *url.SyntaxError whose Offset is an
// offset in host.
func checkHost(std url.Standard, host string) error {
	const before = "ftp://"
	_, err := std.Parse(before + host)
	if bad, ok := errors.AsType[*url.SyntaxError](err); ok {
		bad.Offset -= len(before)
		return bad
	}
	return nil
}

// portOf returns the port of u, or 0 if the port is absent or empty. A port that is 0 or over 65535 is an error, which
// cites rule.
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

// refuseAuthority returns an error if u has "//" after its scheme, or if its scheme is not one of schemes. The error
// for "//" is at the first slash, or at the second if mayStart is true, because the wanted text may then start with a
// slash. It cites rule and wants want. Without schemes, every scheme is allowed.
func refuseAuthority(u url.URL, mayStart bool, rule, want string, schemes ...string) error {
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

// hostName decodes a host, which must not be empty, and removes its brackets. An IPvFuture literal keeps its brackets,
// because without them it would be a name.
func hostName(host string) string {
	if host[0] == '[' && len(host) > 2 && host[1] != 'v' && host[1] != 'V' {
		host = host[1 : len(host)-1]
	}
	return ascii.Unescape(host)
}

// hostText is the inverse of hostName. It puts brackets around an IPv6 address, and escapes the bytes of a name that
// must be escaped in a URL.
func hostText(name string) string {
	if strings.IndexByte(name, ':') >= 0 && name[0]|0x20 != 'v' { // brackets would make it an IPvFuture literal
		if literal := literalText(name); isHost(literal) {
			return literal
		}
	}
	if len(name) > 1 && name[0] == '[' && name[1]|0x20 == 'v' && isHost(name) {
		return name // an IPvFuture literal
	}
	return url.Escape(name, inHost)
}

// literalText puts brackets around name, an IPv6 address that may have a zone. It writes the "%" before the zone as
// "%25". It does not check the address.
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

// isHost reports whether RFC 3986 reads the whole text as a host.
func isHost(text string) bool {
	u, err := url.Parse("x://" + text)
	host, _ := u.Host()
	return err == nil && host == text
}

// authority writes "//", the login with an "@" if there is one, the host, and the port if h has one.
func (b *builder) authority(h Host, user, password url.Part) {
	b.authorityWith(h, user, password, func() {})
}

// authorityWith writes "//", the login, the text that params writes, the host, and the port if h has one. It writes the
// "@" before the host if there is a login, or if params writes something.
func (b *builder) authorityWith(h Host, user, password url.Part, params func()) {
	b.WriteString("//")
	before := b.Len()
	b.escape(user.Text, inUser)
	if password.Present {
		b.WriteByte(':')
		b.escape(password.Text, inUser)
	}
	params()
	if user.Present || b.Len() > before {
		b.WriteByte('@')
	}
	b.hostPort(h)
}

// hostPort writes the host, and the port if h has one.
func (b *builder) hostPort(h Host) {
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

// scheme writes name and ":". If name is "", it writes otherwise and ":".
func (b *builder) scheme(name, otherwise string) {
	if name == "" {
		name = otherwise
	}
	b.Grow(usual)
	b.WriteString(name)
	b.WriteByte(':')
}

// fail returns a [*url.SyntaxError] at an offset of the text of u. It cites rule and wants want.
func fail(u url.URL, offset int, rule, want string) error {
	return &url.SyntaxError{Text: u.String(), Offset: offset, Standard: u.Standard(), Rule: rule, Want: want}
}

// start returns the offset in u at which part n starts, or 0 if the part is absent.
func start(u url.URL, n url.PartName) int {
	at, _, _ := u.Span(n)
	return at
}

// pathFail returns a [*url.SyntaxError] at byte n of the path and query of u. It cites rule and wants want.
func pathFail(u url.URL, n int, rule, want string) error {
	return fail(u, start(u, url.Path)+n, rule, want)
}
