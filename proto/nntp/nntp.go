// Package nntp opens news, snews, nntp and nntps URLs (RFC 1738 §3.6, §3.7) over NNTP (RFC 3977).
// It also reads them from a spool of received articles, and posts articles.
//
//	news:*                     LIST            every group
//	news:comp.lang.misc        GROUP, OVER     the newest articles of a group
//	news:id@example.org        ARTICLE <id>    an article
//	nntp://h/comp.lang.misc    GROUP, OVER     the same at server h
//	nntp://h/comp.lang.misc/7  GROUP, ARTICLE 7
//
// A news URL does not name a server. It is looked up in [Client.Spool] and at [Client.Server].
// "news://h/…" (RFC 5538) names the server h.
//
// The listing of a group is a window: at most [Client.Window] articles, newest first. An entry
// after them leads to the next window. Its URL ends in the range of the remaining article numbers,
// as in Lynx:
//
//	nntp://h/comp.lang.misc/1-4510
//	news:comp.lang.misc/1-4510
//
// Old servers (RFC 977) are supported: XOVER replaces OVER, and HEAD replaces both. MODE READER is
// sent to servers without CAPABILITIES, or in another mode.
//
// Each request has its own connection, with greeting and CAPABILITIES. An engine around this one
// may cache results.
//
// # How the pieces work together
//
// A URL becomes a target: all groups, a group or an article (target.go). If it names no server, the
// [Spool] is asked first (spool.go), which finds articles in files by an index of message-ids
// (index.go). Otherwise a serverConn connects, reads the greeting and the capabilities, and
// executes the one request for which it was made. If a reply demands TLS or a login, withRetry does
// that once and repeats the command (conn.go).
//
// An article, or the list of all groups, arrives while the caller reads. So the Body owns the
// connection: it finds the end of the reply (dots.go), and then sends QUIT (article.go). The window
// of a group is read at once and the connection closed, because the server sends the oldest
// articles first and the listing begins with the newest (listing.go, overview.go). The caller's
// goroutine does all of this. An article to post is read and checked up to its body before Client
// connects; if the rest cannot be read, the final line is missing and the server drops the article
// (post.go). A caller that has opened an article gets its links from [Links] (links.go).
//
// Notable divergences:
//   - RFC 1738 §3.7: "group/FIRST-LAST", a window, is not a URL of that
//     document. Package scheme has no view of it.
//   - RFC 1738 §3.7: references of nntp://h/group articles use RFC 5538's
//     news://h/id, which names the same server.
//   - RFC 3977 §3.1: a line of an article may have any length.
//   - RFC 4643 §2.3: without STARTTLS a password is not sent, unless the
//     server is on this machine or [Client.Security] is NeverTLS.
package nntp

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"strconv"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/scheme"
)

// A Client opens news, snews, nntp and nntps URLs, and posts articles. It is an [access.Engine].
// [Client.Do] describes each Op. Several goroutines may use a Client at once.
type Client struct {
	// Dial connects to the server. Nil refuses every request that Spool cannot
	// answer.
	Dial proto.Dial

	// Server is the user's news server, host or host:port, for URLs without a
	// server (RFC 1738 §3.6). Empty refuses such URLs, with a hint.
	Server string

	// Spool has received articles. URLs without a server are looked up there
	// first. Nil means that there is no spool.
	Spool *Spool

	// User logs in if the server requires a login. Empty asks Request.Login.
	User string

	// TLS is for nntps and snews URLs and for STARTTLS. Nil trusts the system's
	// certificates.
	TLS *tls.Config

	// Security says when nntp and news URLs use TLS. OpportunisticTLS uses it
	// if the server requires it, or before a password if the server offers it.
	// It sends unencrypted passwords to this machine only. RequireTLS refuses
	// servers without TLS. NeverTLS sends passwords unencrypted.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte;
	// 0: a minute, negative: no limit.
	Idle time.Duration

	// Window limits the articles in a listing of a group; 0: 200, negative: no limit.
	Window int
}

const (
	defaultPort   = 119 // RFC 3977 §3.1
	securePort    = 563 // RFC 4642 §1
	defaultWindow = 200
)

