// Package tn3270 opens tn3270 URLs: sessions with a host that requires an IBM 3270 display (RFC
// 1576, GA23-0059).
//
//	tn3270://host:port/
//
// A 3270 does not exchange single characters. The host sends screens with fields. The terminal
// edits the fields itself. When the user presses an attention key, it sends the modified fields
// to the host. [Session] is such a terminal.
//
// # How the pieces work together
//
// A [Session] has a goroutine that receives (session.go). A negotiation knows from the Telnet
// options whether the host is in 3270 mode (telnet.go). In that mode, data up to an EOR are a
// record, which a display executes (display.go): a writer changes the cells of a buffer (stream.go,
// buffer.go), and query.go answers queries. The buffer stores characters in the host's code page
// (codepage.go).
//
// Typed bytes become keys in the goroutine that calls Write (keymap.go). The display executes them,
// too, because most keys edit the screen and are not sent (keyboard.go). A lock guards the display,
// which both goroutines change. Read waits for a change and takes a Picture, a snapshot of the
// display (picture.go). A drawer compares it with the last one and makes the text that Read returns
// (draw.go). The next record is executed only when Read is called again, so that Screen returns the
// screen that was read.
//
// Notable divergences:
//   - RFC 2355, TN3270E, is refused, because this package supports neither printers nor device
//     names.
//   - RFC 1576 §5: SYSREQ and ATTN are not sent. Of structured fields only queries are
//     supported. Any other field, and any error in the data of a host, locks the keyboard like
//     a program check. Reset unlocks it, and the session continues.
//   - RFC 1041, the 3270-REGIME option, is refused, as RFC 1576 expects.
//   - GA23-0059: numeric fields accept a comma in addition to digits, "-" and ".", because it
//     is the decimal sign of many countries.
//   - RFC 1738 §3.8: the user and the password of the URL are not sent. The user must type
//     them.
package tn3270

import (
	"cmp"
	"context"
	"errors"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// defaultPort is the port of Telnet (RFC 854).
const defaultPort = 23

var errOffset = sentinel.New("a session has no offsets", errors.ErrUnsupported)

// A Client opens tn3270 URLs. It is an [access.Engine]. It holds no state. Several
// goroutines may use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute
	// until the first text or screen has arrived, and no limit after that; negative: no limit
	// at all.
	Idle time.Duration

	// Model is the maximum screen size: 2 (24 rows of 80), 3 (32 of 80), 4 (43 of
	// 80) or 5 (27 of 132). 0 means 2.
	Model int

	// Monochrome makes the terminal a 3278, which lacks colours and all other extended
	// attributes.
	Monochrome bool

	// CodePage is the EBCDIC code page of the host, one of [CodePages]. "" means the first of
	// them.
	CodePage string
}

// Do executes Get. Any other Op returns errors.ErrUnsupported, and so does an
// Offset. The Session of the Resource is a [*Session], and its Login is the
// login in the URL. Options are negotiated while the Body is read.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return engine.For(req).Result(access.GetFunc(c.open).Do(ctx, req))
}

// open connects to the host, and returns a Resource whose Session owns the connection. It does
// not wait for the host's first screen. Before it connects, it checks the URL, Model and
// CodePage.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	v, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	if req.Offset > 0 {
		return nil, errOffset
	}
	m, err := newModel(c.Model, c.Monochrome)
	if err != nil {
		return nil, err
	}
	page, err := newCodePage(c.CodePage)
	if err != nil {
		return nil, err
	}
	d := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
	conn, err := d.DialPlain(ctx, v.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	s := newSession(req.URL, conn, newDisplay(m, page), c.Idle)
	advice := access.LoginAdvice{User: v.User, Password: v.Password}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: s, Session: s, Login: advice}, nil
}

// parse returns the view of u. It refuses control characters in any part (RFC 1738 §6). The
// user and the password are not sent, but shown to the user.
func parse(u url.URL) (scheme.Telnet, error) {
	if u.Scheme() != "tn3270" {
		return scheme.Telnet{}, access.ErrNoScheme
	}
	v, err := scheme.ParseTelnet(u)
	for _, part := range []struct{ name, text string }{
		{"host", v.Name}, {"user", v.User.Text}, {"password", v.Password.Text},
	} {
		err = cmp.Or(err, wire.CheckArgument(part.name, part.text, ""))
	}
	return v, err
}
