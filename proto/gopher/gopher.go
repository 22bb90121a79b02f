// Package gopher opens gopher URLs (RFC 1738 §3.4) over the Gopher protocol of RFC 1436 and the
// Gopher+ of the University of Minnesota's memo of 1993, and gophers URLs over the same protocol in TLS.
//
//	gopher://host:port/7/find%09prairie%20dogs%09+
//	                   |\___/   \____________/   |
//	               type selector    search     Gopher+ string
//
// Each request is one line on a new connection. The server replies and closes. A menu is a listing,
// and its entries are returned as they arrive.
//
// # How the pieces work together
//
// A URL becomes a request: one line and, for a form, a data block (request.go). A transaction sends
// it on a connection of its own (wire.go), with TLS for a gophers URL (secured.go), and reads the
// start of the reply. Only this start tells an error from a menu or a text (reply.go, errors.go).
// Then the Body of the Resource owns the transaction, and the caller's reads drive it; the package
// starts no goroutine.
//
// The Body finds the end of the data by the header of Gopher+, or by the framing of the item type
// (frame.go, types.go). If a text or a menu ends without a period, an ending decides whether it is
// whole: it knows the habit of the server, or sends a second request (ending.go). A listing makes
// entries of items (item.go) or of their Gopher+ attributes (attributes.go). The questions of a
// form are an attribute, too. So Ask requests them, and a Get with Answers requests them once more
// before it sends the answers, because the answers must fit the current form (form.go). A phone
// book is opened over another protocol (phonebook.go).
//
// Notable divergences:
//   - RFC 1738 §3.4.3 puts an empty search field before a Gopher+ string. The
//     client sends it only for search items (type 7), because the example of
//     §3.4.9 has no such field, and the reference server refuses it.
//   - RFC 1738 §3.4.7 separates attribute names by blanks. The client sends
//     "!+A +B" as "!+A+B", like the memo, because the reference server finds
//     no attributes if there is a blank.
//   - RFC 1738 §3.4.4: the client never sends "?". To open such a URL, it needs answers to the form.
//   - RFC 1738 §3.4.1 forbids only 09, 0A and 0D in a selector. A selector with 00 is refused, too,
//     because servers that are written in C end the request there.
//   - RFC 1436 §3.4 ends a text with a period on a line and doubles leading periods. Most servers
//     do neither. Therefore the close ends a text, unless the server is known to send periods. See
//     [Client.Do].
//   - RFC 1436 §3.8: a telnet item (8, T) becomes a telnet or tn3270 URL. A phone
//     book (2) is queried over its own protocol, Ph.
//   - No standard defines gophers URLs. As in curl, the default port is 70, and TLS begins with the
//     first byte. In a menu, the items of the same host and port have gophers URLs. A certificate
//     must be signed by an authority, as in curl, or pinned. The first certificate of a server is not
//     trusted, because an attacker at the first connection would stay undetected, and gopher servers,
//     unlike servers of Gemini, usually have a signed certificate or no TLS. The client never falls
//     back to clear text.
//   - Gopher+: a server may ignore the filter of an attribute request. The client
//     returns all attributes that the server sends.
package gopher

import (
	"context"
	"crypto/tls"
	"errors"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/proto/pin"
	"locus/url"
)

// A Client opens gopher and gophers URLs. It is an [access.Engine]. It holds no connections
// and no state. Several goroutines may use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// TLS is for gophers URLs. Nil trusts the system's certificates. An empty ServerName means the
	// host of the URL.
	TLS *tls.Config

	// Pins has the certificates of servers for gophers URLs that no authority has signed. A server without a pin needs
	// a certificate that TLS trusts. If nil, every server does.
	Pins *pin.Pins

	// Security: with access.RequireTLS every request for a gopher URL fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte;
	// 0: a minute, negative: no limit.
	Idle time.Duration

	// Habits remembers which servers end texts and menus with a period. If nil, every
	// text or menu without a period ends at the close; see [Client.Do].
	Habits *Habits

	// Warn, if not nil, is called about a text or menu that may not be whole: it has no
	// period, and the server could not be asked. It may be called at once by several
	// goroutines.
	Warn func(u url.URL, err error)
}

