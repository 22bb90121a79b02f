// Package wais opens wais URLs (RFC 1738 §3.9) over the WAIS protocol of 1990, which is
// Z39.50-1988 with a header of 25 bytes before each message.
//
//	wais://host:port/database                 a database and how to search it
//	wais://host:port/database?words           the documents that a search finds
//	wais://host:port/database/TEXT/%01%03a…   a document
//	                         type|  document-id, opaque to the client
//
// The client sends a message and the server replies with one. The server keeps no state between
// requests. A document is fetched in ranges of bytes.
//
// # How the pieces work together
//
// A URL names a search (listing.go), a database or a document. A database is opened by a search
// without words, and by its source description (database.go, source.go). A document is fetched
// chunk after chunk (document.go). A document that lists the documents of its database is a catalog
// (catalog.go).
//
// Each of them makes requests (request.go), sends them over a link and parses the replies
// (reply.go). A message is an apdu (message.go) that consists of elements (element.go). The link
// waits for one reply at a time, and connects again if the server has closed the connection,
// because a server keeps no state between requests (link.go). The Body owns the link. The caller's
// reads send the requests for further chunks, so that a document is never in memory as a whole.
//
// Notable divergences:
//   - RFC 1738 §3.9: the database may be empty. The client then opens "INFO", the database with
//     the descriptions of all databases.
//   - RFC 1738 §3.9 does not define the result of opening a database. This package searches for
//     no words, which servers treat as a request for help. The result is that reply and the
//     source description, if the reply or INFO has one.
//   - RFC 1738 §2.2, RFC 1630: "+" in a query is a space, because all programs that wrote wais
//     URLs used it in this way.
//   - RFC 1630, libwww: if a URL has a list of types ("TEXT,GIF"), the client requests the
//     first. It ignores the size in libwww's notation of a wpath.
//   - Z39.50-1988: Init is sent only if Client.Init is true, because WAIS servers do not need
//     it.
package wais

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/urilist"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 210

// A Client opens wais URLs. It is an [access.Engine]. It holds no connections
// and no state. Several goroutines may use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute,
	// negative: no limit.
	Idle time.Duration

	// Init makes the client send an Init first, to agree on the message size.
	Init bool

	// MaxHits is the maximum number of documents of a search, besides the documents of
	// Request.MoreEntries; 0: 200, negative: no limit. Without a limit the client requests 100
	// 000, because the server sends all of them in one reply.
	MaxHits int

	// Chunk is the number of bytes of a document that one request asks for. 0 means 96 000,
	// because freeWAIS servers send at most 100 000 bytes in a message. A negative value means
	// the 1 MiB of a message. If a server cannot send Chunk bytes, the client asks for 10 000.
	Chunk int
}

// Do executes Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get of a search returns a listing of the documents found, best first. The Sys of such an
// entry is a [*Hit]. A diagnostic of the server is an entry of kind [access.Failure]. If there
// may be more documents, the last entry says so, and its Sys is a [*More]. The Body is a
// text/uri-list.
//
// Get of a database returns a listing: lines about the database, an entry to search it, and the
// documents about it. If the server has a source description, the Body is that description and
// the Sys of the Resource is a [*Source]. For searches and databases, Get ignores req.Offset.
//
// Get of a document honors Offset and Length. The size of the document is unknown until its
// end, which is a reply without text, or a diagnostic that the range is beyond the end. If a
// source description (type WSRC) fits in one chunk, the Sys of the Resource is a [*Source].
//
// The catalog of a database, which freeWAIS servers have, is a listing of the documents of the
// database. Its Body is the text of the catalog.
//
// If the server sends a diagnostic instead of a result, the diagnostic is the Reply of the
// error. The text of the Reply starts with the code of two letters. If the connection breaks
// after the first reply, the client reconnects and continues at the same byte.
//
// Stat of a document fetches one byte to check that it exists. Stat of a database fetches its
// description like Get; the Sys of the entry is a [*Source] if the server has a description.
// Stat of a search asks for one document, to check that the database exists.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
	}
	return nil, engine.Unsupported(req)
}

