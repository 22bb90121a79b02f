// Package telnet opens telnet URLs (RFC 1738 §3.8): interactive sessions over
// Telnet (RFC 854).
//
//	telnet://user:password@host:23/
//	         \___________/
//	         advice for the user, never sent unasked
//
// Options are negotiated by the method of RFC 1143. The client agrees to
// SUPPRESS-GO-AHEAD (RFC 858) and BINARY (RFC 856) for both sides, to ECHO (RFC
// 857) for the server, and for itself to TERMINAL-TYPE (RFC 1091) and NAWS (RFC
// 1073), which follows Resize; TIMING-MARK (RFC 860) is answered. It begins no
// negotiation with a server that has not shown that it speaks Telnet.
//
// Notable divergences:
//   - RFC 1572, NEW-ENVIRON: refused, unless [Client.SendUser] is set; then the
//     one variable that is told is USER, when the server asks for it.
//   - RFC 1184, LINEMODE, and every other option: refused. Without ECHO lines are
//     edited where they are typed, as RFC 854 has it.
//   - RFC 854, the end of line: Enter (CR) is sent as CR LF, which RFC 1123
//     §3.3.1 has for the default, and as CR in BINARY. LF is sent as it is.
//   - RFC 854, Go Ahead and the commands to the user's side: read, and nothing
//     is done.
package telnet

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
)

// A Client opens telnet URLs; it is an [access.Engine]. What it opens has a
// Session, and its Sys is an [access.LoginAdvice]. It may be used by several
// goroutines at once.
type Client struct {
	// Dial connects; nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS is not used: Telnet has none.
	TLS *tls.Config

	// Security RequireTLS refuses every access, as Telnet has no TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing. 0 is a minute until
	// the first text is read or typed, and no limit for the session then.
	Idle time.Duration

	// Terminal is the name of the terminal on which the session is shown, such
	// as "xterm", for a server that asks. "", or one that cannot be sent, is
	// "VT100".
	Terminal string

	// SendUser lets a server that asks for the variable USER (RFC 1572) know
	// the user that the URL has. False tells it nothing.
	SendUser bool
}

// defaultPort is that of RFC 854.
const defaultPort = 23

// get connects. Whatever is negotiated is when the Body is read. An Offset is
// not supported. The session ends with io.EOF when the server closes the
// connection, as Telnet knows no other end.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	s, err := c.open(ctx, req)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	advice := access.LoginAdvice{User: s.view.User, Password: s.view.Password}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Sys: advice}, Body: s, Session: s}, nil
}

// Do opens sessions. Every Op but Get is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return access.GetFunc(c.get).Do(ctx, req)
}

func (c Client) open(ctx context.Context, req *access.Request) (*session, error) {
	if req.URL.Scheme() != "telnet" {
		return nil, access.ErrNoScheme
	}
	view, err := scheme.ParseTelnet(req.URL)
	if err != nil {
		return nil, err
	}
	// None of it is sent unasked, and none of it could be: RFC 1738 §6 wants no
	// URL opened that has them.
	for _, part := range []struct{ what, text string }{
		{"host name", view.Name}, {"user name", view.User.Text}, {"password", view.Password.Text},
	} {
		if err := wire.CheckArgument(part.what, part.text, ""); err != nil {
			return nil, err
		}
	}
	if req.Offset > 0 {
		return nil, errOffset
	}
	d := wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	conn, err := d.DialPlain(ctx, view.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	return newSession(c, conn, req.URL, view), nil
}
