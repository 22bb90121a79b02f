// Package gopher opens gopher URLs (RFC 1738 §3.4) over the Gopher protocol of
// RFC 1436 and the Gopher+ of the University of Minnesota's memo of 1993.
//
//	gopher://host:port/7/find%09prairie%20dogs%09+
//	                   |\___/   \____________/   |
//	               type selector    search     Gopher+ string
//
// One request is one line on a connection of its own; the server answers and
// closes. A menu is a listing whose entries come as they arrive.
//
// Notable divergences:
//   - RFC 1738 §3.4.3 puts an empty search field before a Gopher+ string. It is
//     sent for search items alone (type 7): the example of §3.4.9 has none, and
//     the reference server refuses it.
//   - RFC 1738 §3.4.7 separates attribute names by blanks: "!+A +B" is sent as
//     "!+A+B", as the memo wants it, since the reference server finds nothing
//     with the blank.
//   - RFC 1738 §3.4.4: "?" is never sent; such a URL opens with answers only.
//   - RFC 1436 §3.4 ends a text by a line with a period alone and doubles a
//     leading one. Most servers do neither: what ends a text is the close. See
//     [Client.Do].
//   - RFC 1436 §3.8: a telnet item (8, T) is a telnet or tn3270 URL; a phone
//     book (2) is asked in its own protocol, as far as a query needs it.
//   - Gopher+: a filtered request for attributes is a wish; all of what comes is
//     given.
package gopher

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens gopher URLs. It is an [access.Engine]. It keeps no connection
// and no state, and may be used by several goroutines at once.
type Client struct {
	// Dial connects; nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS is not used: Gopher has none.
	TLS *tls.Config

	// Security RequireTLS refuses every access, as Gopher has no TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing; 0 is a minute.
	Idle time.Duration
}

// get sends the request of RFC 1738 §3.4 and reads the answer as far as is
// needed to know what it is: a header of Gopher+, an error, a menu, or data.
//
// What ends the data, and so what is an early end, depends on the answer:
//   - "+N" of Gopher+: N octets; fewer are an early end.
//   - "+-1" of Gopher+: a line with a period alone; a close before it is an
//     early end.
//   - "+-2" of Gopher+, and binary items of plain Gopher: the close.
//   - text of plain Gopher: the close; a period alone on the last line is taken
//     off.
//   - menus: a line with a period alone, or the close; a close in the middle of
//     a line is an early end.
//
// A menu, and the answer to "!" and "$", is a listing; the Sys of each entry is
// an [*Item]. An error of the server, whether Gopher+ or a menu of nothing but
// an error line, is the error of get. A telnet item is an [*access.Moved]; an
// item with a form ("?") is [access.ErrForm]. Whatever the Offset of req, the
// answer comes from its start.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := c.open(ctx, req)
	return r, access.Fail("open", req.URL, err)
}

// Do gets and stats gopher URLs, and gets and answers the questions of their
// forms. Every other Op is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers != nil:
		return c.answerForm(ctx, req)
	case req.Op == access.Get:
		return c.get(ctx, req)
	case req.Op == access.Stat:
		return access.Found(c.statItem(ctx, req))
	case req.Op == access.Ask:
		return c.ask(ctx, req)
	}
	return nil, access.Unsupported(req)
}

func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	ask, err := parseRequest(req.URL)
	switch {
	case err != nil:
		return nil, err
	case ask.command == "?":
		return nil, access.ErrForm
	}
	switch ask.item.Type {
	case '8', 'T':
		return nil, &access.Moved{To: session(ask.item), Permanent: true}
	case '2':
		return c.openPhoneBook(ctx, req, ask.item)
	}
	r, err := c.do(ctx, req, ask)
	if said, ok := errors.AsType[*access.Refusal](err); ok && ask.item.Type == '7' && ask.item.Search.Text == "" {
		said.Remedy = access.NeedWords{Example: "gopher://host/7/find%09words"}
	}
	return r, err
}

// do connects, sends the request, and makes a Resource of the answer.
func (c Client) do(ctx context.Context, req *access.Request, ask request) (*access.Resource, error) {
	l, err := c.connect(ctx, req.URL, ask.message())
	if err != nil {
		return nil, err
	}
	r, err := l.resource(ask)
	if err != nil {
		l.Close()
		return nil, err
	}
	r.URL = req.URL
	return r, nil
}

// statItem finds the attributes of an item. Of a Gopher+ item (its URL has a
// Gopher+ string) it asks the server; the Sys of the entry is then an [*Item]
// with the attributes. Of an item of plain Gopher nothing can be asked: Stat
// opens it, to learn that it is there, and tells what its type says. A search
// is not run for that. Size is always -1: what Gopher+ tells is rounded.
func (c Client) statItem(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := c.stat(ctx, req)
	return e, access.Fail("stat", req.URL, err)
}

func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	ask, err := parseRequest(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	known := ask.known(req.URL)
	if ask.item.Plus.Present {
		return c.statPlus(ctx, req, ask, known)
	}
	switch known.Kind {
	case access.Search, access.Terminal:
		return known, nil
	}
	r, err := c.do(ctx, req, ask)
	if err != nil {
		return access.Entry{}, err
	}
	return known, r.Body.Close()
}

// statPlus asks for the attributes. A server that answers with something else
// does not speak Gopher+; then all that is known is what the URL says.
func (c Client) statPlus(ctx context.Context, req *access.Request, ask request, known access.Entry) (access.Entry, error) {
	r, err := c.do(ctx, &access.Request{URL: req.URL}, ask.attributes())
	if err != nil {
		return access.Entry{}, err
	}
	defer r.Body.Close()
	list, ok := r.List.(*listing)
	if !ok || list.attributes == nil {
		return known, nil
	}
	e, err := list.Next()
	if err != nil {
		return access.Entry{}, wire.Early(err)
	}
	e.URL = req.URL
	if ask.view() != "" || ask.wantsAttributes() {
		e.Kind, e.Type = known.Kind, known.Type
	}
	return e, nil
}

// session returns the URL of the session that a telnet item names: its selector
// is the name to log in with (RFC 1436 §3.8).
func session(v scheme.Gopher) url.URL {
	port := v.Port
	if port == 0 {
		port = defaultPort
	}
	return terminalURL(v.Type, scheme.Host{Name: v.Name, Port: port}, v.Selector)
}