// open connects and returns the Resource of the document, the search or the database that the
// URL names.
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
		c.MaxHits = min(c.maxHits()+min(max(req.MoreEntries, 0), mostHits), mostHits)
		r, err = c.openSearch(l, req.URL, v)
	default:
		r, err = c.openDatabase(l, req.URL, v)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	r.URL = req.URL
	return r, nil
}

// stat executes Stat. To find out whether the resource exists, it opens the resource with
// limits of one hit and one byte, and closes it.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	v, err := parse(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	e := access.Entry{Title: v.Database, URL: req.URL, Kind: access.Search, Size: -1}
	switch v.Kind {
	case scheme.WAISSearch:
		e.Title = v.Search
		e.Kind, e.Type = access.Directory, urilist.Type
		c.MaxHits = 1
	case scheme.WAISDocument:
		e.Title, e.Kind, e.Type = titleOf(v), access.Object, mediaType(v.WType)
		if v.WType == typeText && isCatalog(v.Database, v.DocID) {
			e.Kind = access.Directory
		}
		c.Chunk = 1
	}
	r, err := c.open(ctx, &access.Request{URL: req.URL})
	if err != nil {
		return access.Entry{}, err
	}
	if source, ok := r.Sys.(*Source); ok && v.Kind == scheme.WAISDatabase {
		e.Header, e.Sys = source.fields(), source
	}
	return e, r.Body.Close()
}

// maxRequest is the maximum number of bytes from a URL that are sent, because a freeWAIS server
// copies a request into a buffer of 100 000 bytes without checking its length.
const maxRequest = 64 << 10

// parse returns the view of u, completed for sending: an empty database becomes INFO, the first
// of several types becomes the type, and a missing type becomes TEXT. It returns an error for a
// database name with bytes that would end the name in a request, for an empty document-id, and
// for more than maxRequest bytes.
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
		return scheme.WAIS{}, fmt.Errorf("a request of %d bytes, the limit is %d", n, maxRequest)
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

// infoDatabase is the database in which a server describes its databases.
const infoDatabase = "INFO"

// titleOf returns a title for a document of which only the URL is known: its local-id, which
// usually has the name of the file, or else the name of the database.
func titleOf(v scheme.WAIS) string {
	for _, f := range fieldsOf(v.DocID) {
		if f.Number == fieldLocalID {
			return f.Content
		}
	}
	return v.Database
}

// fieldsOf returns the fields of the document-id id, in order, or nil if id does not consist of
// fields. Their meaning is a guess, because only the server that issued a document-id knows it
// (RFC 1738 §3.9).
func fieldsOf(id string) (fields []scheme.WAISField) {
	for rest := []byte(id); len(rest) > 0; {
		number, after, hasNumber := cutCompressed(rest)
		length, content, hasLength := cutCompressed(after)
		if !hasNumber || !hasLength || uint64(length) > uint64(len(content)) {
			return nil
		}
		fields = append(fields, scheme.WAISField{Number: number, Content: string(content[:length])})
		rest = content[length:]
	}
	return fields
}

// The document types that the protocol defines.
const (
	typeText   = "TEXT"
	typeSource = "WSRC" // a source description
	typeURL    = "URL"  // the headline is the URL
)

const sourceType = "application/x-wais-source"

var mediaTypes = map[string]string{
	typeText:   "text/plain",
	"TEXT-FTP": "text/plain",
	typeSource: sourceType,
	"HTML":     "text/html",
	"GIF":      "image/gif",
	"JPEG":     "image/jpeg",
	"JPG":      "image/jpeg",
	"PNG":      "image/png",
	"TIFF":     "image/tiff",
	"PICT":     "image/x-pict",
	"PS":       "application/postscript",
	"PDF":      "application/pdf",
	"RTF":      "application/rtf",
	"DVI":      "application/x-dvi",
	"TEX":      "application/x-tex",
	"MIME":     "message/rfc822",
	"MPEG":     "video/mpeg",
}

// mediaType returns the media type of a document type, or "" for an unknown type.
func mediaType(wtype string) string { return mediaTypes[strings.ToUpper(wtype)] }
