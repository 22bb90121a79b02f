// Package cso opens cso URLs: searches in the phone books of universities, over the Ph protocol of RFC 2378.
//
//	cso://host:105/?smith
//
// The client sends the query and "quit". The server sends the fields of the people, which the client returns as a text.
// Gopher menus name the same servers as items of type 2.
//
// Notable divergences:
//   - RFC 2378 §3: the client queries without a login, and asks for the fields that the server shows by default.
package cso

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/ph"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// maxLine limits the bytes of a line of the reply.
const maxLine = 64 << 10

// A Client opens cso URLs. It is an [access.Engine]. It holds no connections and no state. Several goroutines may use
// it at once.
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
// Get returns the people that the server finds: a line for each field, and an empty line between people. If the server
// finds nobody, the error wraps fs.ErrNotExist. A URL without a query returns a listing: an entry to search the phone
// book, and a line for each field that people may have. The size is unknown. Get ignores req.Offset: the Resource starts at 0.
//
// Stat of a URL with a query sends the query. Stat of any other URL says that it can be searched.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req.URL))
	case req.Op == access.Stat:
		return engine.For(req).Result(c.stat(ctx, req.URL))
	}
	return nil, engine.Unsupported(req)
}

// open executes Get. It connects to the server of u, sends the request, and returns a Resource that owns the
// connection.
func (c Client) open(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, err := parse(u)
	if err != nil {
		return nil, err
	}
	conn, err := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}.DialPlain(ctx, v.Address(ph.DefaultPort))
	if err != nil {
		return nil, err
	}
	r, err := answer(conn, u, v)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return r, nil
}

// answer sends the request for u, whose view is v, and reads the start of the reply. Without a query in u, it returns
// a listing of the fields, which is empty if the server refuses to tell them. With a query, it returns the text of the
// people found. On success the resource owns conn; on failure the caller closes conn.
func answer(conn *wire.Conn, u url.URL, v scheme.CSO) (*access.Resource, error) {
	if v.Query.Text == "" {
		fields, err := send(conn, ph.Fields())
		if ph.IsRefused(err) {
			fields, err = strings.NewReader(""), nil
		}
		list := &ph.Listing{Body: &wire.Body{Conn: conn, URL: u, Content: fields}, URL: u, Title: v.Name}
		return list.Resource(), err
	}
	people, err := send(conn, ph.Query(v.Query.Text))
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{Title: v.Query.Text, URL: u, Type: "text/plain", Size: -1}, Body: &wire.Body{Conn: conn, URL: u, Content: people}}, nil
}

// stat executes Stat. It runs the query of u to learn whether the server answers it. If u has no query, stat does not
// connect, and returns an entry of the kind Search.
func (c Client) stat(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, err := parse(u)
	if err != nil {
		return nil, err
	}
	if v.Query.Text == "" {
		return engine.Found(access.Entry{Title: v.Name, URL: u, Kind: access.Search, Size: -1}, nil)
	}
	r, err := c.open(ctx, u)
	if err != nil {
		return nil, err
	}
	return engine.Found(r.Entry, r.Body.Close())
}

// parse returns the view of u. It returns access.ErrNoScheme for another scheme, and an error for a query with CR, LF
// or NUL, because such a query could contain a second command.
func parse(u url.URL) (scheme.CSO, error) {
	if u.Scheme() != "cso" {
		return scheme.CSO{}, access.ErrNoScheme
	}
	v, err := scheme.ParseCSO(u)
	if err != nil {
		return v, err
	}
	return v, wire.CheckArgument("query", v.Query.Text, "")
}

// send sends request, and returns a reader of the reply's text. It waits for the start of the reply. If the server
// refuses the request, the error is the server's refusal.
func send(conn *wire.Conn, request string) (io.Reader, error) {
	if _, err := io.WriteString(conn, request); err != nil {
		return nil, err
	}
	return ph.NewReader(conn, bufio.NewReaderSize(conn, maxLine))
}
