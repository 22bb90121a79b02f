// Package gemini opens gemini URLs over the Gemini network protocol 0.24.1, and uploads to titan URLs.
//
//	gemini://host:1965/tea/search?green
//	titan://host:1965/tea/pots.gmi;mime=text/gemini;size=42;token=sesame
//
// Each request is one line on a new connection over TLS. The server answers with a line, which has a status and a text,
// and after the status 20 with the resource. The certificate of the server is pinned at the first connection. In the Titan
// protocol the line is a titan URL with the size of the content, and the content follows the line.
//
// Notable divergences:
//   - "Client certificates": the client sends a certificate only if Client.Certificate has one for the URL.
//   - "Redirection": a redirect to another scheme is refused, because the user has to decide about it.
//   - A resource that ends without close_notify is incomplete, although some servers never send it.
//   - Titan: a relative redirect is relative to the gemini URL of the page, because a titan URL cannot be read.
package gemini

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/proto/pin"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 1965

// maxURL is the number of bytes of the longest URL that the protocol can send.
const maxURL = 1024

// A Client opens gemini URLs, and changes pages at titan URLs. It is an [access.Engine]. It holds no connections.
// Several goroutines may use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Pins has the certificates of the servers. If nil, every request fails, because the server cannot be
	// identified without them.
	Pins *pin.Pins

	// Certificate returns the client certificate for a URL; nil for none. A nil Certificate sends no certificate.
	Certificate func(u url.URL) *tls.Certificate

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute, negative: no limit.
	Idle time.Duration
}

// Do executes Get, Stat and Ask of gemini URLs, and Put and Delete of titan URLs. Any other Op returns
// errors.ErrUnsupported.
//
// Get returns the resource. Its size is unknown. Get ignores req.Offset: the Resource starts at 0. If the server asks
// for input (status 10 or 11), the error is [access.ErrForm]. Get with Answers sends the one answer as the input. A
// redirect is an *access.Moved. The other statuses are errors with the Reply of the server: 51 and 52 wrap
// fs.ErrNotExist, 4x wrap access.ErrTemporary, and 6x wrap fs.ErrPermission, because the server wants a certificate.
//
// Stat requests the resource and returns its media type. Ask returns the question of the server, whose answer is secret
// for status 11. If the server asks nothing, the error of Ask wraps errors.ErrUnsupported.
//
// Put uploads req.Body, and Delete removes the page. The Resource has the gemini URL of the page, which a redirect of
// the server may name. The media type is the parameter mime of the URL, or else follows from the name of the page. The
// token is the parameter token of the URL, or else the password of req.Login. The size is always the size of req.Body,
// whatever the URL says. Put refuses an empty Body, which would delete the page, and IfAbsent. A Body of unknown size is
// read into memory, up to 16 MiB. A server that answers with success before it has read the whole Body has not stored
// it, so that answer is an error.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch isTitan := req.URL.Scheme() == "titan"; {
	case isTitan && (req.Op == access.Put || req.Op == access.Delete):
		return engine.For(req).Result(engine.Done(c.change(ctx, req)))
	case isTitan:
	case req.Op == access.Get:
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(c.stat(ctx, req.URL))
	case req.Op == access.Ask:
		return engine.For(req).Result(c.ask(ctx, req.URL))
	}
	return engine.For(req).Result(nil, refuse(req))
}

// open executes Get. It requests the resource of the URL, with the answers of req, if any, as the input.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	v, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	if req.Answers != nil {
		if v.Input, err = inputOf(req.Answers); err != nil {
			return nil, err
		}
	}
	return c.get(ctx, v, req.URL)
}

// get requests the resource of v, and returns it, or the error that the status stands for. u is the URL of the Resource
// and of errors. The Resource owns the connection.
func (c Client) get(ctx context.Context, v scheme.Gemini, u url.URL) (*access.Resource, error) {
	s, err := c.send(ctx, request{url: v.URL(), host: v.Host})
	if err != nil {
		return nil, err
	}
	r, err := s.resource(u)
	if err != nil {
		s.Close()
		return nil, err
	}
	return r, nil
}

