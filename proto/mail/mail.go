// Package mail opens mid and cid URLs (RFC 1630, RFC 2392) in mail that was
// already received, and writes and sends what mailto URLs ask for (RFC 1738
// §3.5, RFC 6068).
//
//	mid:960830.1639@XIson.com/partA.960830.1639@XIson.com
//	    \___________________/ \_________________________/
//	      a message by its id    a part of it by its id
//	cid:partA.960830.1639@XIson.com
//	    a part of whichever message has it
//
// Received mail is a list of [Source] values: [Maildir], [Mbox], [IMAP]. They
// are only read; no flag changes. Writing is [Draft], sending [ReadOutgoing]
// and [SMTP]. A message is never held in memory, whatever its size.
//
// Notable divergences:
//   - RFC 2392 §2 reads a cid URL within the message in which it stands. Opened
//     alone it is looked for in all mail; mid:id/cid says which message is meant.
//   - RFC 2046 §5.2.1: parts are not looked for inside a message that is itself
//     a part.
//   - RFC 2045 §6.8: octets that are not base64 are skipped, as it wants; text
//     after the padding is not.
//   - mbox has no standard (RFC 4155 describes one). "From " begins a message at
//     the start of the file, or after an empty line if a time of day follows;
//     Content-Length is ignored.
//   - RFC 6068 §2 knows header fields that are safe. Of a mailto URL only to,
//     subject, cc, bcc, body, in-reply-to, references, keywords and comments
//     become part of a message, the others are named in [Draft.Dropped].
//   - RFC 6068 §5 writes the end of a line in the body as %0D%0A. CR alone and LF
//     alone end one too; in any other field all of them are refused.
//   - RFC 3501 §6.4.4: searching for a cid in IMAP asks the server for the text;
//     servers that search by words may not find it where mid:id/cid would.
package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Client opens mid and cid URLs. It is an [access.Engine]. It
// may be used by several goroutines at once.
type Client struct {
	// Sources is the mail that was received, in the order in which it is looked
	// through. Without any, every access is refused.
	Sources []Source
}

// A Source is a body of mail already received. [Maildir], [Mbox] and [IMAP] are
// such.
type Source interface {
	// Find opens the message that q asks for. If there is none the error wraps
	// fs.ErrNotExist. ctx governs reading the message too.
	Find(ctx context.Context, q Query) (*Message, error)
}

// A Query says which message is wanted.
type Query struct {
	// MessageID is that of the message, without angle brackets. Empty means any
	// message that has the part ContentID.
	MessageID string
	// ContentID is that of a part, without angle brackets. It counts only if
	// MessageID is empty.
	ContentID string
	// URL is what is accessed.
	URL url.URL
	// Login is that of an [access.Request]; it may be nil.
	Login func(ctx context.Context, c access.Challenge) (access.Credentials, error)
}

// String gives the query as people write ids: "<id>".
func (q Query) String() string {
	if q.MessageID != "" {
		return "<" + q.MessageID + ">"
	}
	return "part <" + q.ContentID + ">"
}

// ErrNoMail says that a [Client] has no Sources.
var ErrNoMail error = noMail{}

type noMail struct{}

func (noMail) Error() string { return "no received mail was given" }
func (noMail) Unwrap() error { return errors.ErrUnsupported }
func (noMail) Suggest() access.Remedy {
	return access.NeedMail{}
}

// get opens a mid or cid URL.
//
// A message comes as it is stored, as message/rfc822; an mbox's quoting of
// "From " is taken off. It has a List too, of what a reader shows: the
// lines of the main header fields and of plain text (Kind Info), and its other
// parts, with the URL mid:id/cid of those that have a content-id.
//
// A part comes decoded, with its own media type. Either starts at the first
// octet, whatever Request.Offset is.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := c.open(ctx, req)
	return r, access.Fail("open", req.URL, err)
}

// Do gets and stats messages and their parts. Every other Op is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return c.get(ctx, req)
	case req.Op == access.Stat:
		return access.Found(c.stat(ctx, req))
	}
	return nil, access.Unsupported(req)
}

// stat finds the attributes of a message or a part: for a message its subject
// and size, for a part its name and type.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	r, err := c.open(ctx, req)
	if err != nil {
		return access.Entry{}, access.Fail("stat", req.URL, err)
	}
	defer r.Body.Close()
	title, _ := r.Sys.(Title)
	return access.Entry{
		Title: string(title), URL: req.URL, Kind: access.Object,
		Type: r.Type, Size: r.Size, ModTime: r.ModTime,
	}, nil
}

// A Title is the Sys of a [access.Resource] of this package: the subject of a
// message, the name of a part; "" if it has none.
type Title string

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
		err = b.whole(q.MessageID, r)
	} else {
		err = b.part(part, r)
	}
	if err != nil {
		m.Body.Close()
		return nil, b.why(err)
	}
	return r, nil
}

// parse returns what u asks for, and the content-id of the part if it is one.
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

// find looks through all sources. What fails in one matters only if no other
// has the message.
func (c Client) find(ctx context.Context, q Query) (*Message, error) {
	if len(c.Sources) == 0 {
		return nil, ErrNoMail
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

func notFound(q Query) error {
	return fmt.Errorf("no mail has %s: %w", q, fs.ErrNotExist)
}

// A Message is a stored message that was found.
type Message struct {
	// Body gives it from its first octet. The caller closes it, perhaps from
	// another goroutine.
	Body io.ReadCloser
	// Size is its size in octets; -1 if unknown.
	Size int64
	// ModTime is when it was stored; zero if unknown. See [access.Resource].
	ModTime time.Time
}
