// Package mail opens mid and cid URLs (RFC 1630, RFC 2392) in received mail. It also writes and
// sends the message that a mailto URL describes (RFC 1738 §3.5, RFC 6068).
//
//	mid:960830.1639@XIson.com/partA.960830.1639@XIson.com
//	    \___________________/ \_________________________/
//	      a message by its id    a part of it by its id
//	cid:partA.960830.1639@XIson.com
//	    a part of any message
//
// A [Client] searches a list of [Source] values: [Maildir], [Mbox], [IMAP]. They only read the
// mail; no flag changes. [Mailbox] is a Client with one Source, which it finds by a name. [Draft]
// writes a message, [ReadOutgoing] reads one for sending, and [SMTP] or [Sendmail] sends it. No
// message is held in memory as a whole.
//
// # How the pieces work together
//
// A URL becomes a [Query], and the [Client] asks its Sources in turn until one finds the message. A
// [Mailbox] is a Client for the one Source that a name stands for (mailbox.go). A Maildir
// (maildir.go) and an Mbox (mbox.go) look the id up in an index, which they keep on disk
// (index.go). Other programs change the mail, so a message is checked before it is returned. If the
// index lacks an id, the Source first reads the mail that is new. An IMAP server searches by itself
// (imap.go). The Body of the Resource owns the message: it reads the header, finds the part, and
// decodes it while the caller reads (body.go).
//
// The other direction begins with [ReadDraft], which makes a [Draft] of a URL; its method Write
// makes a message (compose.go). [ReadOutgoing] reads the header of a message, takes sender and
// recipients from it, and removes Bcc (outgoing.go). [SMTP] or [Sendmail] then sends the header and
// reads the text while it sends (smtp.go, sendmail.go). If the text cannot be read to its end, the
// final "." is not sent or the program is killed, because half of a message must not be delivered.
// The package starts no goroutine.
//
// Notable divergences:
//   - RFC 2392 §2: a cid URL refers to the message that contains it. Opened
//     alone, it is looked up in all mail. mid:id/cid names the message too.
//   - RFC 2046 §5.2.1: parts inside an attached message are not found.
//   - RFC 2045 §6.8: bytes that are not base64 are skipped, as required. Text after the padding is
//     not skipped.
//   - mbox has no standard (RFC 4155 describes one). "From " starts a message
//     at the start of the file, or after an empty line if the line has a time
//     of day. Content-Length is ignored.
//   - RFC 6068 §2 has a list of safe header fields. The package uses only the fields to, subject,
//     cc, bcc, body, in-reply-to, references, keywords and comments of a mailto URL.
//     [Draft.Dropped] has the others.
//   - RFC 1738 §4 only reserves mailserver. [ReadDraft] reads such a URL as
//     draft-ietf-uri-url-mailserver-01 describes it, and then as mailto: CR or
//     LF in a subject is an error. Emacs/W3 replaces them.
//   - RFC 6068 §5 writes a line end in the body as %0D%0A. A lone CR or LF also ends a line. In
//     other fields, all of these are errors.
//   - RFC 3501 §6.4.4: to find a cid, the IMAP server searches its text.
//     Servers that search by words may not find a cid, but find mid:id/cid.
package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens mid and cid URLs. It is an [access.Engine]. Several goroutines
// may use it at once.
type Client struct {
	// Sources are searched in order. If there are no Sources, every request fails
	// with ErrNoMail.
	Sources []Source
}

// A Source is a collection of received mail: a [Maildir], [Mbox] or [IMAP].
type Source interface {
	// Find opens the message for q. If the source has no such message, the error
	// wraps fs.ErrNotExist. ctx also applies to reading the message.
	Find(ctx context.Context, q Query) (*Message, error)
}

// A Query describes the message to find.
type Query struct {
	// MessageID is the message-id, without angle brackets. Empty means any
	// message that has the part ContentID.
	MessageID string
	// ContentID is the id of a part, without angle brackets. It is used only if
	// MessageID is empty.
	ContentID string
	// URL is the requested URL.
	URL url.URL
	// Login is the Login of the [access.Request]; it may be nil.
	Login access.Login
}

