// Package rlogin opens rlogin URLs (RFC 1630): interactive sessions over the
// protocol of BSD (RFC 1282).
//
//	client  NUL "local user" NUL "user" NUL "xterm/38400" NUL
//	server  NUL, then everything is data
//	server  80, urgent: tell the size of the window, now and when it changes
//	client  FF FF "s" "s" rows columns width height, of 16 bits each
//
// A server believes the local user's name only if the connection comes from a
// port below 1024, which most systems keep for their administrator; from
// another port it closes without a word. So the dialler is asked to take one:
// see [Client.DialLow].
//
// The user of the URL is sent, since the protocol asks for it; without one it is
// the local user, as RFC 1282 has it. A password is never sent: it is advice for
// the user, who may be asked for it.
//
// Notable divergences:
//   - RFC 1282 "Window Size": the request comes as urgent data, which package net
//     cannot receive. On Unix, if Dial gives a *net.TCPConn, they are taken inline
//     (SO_OOBINLINE) and told by the urgent mark; an octet 80 that is no part of a
//     character of UTF-8 is taken for a request as well, since of two requests at
//     once only one has a mark. Elsewhere nothing is known of a request, and the
//     server is not told the size: it would take it for something typed.
//   - RFC 1282 "Flow Control": the server's 02 (discard), 10 (raw) and 20 (cooked)
//     are taken out of the data, and nothing is done: what is read is shown
//     already, and ^S and ^Q are always the server's.
package rlogin

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"time"

	"locus/access"
	"locus/proto/internal/screen"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens rlogin URLs; it is an [access.Engine]. What it opens has a
// Session, and its Sys is an [access.LoginAdvice]. It may be used by several
// goroutines at once.
type Client struct {
	// Dial connects, from any local port; nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// DialLow connects from a local port from 512 to 1023. If it is nil, or
	// fails with fs.ErrPermission, Dial is used: some servers do not mind.
	DialLow func(ctx context.Context, network, address string) (net.Conn, error)

	// LocalUser is who the user is on this machine. "" is the user of the URL.
	LocalUser string

	// TLS is not used: rlogin has none.
	TLS *tls.Config

	// Security RequireTLS refuses every access, as rlogin has no TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing. 0 is a minute until
	// it has taken the user, and no limit for the session then.
	Idle time.Duration

	// Terminal is the name of the terminal on which the session is shown, such
	// as "xterm". "" is "vt100".
	Terminal string
}

// defaultPort is that of RFC 1282.
const defaultPort = 513

// get connects, says who is there, and waits for the server to take that. The
// session ends with io.EOF when the server closes the connection, as the
// protocol knows no other end. An Offset is not supported.
//
// A server that closes the connection without a word is taken to want a low
// port, if it did not get one: the error wraps fs.ErrPermission.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := c.open(ctx, req)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	return r, nil
}

// Do opens sessions. Every Op but Get is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return access.GetFunc(c.get).Do(ctx, req)
}

func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	view, hello, err := c.hello(req.URL)
	if err != nil {
		return nil, err
	}
	if req.Offset > 0 {
		return nil, access.Reason("a session has no offsets", errors.ErrUnsupported)
	}
	s, err := c.connect(ctx, req.URL, view.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	if err := s.begin(hello); err != nil {
		s.Close()
		return nil, err
	}
	s.conn.SetIdle(c.Idle)
	advice := access.LoginAdvice{User: view.User, Password: view.Password}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Sys: advice}, Body: s, Session: s}, nil
}

// hello returns what the client says first. What cannot be sent, or would end
// one of its texts, is an error.
func (c Client) hello(u url.URL) (view scheme.Rlogin, hello string, err error) {
	if u.Scheme() != "rlogin" {
		return view, "", access.ErrNoScheme
	}
	if view, err = scheme.ParseRlogin(u); err != nil {
		return view, "", err
	}
	user := cmp.Or(view.User.Text, c.LocalUser)
	local := cmp.Or(c.LocalUser, user)
	terminal := cmp.Or(c.Terminal, "vt100")
	for _, part := range []struct{ what, text string }{
		{"host name", view.Name},
		{"user name", user},
		{"password", view.Password.Text},
		{"local user name", local},
		{"terminal name", terminal},
	} {
		if err := wire.CheckArgument(part.what, part.text, ""); err != nil {
			return view, "", err
		}
	}
	if user == "" {
		return view, "", errNoUser
	}
	return view, "\x00" + local + "\x00" + user + "\x00" + terminal + "/38400\x00", nil
}

// connect dials, from a low port if it can.
func (c Client) connect(ctx context.Context, u url.URL, address string) (*session, error) {
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	s := &session{url: u, columns: 80, rows: 24, screen: screen.New(80, 24)}
	d := wire.Dialer{TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	d.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		s.low = low(conn)
		s.wire = newWire(conn)
		return s.wire, nil
	}
	conn, err := d.DialPlain(ctx, address)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	return s, nil
}

func (c Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.DialLow != nil {
		conn, err := c.DialLow(ctx, network, address)
		if !errors.Is(err, fs.ErrPermission) {
			return conn, err
		}
	}
	return c.Dial(ctx, network, address)
}

// low reports whether a connection comes from a port that a server believes.
func low(conn net.Conn) bool {
	tcp, ok := conn.LocalAddr().(*net.TCPAddr)
	return ok && tcp.Port < 1024
}
