// Package wais opens wais URLs (RFC 1738 §3.9) over the WAIS protocol of 1990,
// which is Z39.50-1988 behind a header of 25 octets.
//
//	wais://host:port/database                 what is there, and how to search it
//	wais://host:port/database?words           the documents that a search finds
//	wais://host:port/database/TEXT/%01%03a…   a document
//	                         type|  document-id, for that server alone to read
//
// A request is a message and so is its answer. A server keeps nothing between
// them, and a document is asked for in ranges of octets.
//
// Notable divergences:
//   - RFC 1738 §3.9: the database may be empty; it is "INFO" then, in which a
//     server keeps the descriptions of its databases.
//   - RFC 1738 §3.9 does not say what opening a database gives: here it is the
//     answer to a search for no words, which servers take for a call for help,
//     and the source description that this leads to, or that is in INFO.
//   - RFC 1738 §2.2, RFC 1630: "+" in a query is a space, as every program that
//     wrote wais URLs had it.
//   - RFC 1630, libwww: of a list of types ("TEXT,GIF") the first is asked for.
//     The size in libwww's notation of a wpath is not used.
//   - Z39.50-1988: Init is sent only if Client.Init says so; servers of WAIS
//     answer without.
package wais

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 210

// A Client opens wais URLs. It is an [access.Engine]. It keeps no connection
// and no state, and may be used by several goroutines at once.
type Client struct {
	// Dial connects; nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS is not used: WAIS has none.
	TLS *tls.Config

	// Security RequireTLS refuses every access, as WAIS has no TLS.
	Security access.Security

	// Idle is how long the server may send or accept nothing; 0 is a minute.
	Idle time.Duration

	// Init sends an Init first, to agree on the size of messages.
	Init bool

	// MaxHits is how many documents a search asks for; 0 means 200.
	MaxHits int

	// Chunk is how many octets of a document are asked for at once; 0 means
	// 96 000. Servers of freeWAIS send no message of more than 100 000. If one
	// can send less than Chunk, the client asks for 10 000, as the clients of
	// old did.
	Chunk int
}

// get opens a database, a search, or a document.
//
// A search is a listing: its entries are the documents found, best first, each
// with its URL; the Sys of an entry is a [*Hit]. What the server says besides
// them (that it did not understand the query) is an entry of the kind
// [access.Failure]. Read as octets a search is a text/uri-list.
//
// A database is a listing too: lines about it, an entry to search it, and the
// documents about it that the server has. If there is a source description,
// that is its octets, and the Sys of the Resource is a [*Source]. Both come from
// their start, whatever the Offset.
//
// A document has no size that is told beforehand. It ends where the server says
// so, or gives nothing more. The Sys of a source description (type WSRC) of at
// most one chunk is a [*Source].
//
// An error that the server gives as a diagnostic has it as its Reply, with the
// code of two letters at the start of the text. If the server closes the
// connection between two requests, the client connects once more.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := c.open(ctx, req)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	r.URL = req.URL
	return r, nil
}

// Do gets and stats wais URLs. Every other Op is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return c.get(ctx, req)
	case req.Op == access.Stat:
		return access.Found(c.statResource(ctx, req))
	}
	return nil, access.Unsupported(req)
}

func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	v, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	l := c.newLink(ctx, v.Address(defaultPort), req.URL)
	var r *access.Resource
	switch v.Kind {
	case scheme.WAISDocument:
		r, err = c.openDocument(l, req, v)
	case scheme.WAISSearch:
		r, err = c.openSearch(l, req.URL, v)
	default:
		r, err = c.openDatabase(l, req.URL, v)
	}
	if err != nil {
		l.Close()
	}
	return r, err
}

// statResource finds the attributes of a resource. Of a document it asks for one
// octet, to learn that it is there; nothing tells its size. A database is
// described as get does; the Sys of the entry is then a [*Source], if there is one. A search
// is not run.
func (c Client) statResource(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := c.stat(ctx, req)
	return e, access.Fail("stat", req.URL, err)
}

func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	v, err := parse(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	e := access.Entry{Title: v.Database, URL: req.URL, Kind: access.Search, Size: -1}
	switch v.Kind {
	case scheme.WAISSearch:
		e.Title, _ = scheme.Words(req.URL)
		e.Kind, e.Type = access.Directory, hitsType
		return e, nil
	case scheme.WAISDocument:
		e.Title, e.Kind, e.Type = titleOf(v), access.Object, mediaType(v.WType)
		c.Chunk = 1
	}
	r, err := c.open(ctx, &access.Request{URL: req.URL})
	if err != nil {
		return access.Entry{}, err
	}
	if source, ok := r.Sys.(*Source); ok && v.Kind == scheme.WAISDatabase {
		e.Sys = source
	}
	return e, r.Body.Close()
}

// maxRequest is how much of a URL may be sent. A server of freeWAIS writes a
// request into a buffer of 100 000 octets, whatever its length.
const maxRequest = 64 << 10

// parse returns what u means, to be sent as it is: the database has a name, a
// document a type, and there is nothing that would end the name of a database.
func parse(u url.URL) (scheme.WAIS, error) {
	if u.Scheme() != "wais" {
		return scheme.WAIS{}, access.ErrNoScheme
	}
	v, err := scheme.ParseWAIS(u)
	if err != nil {
		return scheme.WAIS{}, err
	}
	if err := wire.CheckArgument("database", v.Database, "\x1e\x1f"); err != nil {
		return scheme.WAIS{}, err
	}
	if n := len(v.Database) + len(v.WType) + len(v.DocID) + len(v.Search); n > maxRequest {
		return scheme.WAIS{}, fmt.Errorf("a request of %d octets, of which %d are sent at most", n, maxRequest)
	}
	if v.Kind == scheme.WAISDocument && v.DocID == "" {
		return scheme.WAIS{}, errors.New("the document-id is empty")
	}
	if v.Database == "" {
		v.Database = infoDatabase
	}
	v.WType, _, _ = strings.Cut(v.WType, ",")
	if v.WType == "" {
		v.WType = typeText
	}
	return v, nil
}

// infoDatabase is the one in which a server describes its databases.
const infoDatabase = "INFO"

// titleOf returns what to call a document of which nothing is known but its
// URL: what most servers have for its name, the third field of the document-id.
func titleOf(v scheme.WAIS) string {
	fields, _ := scheme.SplitDocID(v.DocID)
	for _, f := range fields {
		if f.Number == 3 {
			return f.Content
		}
	}
	return v.Database
}
