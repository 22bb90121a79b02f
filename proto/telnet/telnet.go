// Package telnet opens telnet URLs (RFC 1738 §3.8): interactive sessions over
// Telnet (RFC 854).
//
//	telnet://user:password@host:23/
//	         \___________/
//	         shown to the user; not sent, except as below
//
// Options are negotiated by the method of RFC 1143. The client accepts
// SUPPRESS-GO-AHEAD (RFC 858) and BINARY (RFC 856) for both sides, ECHO (RFC 857)
// for the server, and TERMINAL-TYPE (RFC 1091) and NAWS (RFC 1073) for itself. It
// answers TIMING-MARK (RFC 860). It starts no negotiation until the server has
// sent a Telnet command.
//
// Notable divergences:
//   - RFC 1572, NEW-ENVIRON, is refused unless [Client.SendUser] is true. Then the client
//     sends only the variable USER, when the server asks for it.
//   - RFC 1184, LINEMODE, and every other option is refused. Without ECHO the user edits
//     whole lines, as in RFC 854.
//   - RFC 854, line ends: Enter (CR) is sent as CR LF, the default of RFC 1123
//     §3.3.1, or as CR in BINARY. LF is sent unchanged.
//   - RFC 854: Go Ahead and the commands to the user's side are ignored.
package telnet

import (
	"context"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/scheme"
)

// A Client opens telnet URLs. It is an [access.Engine]. Several goroutines may use
// it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute
	// until the first text is read or typed, and no limit after that; negative: no limit at
	// all.
	Idle time.Duration

	// Terminal is the terminal type to send if the server asks, such as "xterm".
	// If it is empty or invalid, "VT100" is sent.
	Terminal string

	// SendUser makes the client send the user of the URL if the server asks for
	// the variable USER (RFC 1572).
	SendUser bool
}

// defaultPort is the port of RFC 854.
const defaultPort = 23

// Do executes Get. Any other Op returns errors.ErrUnsupported, and so does an
// Offset. The Resource has a Session, and its Login is the login in the URL.
// Options are negotiated while the Body is read. Read returns io.EOF when the
// server closes the connection.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return engine.For(req).Result(access.GetFunc(c.open).Do(ctx, req))
}

// open connects to the server of the URL, and returns a Resource whose Session
// owns the connection. It does not negotiate or wait for text. It refuses host
// names, user names and passwords with CR, LF or NUL, and an Offset.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.URL.Scheme() != "telnet" {
		return nil, access.ErrNoScheme
	}
	view, err := scheme.ParseTelnet(req.URL)
	if err != nil {
		return nil, err
	}
	// RFC 1738 §6: a URL with control characters must not be opened, even if these
	// parts are not sent.
	for _, part := range []struct{ name, text string }{
		{"host name", view.Name}, {"user name", view.User.Text}, {"password", view.Password.Text},
	} {
		if err := wire.CheckArgument(part.name, part.text, ""); err != nil {
			return nil, err
		}
	}
	if req.Offset > 0 {
		return nil, errOffset
	}
	d := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
	conn, err := d.DialPlain(ctx, view.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	s := newSession(c, conn, req.URL, view)
	advice := access.LoginAdvice{User: view.User, Password: view.Password}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: s, Session: s, Login: advice}, nil
}