// stat executes Stat. It requests the resource, and discards its content. A resource that asks for input is a form.
func (c Client) stat(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, err := parse(u)
	if err != nil {
		return nil, err
	}
	r, err := c.get(ctx, v, u)
	switch {
	case errors.Is(err, access.ErrForm):
		return engine.Found(access.Entry{URL: u, Kind: access.Form, Size: -1}, nil)
	case err != nil:
		return nil, err
	}
	return engine.Found(r.Entry, r.Body.Close())
}

// inputName is the name of the only question.
const inputName = "input"

// ask executes Ask. It requests the resource, and returns the question of the server. The error wraps
// errors.ErrUnsupported if the server asks nothing.
func (c Client) ask(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, err := parse(u)
	if err != nil {
		return nil, err
	}
	s, err := c.send(ctx, request{url: v.URL(), host: v.Host})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	q := access.Question{Name: inputName, Prompt: s.meta}
	switch {
	case s.status/10 != 1:
		if err := s.failure(u); err != nil {
			return nil, err
		}
		return nil, engine.Reason("the server asks no question", errors.ErrUnsupported)
	case s.status == 11:
		q.Kind = access.AskPassword
	}
	return &access.Resource{Entry: access.Entry{URL: u, Kind: access.Form, Size: -1}, Body: access.NoBody, Questions: &access.Questions{Items: []access.Question{q}}}, nil
}

// inputOf returns the text of the only answer as the input of a URL. It returns an error unless there is exactly one
// answer, which is a text.
func inputOf(answers []access.Answer) (url.Part, error) {
	if len(answers) != 1 || answers[0].File != nil {
		return url.Part{}, engine.Reason("the form has one question, which takes a text", errors.ErrUnsupported)
	}
	return url.Some(answers[0].Text), nil
}

// parse returns the view of u. It returns access.ErrNoScheme for another scheme than gemini.
func parse(u url.URL) (scheme.Gemini, error) {
	if u.Scheme() != "gemini" {
		return scheme.Gemini{}, access.ErrNoScheme
	}
	return scheme.ParseGemini(u)
}

var errNoPins = engine.Reason("nothing remembers the certificates of servers", errors.ErrUnsupported)

// A request is one request of either protocol.
type request struct {
	url     url.URL
	host    scheme.Host
	content io.Reader // of an upload; may be nil
	secrets []string  // hidden in texts of the server
}

// send connects to the server, sends r, and reads the first line of the answer into the session. The caller closes the
// session. The error wraps access.ErrTooLong for a URL of more than maxURL bytes.
func (c Client) send(ctx context.Context, r request) (*session, error) {
	text := r.url.String()
	if len(text) > maxURL {
		return nil, engine.Reason("the URL is longer than the 1024 bytes of a request", access.ErrTooLong)
	}
	if c.Pins == nil {
		return nil, errNoPins
	}
	address := r.host.Address(defaultPort)
	d := wire.Dialer{Dial: c.Dial, TLS: c.config(r.url, address), Idle: c.Idle}
	conn, err := d.DialTLS(ctx, address)
	if err != nil {
		return nil, err
	}
	s := newSession(conn, r.secrets)
	if err := s.exchange(text+"\r\n", r.content); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// config returns the TLS configuration for the server at address (host:port). The certificate of the server must be the
// pin in Pins; the first certificate becomes the pin. The client certificate is the certificate for u.
func (c Client) config(u url.URL, address string) *tls.Config {
	host, _, _ := net.SplitHostPort(address)
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: strings.ToLower(host),
		InsecureSkipVerify: true, // because VerifyConnection verifies the pin instead
		VerifyConnection:   func(state tls.ConnectionState) error { return c.Pins.Verify(strings.ToLower(address), state) },
	}
	if c.Certificate != nil {
		if certificate := c.Certificate(u); certificate != nil {
			config.Certificates = []tls.Certificate{*certificate}
		}
	}
	return config
}
