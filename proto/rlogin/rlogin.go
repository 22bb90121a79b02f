// Package rlogin opens rlogin URLs (RFC 1630): interactive sessions over the protocol of BSD
// (RFC 1282).
//
//	client  NUL "local user" NUL "user" NUL "xterm/38400" NUL
//	server  NUL, then everything is data
//	server  80, urgent: send the window size now and when it changes
//	client  FF FF "s" "s" rows columns width height, 16 bits each
//
// A server trusts the local user's name only if the client's port is below 1024, which most
// systems reserve for the administrator. If the port is higher, the server closes the
// connection. So the client needs [Client.DialLow].
//
// The client sends the user of the URL, or the local user if the URL lacks one (RFC 1282). It
// never sends a password. The password is shown to the user, whom the server may ask for it.
//
// Notable divergences:
//   - RFC 1282 "Window Size": the request is urgent data, which package net cannot receive. On
//     Unix, if Dial returns a *net.TCPConn, the client receives it inline (SO_OOBINLINE) and
//     detects it by the urgent mark. Because only one of two simultaneous requests has a mark,
//     a byte 80 outside a UTF-8 character is a request, too. Elsewhere urgent data is lost, and
//     the size is not sent, because the server would take an unrequested size for typed text.
//   - RFC 1282 "Flow Control": the server's 02 (discard), 10 (raw) and 20 (cooked) are removed
//     from the data and ignored, because the data before them has been shown, and ^S and ^Q
//     always go to the server.
package rlogin

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/screen"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens rlogin URLs. It is an [access.Engine]. Several goroutines may use
// it at once.
type Client struct {
	// Dial opens a connection from any local port. If nil, every request fails.
	Dial proto.Dial

	// DialLow opens a connection from a local port between 512 and 1023. If it is
	// nil or fails with fs.ErrPermission, Dial is used. Some servers accept that.
	DialLow proto.Dial

	// LocalUser is the name of the user on this machine. "" means the user of the URL.
	LocalUser string

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute
	// until the server has accepted the user, and no limit after that; negative: no limit at
	// all.
	Idle time.Duration

	// Terminal is the terminal type to send, such as "xterm". "" means "vt100".
	Terminal string
}

// defaultPort is the port of RFC 1282.
const defaultPort = 513

// Do executes Get. Any other Op returns errors.ErrUnsupported, and so does an
// Offset. Do connects, sends the user names, and waits until the server accepts
// them. The Resource has a Session, and its Login is the login in the URL. Read
// returns io.EOF when the server closes the connection.
//
// If the server closes the connection at once and the local port is above 1023,
// the error wraps fs.ErrPermission.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return engine.For(req).Result(access.GetFunc(c.open).Do(ctx, req))
}

// open connects to the server of the URL, sends the user names, and waits until the server
// accepts them. The Resource has a Session, which owns the connection.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	view, hello, err := c.hello(req.URL)
	if err != nil {
		return nil, err
	}
	if req.Offset > 0 {
		return nil, engine.Reason("a session has no offsets", errors.ErrUnsupported)
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
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: s, Session: s, Login: advice}, nil
}

// hello returns the view of u and the first message of the client: the user names and the
// terminal type. It returns an error if a name contains NUL, CR or LF. The error is errNoUser
// if neither u nor the Client has a user.
func (c Client) hello(u url.URL) (view scheme.Telnet, hello string, err error) {
	if u.Scheme() != "rlogin" {
		return view, "", access.ErrNoScheme
	}
	if view, err = scheme.ParseTelnet(u); err != nil {
		return view, "", err
	}
	user := cmp.Or(view.User.Text, c.LocalUser)
	local := cmp.Or(c.LocalUser, user)
	terminal := cmp.Or(c.Terminal, "vt100")
	for _, part := range []struct{ name, text string }{
		{"host name", view.Name},
		{"user name", user},
		{"password", view.Password.Text},
		{"local user name", local},
		{"terminal name", terminal},
	} {
		if err := wire.CheckArgument(part.name, part.text, ""); err != nil {
			return view, "", err
		}
	}
	if user == "" {
		return view, "", access.WithRemedy(errNoUser, access.Advice("add the user to the URL, as in rlogin://user@host"))
	}
	return view, "\x00" + local + "\x00" + user + "\x00" + terminal + "/38400\x00", nil
}

// connect connects to address, from a port below 1024 if possible, and returns the session of
// u. No bytes have been sent or received. The caller closes the session.
func (c Client) connect(ctx context.Context, u url.URL, address string) (*session, error) {
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	s := &session{url: u, Shared: screen.NewShared()}
	d := wire.Dialer{Security: c.Security, Idle: c.Idle}
	d.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		s.hasLowPort = hasLowPort(conn)
		s.wire = newUrgentConn(conn)
		return s.wire, nil
	}
	conn, err := d.DialPlain(ctx, address)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	return s, nil
}

// dial connects with DialLow, because rlogin servers expect a port below 1024. If DialLow is
// nil or fails with fs.ErrPermission, dial connects with Dial.
func (c Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.DialLow != nil {
		conn, err := c.DialLow(ctx, network, address)
		if !errors.Is(err, fs.ErrPermission) {
			return conn, err
		}
	}
	return c.Dial(ctx, network, address)
}

// hasLowPort reports whether the local port of a connection is below 1024.
func hasLowPort(conn net.Conn) bool {
	tcp, ok := conn.LocalAddr().(*net.TCPAddr)
	return ok && tcp.Port < 1024
}