// A Group is the Sys of an entry that is a newsgroup.
type Group struct {
	Name   string
	Low    uint64 // the number of the oldest article
	High   uint64 // the number of the newest article; below Low if the group is empty, 0 if unknown
	Status string // "y": posting allowed, "n": not allowed, "m": moderated (RFC 3977 §7.6.3); "" if unknown
}

// fields returns header fields with the number of articles, if known, and with the restrictions of
// posting, if any.
func (g Group) fields() access.Header {
	var fields access.Header
	if g.High >= g.Low && g.High > 0 {
		fields = append(fields, access.Field{Name: "Articles", Value: strconv.FormatUint(g.High-g.Low+1, 10)})
	}
	switch g.Status {
	case "m":
		fields = append(fields, access.Field{Name: "Posting", Value: "moderated"})
	case "n":
		fields = append(fields, access.Field{Name: "Posting", Value: "not allowed"})
	}
	return fields
}

// An Article is the Sys of an opened article.
type Article struct {
	Number    uint64 // in its group; 0 if it was opened by its id
	MessageID string // without angle brackets; "" if the server does not report it
}

// ArticleOf returns the number and message-id of an opened article. ok is false if r is not an
// article, or came through a wrapper that drops Sys.
func ArticleOf(r *access.Resource) (a Article, ok bool) {
	a, ok = r.Sys.(Article)
	return a, ok
}

// isImmutable reports whether the article never changes. A message-id always names the same article
// (RFC 5536 §3.1.3), but a number may name another one later.
func (a Article) isImmutable() bool { return a.Number == 0 && a.MessageID != "" }

// Do executes Get, Stat and Append. Every other Op wraps errors.ErrUnsupported.
//
// Get opens an article, or the listing of a group or of all groups, which has a List. An article is
// in the format of RFC 5536, with lines that end in CR LF. Its size is unknown. Offset is ignored.
// The Sys of an article is an [Article]. Entries of listings have a [Group] or an [Overview].
//
// Stat finds the attributes of an article, from its header, or of a group.
//
// Append posts an article to a group (RFC 3977 §6.3.1). Body is a header, an empty line and a body;
// lines may end in LF. A missing Newsgroups field is added. The Resource has the URL of the article
// if its message-id is known. If Body fails, the server drops the article.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil, req.Op == access.Stat, req.Op == access.Append:
		return engine.For(req).Result(c.do(ctx, req))
	}
	return nil, engine.Unsupported(req)
}

// do executes req. It looks into the spool first if the URL names no server. If the spool lacks
// the resource and Server is set, or without a spool, do connects to the server. Errors do not
// name the URL.
func (c Client) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	to, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	var d draft
	if req.Op == access.Append {
		if to.kind != oneGroup || to.isWindow {
			return nil, errNotGroup
		}
		if d, err = readDraft(engine.Content(req), to.group); err != nil {
			return nil, err
		}
	} else if c.Spool != nil && !to.numbered && to.Host == (scheme.Host{}) {
		r, err := c.Spool.do(ctx, to, req)
		if c.Server == "" || !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	s, err := c.connect(ctx, to, req)
	if err != nil {
		return nil, err
	}
	var r *access.Resource
	err = s.withRetry(func() (err error) {
		r, err = s.execute(d)
		return err
	})
	if err != nil {
		s.close()
		return nil, s.cause(err)
	}
	if req.Op != access.Get { // after a Get, the listing or the Body ends the connection
		s.quit()
	}
	return r, nil
}

// execute executes the request of the connection once. d is the article to post, and zero for
// other requests. After a Get of an article or of all groups, the Body owns the connection. A Get
// of a group closes it. After other requests, and after an error, the caller closes it.
func (s *serverConn) execute(d draft) (*access.Resource, error) {
	switch s.req.Op {
	case access.Stat:
		return engine.Found(s.attributes())
	case access.Append:
		return engine.Done(s.post(d))
	}
	switch s.to.kind {
	case allGroups:
		return s.listGroups()
	case oneGroup:
		return s.listGroup()
	}
	return s.openArticle()
}