// String returns the id for error texts: "<id>" or "part <id>".
func (q Query) String() string {
	if q.MessageID != "" {
		return "<" + q.MessageID + ">"
	}
	return "part <" + q.ContentID + ">"
}

// ErrNoMail is the error of a [Client] without Sources.
var ErrNoMail = sentinel.New("no received mail is configured", errors.ErrUnsupported)

// Do executes Get and Stat. Every other Op wraps errors.ErrUnsupported.
//
// Get opens a message, as message/rfc822, or a part of one, decoded and with its own media type.
// The bytes of a message are the stored ones, without the quoting of mbox. The List of a message
// has the entries that a mail reader shows: the lines of the main header fields and of plain text
// (Kind Info), and the other parts. A part with a content-id has the URL mid:id/cid. Offset is
// ignored. The Sys is a [Title].
//
// Stat finds the subject and size of a message, or the name and type of a part.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
	}
	return nil, engine.Unsupported(req)
}

// stat opens the message or part that the URL names, returns its attributes, and closes it.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	r, err := c.open(ctx, req)
	if err != nil {
		return access.Entry{}, err
	}
	defer r.Body.Close()
	title, _ := r.Sys.(Title)
	return access.Entry{
		Title: string(title), URL: req.URL, Kind: access.Object,
		Type: r.Type, Size: r.Size, ModTime: r.ModTime,
	}, nil
}

// A Title is the Sys of an [access.Resource] of this package: the subject of a message, or the name
// of a part; "" if it has neither.
type Title string

// open finds the message that the URL names, and returns a Resource for the message or for the
// part that the URL names. The Resource owns the message.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	q, part, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	q.URL, q.Login = req.URL, req.Login
	m, err := c.find(ctx, q)
	if err != nil {
		return nil, err
	}
	u := req.URL
	b := &body{ctx: ctx, url: u, message: m.Body}
	r := &access.Resource{Entry: access.Entry{URL: u, Size: m.Size, ModTime: m.ModTime}, Body: b}
	if part == "" {
		err = b.openMessage(q.MessageID, r)
	} else {
		err = b.openPart(part, r)
	}
	if err != nil {
		m.Body.Close()
		return nil, b.cause(err)
	}
	return r, nil
}

// parse returns the query for u. part is the content-id if u names a part of a message, and ""
// if it names a message. It returns access.ErrNoScheme for another scheme.
func parse(u url.URL) (q Query, part string, err error) {
	switch u.Scheme() {
	case "mid":
		v, err := scheme.ParseMid(u)
		if err != nil {
			return q, "", err
		}
		q.MessageID, part = v.MessageID, v.ContentID.Text
	case "cid":
		v, err := scheme.ParseCid(u)
		if err != nil {
			return q, "", err
		}
		q.ContentID, part = v.ContentID, v.ContentID
	default:
		return q, "", access.ErrNoScheme
	}
	return q, part, errors.Join(wire.CheckArgument("message-id", q.MessageID, ""), wire.CheckArgument("content-id", part, ""))
}

// find returns the first message that a source has for q. If no source has it, the error joins
// the errors of the sources that failed; if all lack it, the error wraps fs.ErrNotExist. Without
// sources the error is ErrNoMail.
func (c Client) find(ctx context.Context, q Query) (*Message, error) {
	if len(c.Sources) == 0 {
		return nil, access.WithRemedy(ErrNoMail, access.NeedMail)
	}
	var failed []error
	for _, s := range c.Sources {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		m, err := s.Find(ctx, q)
		if err == nil {
			return m, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(failed) > 0 {
		return nil, errors.Join(failed...)
	}
	return nil, notFound(q)
}

// notFound returns the error for a query that no message matches. It wraps fs.ErrNotExist.
func notFound(q Query) error {
	return fmt.Errorf("no mail has %s: %w", q, fs.ErrNotExist)
}

// A Message is a message that was found.
type Message struct {
	// Body reads the message from its start. The caller closes it, perhaps from
	// another goroutine.
	Body io.ReadCloser
	// Size is the size in bytes; -1 if unknown.
	Size int64
	// ModTime is the time of storage; zero if unknown. See [access.Resource].
	ModTime time.Time
}