// Do executes Get, Stat and Ask. Any other Op returns errors.ErrUnsupported.
//
// Get sends the request of RFC 1738 §3.4. It returns as soon as it knows whether the reply is an
// error, a menu or data. The end of the data depends on the reply:
//   - Gopher+ "+N": N bytes. An earlier end is io.ErrUnexpectedEOF.
//   - Gopher+ "+-1": a line with only a period. A close before it is
//     io.ErrUnexpectedEOF.
//   - Gopher+ "+-2", and binary items of plain Gopher: the close.
//   - Text of plain Gopher: the close. If the last line is only a period, it is
//     removed. If the text has no such line, the close may be an early end; see below.
//   - Menus: a line with only a period, or the close. A close within a line is
//     io.ErrUnexpectedEOF. Any other close may be an early end, too.
//
// A plain text (type 0) without its period is io.ErrUnexpectedEOF in three cases. The Client
// decides this once for each server, with Habits:
//   - The first text of the server ended with a period.
//   - The server replies to the Gopher+ request for the text with "+-1", because
//     such servers send periods.
//   - It replies with a size, and the text has fewer bytes.
//
// Only the header of that reply is read, on a second connection. All other texts without a period
// are whole, because many servers send no period.
//
// A menu (type 1, or a search) without its period is io.ErrUnexpectedEOF in three cases. The Client
// decides this once for each server, with Habits:
//   - The first menu of the server ended with a period.
//   - The second reply ends with a period: the Client requests the menu again,
//     but does not repeat a search.
//   - The second reply begins with the same bytes, and has more bytes.
//
// A second connection is opened after the first is closed. If it fails, the text or menu counts as
// whole, and Warn is called.
//
// A menu is a listing, and so is a reply to "!" and "$". The Sys of each entry is an [*Item]. If
// the server reports an error, Do returns it; in plain Gopher an error is a menu with one error
// line. For a telnet item the error is an [*access.Moved], and for an item with a form ("?") it is
// [access.ErrForm]. Get ignores req.Offset: the Resource starts at 0.
//
// Get with Answers submits a form. It fetches the questions again, so that the answers fit the
// current form. It refuses an unknown choice, a second file, and CR or LF in an answer of one line.
// If a file cannot seek, the connection must have CloseWrite, as TCP connections have.
//
// Stat of a Gopher+ item (its URL has a Gopher+ string) asks for the attributes. The Sys of the
// entry is then an [*Item]. Plain Gopher has no attributes, so Stat opens the item to check that it
// exists, and derives the rest from the URL. Stat does not run a search without words. Size is
// always -1, because Gopher+ rounds sizes.
//
// Ask returns the questions of a form, from the +ASK attribute. Only a URL with the Gopher+ string
// "?" has a form (RFC 1738 §3.4.5). For any other URL, or if the server has no form, the error is
// errors.ErrUnsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers != nil:
		return engine.For(req).Result(c.sendAnswers(ctx, req))
	case req.Op == access.Get:
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
	case req.Op == access.Ask:
		return engine.For(req).Result(c.ask(ctx, req))
	}
	return nil, engine.Unsupported(req)
}

// open executes Get without Answers. For an item of type 8 or T the error is an *access.Moved to a
// terminal session, and for a form it is access.ErrForm.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	greq, err := parseRequest(req.URL)
	switch {
	case err != nil:
		return nil, err
	case greq.command == "?":
		return nil, access.ErrForm
	}
	switch greq.item.Type {
	case '8', 'T':
		return nil, &access.Moved{To: greq.terminalURL(), Permanent: true}
	case '2':
		return c.openPhoneBook(ctx, req, greq.item)
	}
	r, err := c.do(ctx, req, greq)
	if refusal, ok := errors.AsType[*engine.Refusal](err); ok && greq.item.Type == '7' && greq.item.Search.Text == "" {
		refusal.Remedy = access.NeedWords{Example: "gopher://host/7/find%09words"}
	}
	return r, err
}

// do connects, sends greq, and returns the reply as a Resource with the URL of req. The Resource
// owns the connection. An error in the reply is returned as an error.
func (c Client) do(ctx context.Context, req *access.Request, greq request) (*access.Resource, error) {
	t, err := c.connect(ctx, req.URL, greq.message())
	if err != nil {
		return nil, err
	}
	var r *access.Resource
	err = t.limited(t.r, func() (err error) {
		r, err = t.resource(greq)
		return err
	})
	if err != nil {
		t.Close()
		return nil, err
	}
	r.URL = req.URL
	return r, nil
}

// stat executes Stat. It requests the attributes of a Gopher+ item, and opens any other item to
// check that it exists. A search without words and a terminal session need no connection.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	greq, err := parseRequest(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	fromURL := greq.entryFromURL(req.URL)
	if greq.item.Plus.Present {
		return c.statPlus(ctx, req, greq, fromURL)
	}
	switch fromURL.Kind {
	case access.Search, access.Terminal:
		return fromURL, nil
	}
	r, err := c.do(ctx, req, greq)
	if err != nil {
		return access.Entry{}, err
	}
	return fromURL, r.Body.Close()
}

// statPlus requests the attributes of the item of greq, and returns them as an Entry. If the reply
// has no attributes, the server does not support Gopher+, and statPlus returns fromURL.
func (c Client) statPlus(ctx context.Context, req *access.Request, greq request, fromURL access.Entry) (access.Entry, error) {
	r, err := c.do(ctx, &access.Request{URL: req.URL}, greq.attributes())
	if err != nil {
		return access.Entry{}, err
	}
	defer r.Body.Close()
	list, ok := r.List.(*listing)
	if !ok || list.attributes == nil {
		return fromURL, nil
	}
	e, err := list.Next()
	if err != nil {
		return access.Entry{}, wire.Early(err)
	}
	e.URL = req.URL
	if greq.view() != "" || greq.wantsAttributes() {
		e.Kind, e.Type = fromURL.Kind, fromURL.Type
	}
	return e, nil
}
