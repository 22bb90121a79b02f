// Package finger opens finger URLs (draft-ietf-uri-url-finger-03) over the protocol of RFC 1288.
//
//	finger://host:79//W%20ada
//
// The client sends one line, and the server sends a text and closes the connection. The protocol has no errors: a
// server describes a failure in its text.
//
// Notable divergences:
//   - RFC 1288 §2.5.1 lets a server forward a query such as "ada@other". The client refuses such a query, because
//     the URL finger://other/ada asks the other host itself.
//   - RFC 1288 §2.2 requires ASCII. The text is returned unchanged, whatever its character set.
//   - RFC 1288 §2.2: the end of the connection ends the text, so an early end looks the same.
package finger

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 79

// A Client opens finger URLs. It is an [access.Engine]. It holds no connections and no state. Several goroutines may
// use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute, negative: no limit.
	Idle time.Duration
}

// Do executes Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get asks the server and returns its text. Its size and its character set are unknown. Get ignores req.Offset: the
// Resource starts at 0. Stat asks the server too, because only an answer shows that the server can be reached.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req.URL))
	case req.Op == access.Stat:
		return engine.For(req).Result(c.stat(ctx, req.URL))
	}
	return nil, engine.Unsupported(req)
}

// open sends the query of u to its server, and waits for the first byte of the answer. It returns a Resource with
// the answer, which owns the connection. The answer may be empty.
func (c Client) open(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, query, err := parse(u)
	if err != nil {
		return nil, err
	}
	conn, err := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}.DialPlain(ctx, v.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	text := bufio.NewReader(conn)
	if _, err = io.WriteString(conn, query+"\r\n"); err == nil {
		_, err = text.Peek(1)
	}
	if err != nil && !access.IsEnd(err) {
		conn.Close()
		return nil, err
	}
	return &access.Resource{Entry: entry(u, v), Body: &wire.Body{Conn: conn, URL: u, Content: text}}, nil
}

// stat sends the query of u, waits for the first byte of the answer, and returns its attributes. It returns an error if
// the server does not answer.
func (c Client) stat(ctx context.Context, u url.URL) (*access.Resource, error) {
	r, err := c.open(ctx, u)
	if err != nil {
		return nil, err
	}
	return engine.Found(r.Entry, r.Body.Close())
}

// parse returns the view of u and the query to send, without the line end. It refuses a user that would end the
// line, because a second line could follow. It also refuses a user with "@" (errForward).
func parse(u url.URL) (v scheme.Finger, query string, err error) {
	if u.Scheme() != "finger" {
		return v, "", access.ErrNoScheme
	}
	if v, err = scheme.ParseFinger(u); err != nil {
		return v, "", err
	}
	if err := wire.CheckArgument("user", v.User, ""); err != nil {
		return v, "", err
	}
	if user, host, ok := strings.Cut(v.User, "@"); ok {
		to := scheme.Finger{Host: scheme.Host{Name: host}, Verbose: v.Verbose, User: user}.URL()
		return v, "", access.WithRemedy(errForward, access.Advice("ask the other host itself: "+to.String()))
	}
	if !v.Verbose {
		return v, v.User, nil
	}
	return v, strings.TrimSpace("/W " + v.User), nil
}

var errForward = engine.Reason(`a query with "@" asks the server to forward it`, errors.ErrUnsupported)

// entry returns the Entry of u. Its title is the user or, without a user, the host. The size is unknown.
func entry(u url.URL, v scheme.Finger) access.Entry {
	title := v.User
	if title == "" {
		title = v.Name
	}
	return access.Entry{Title: title, URL: u, Type: "text/plain", Size: -1}
}
