// Package tn3270 opens tn3270 URLs: sessions with a host that wants an IBM 3270
// display (RFC 1576, GA23-0059).
//
//	tn3270://host:port/
//
// A 3270 is not a stream of characters. The host sends whole screens of fields;
// what the user types stays in the terminal, by the rules of those fields, until
// a key calls the host, which is then told every field that was changed.
// [Session] is such a terminal.
//
// Notable divergences:
//   - RFC 2355, TN3270E, is refused: no printers, no device names.
//   - RFC 1576 §5: SYSREQ and ATTN are not sent; of structured fields only
//     queries are answered. Another one, like every fault in what a host sends,
//     locks the keyboard as a real terminal's program check does; Reset unlocks
//     it and the session goes on.
//   - RFC 1041, the 3270-REGIME option, is refused, as RFC 1576 expects.
//   - GA23-0059: fields for numbers take a comma besides digits, "-" and ".".
//   - RFC 1738 §3.8: user and password of the URL are not sent. They are for the
//     user to type.
package tn3270

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// defaultPort is that of Telnet (RFC 854).
const defaultPort = 23

var errOffset = access.Reason("a session has no offsets", errors.ErrUnsupported)

// A Client opens tn3270 URLs. It is an [access.Engine], keeps no state, and may
// be used by several goroutines at once.
type Client struct {
	// Dial connects; nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS is not used: TN3270 has none.
	TLS *tls.Config

	// Security RequireTLS refuses every access, as TN3270 has no TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing. 0 is a minute until
	// the first text or screen has come, and no limit for the session then.
	Idle time.Duration

	// Model is how large the screen can be: 2 (24 rows of 80), 3 (32 of 80), 4
	// (43 of 80) or 5 (27 of 132). 0 is 2.
	Model int

	// Monochrome says that the terminal is a plain 3278, which has no colours
	// and no other extended attributes.
	Monochrome bool

	// CodePage is the EBCDIC of the host, one of [CodePages]; "" is the first.
	CodePage string
}

// get connects. The Session of the Resource is a [*Session] and its Sys an
// [access.LoginAdvice]; what is agreed on with the host is agreed on while the Body is
// read.
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
	d := wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
	conn, err := d.DialPlain(ctx, v.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	s := newSession(conn, newDisplay(m, page), c.Idle)
	advice := access.LoginAdvice{User: v.User, Password: v.Password}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Sys: advice}, Body: s, Session: s}, nil
}

// parse returns what a URL means, if nothing in it could end a line. (Nothing
// of it is sent; but the user is told to type it.)
func parse(u url.URL) (scheme.TN3270, error) {
	if u.Scheme() != "tn3270" {
		return scheme.TN3270{}, access.ErrNoScheme
	}
	v, err := scheme.ParseTN3270(u)
	for _, part := range []struct{ what, text string }{
		{"host", v.Name}, {"user", v.User.Text}, {"password", v.Password.Text},
	} {
		err = cmp.Or(err, wire.CheckArgument(part.what, part.text, ""))
	}
	return v, err
}

// listed joins words as in a list.
func listed(words []string) string { return strings.Join(words, ", ") }
