// Package nntp opens news, snews, nntp and nntps URLs (RFC 1738 §3.6, §3.7) over
// NNTP (RFC 3977), reads them from a spool of articles already received, and
// posts articles.
//
//	news:*                     LIST            every group
//	news:comp.lang.misc        GROUP, OVER     the newest articles of a group
//	news:id@example.org        ARTICLE <id>    an article
//	nntp://h/comp.lang.misc    GROUP, OVER     the same at that very server
//	nntp://h/comp.lang.misc/7  GROUP, ARTICLE 7
//
// A news URL does not say where it is: it is looked up in [Client.Spool] and at
// [Client.Server]. "news://h/…" (RFC 5538) is about the server h.
//
// The listing of a group is a window: at most [Client.Window] articles, newest
// first, and after them an entry that leads to the next window. Its URL has the
// numbers of the articles that are left, as Lynx writes them:
//
//	nntp://h/comp.lang.misc/1-4510
//	news:comp.lang.misc/1-4510
//
// Servers of RFC 977's age are asked for what they have: XOVER where there is no
// OVER, and HEAD where there is neither; MODE READER where a server that knows
// no CAPABILITIES, or has another mode, wants it.
//
// One connection serves one access. Its greeting, CAPABILITIES and the rest come
// before every access; an engine around this one may keep what it fetched.
//
// Notable divergences:
//   - RFC 1738 §3.7: "group/FIRST-LAST", a window of a group, is no nntp or news
//     URL of that document, and package scheme has no view of it.
//   - RFC 1738 §3.7: the articles of nntp://h/group name their references by
//     RFC 5538's news://h/id, which stays at that server.
//   - RFC 3977 §3.1: a line of an article may have any length.
//   - RFC 4643 §2.3: to a server that offers no STARTTLS a password is not sent,
//     unless the server is on this machine, or [Client.Security]
//     is NeverTLS.
package nntp

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"time"

	"locus/access"
	"locus/url"
)

// A Client opens news, snews, nntp and nntps URLs. It is an
// [access.Engine]. The Sys of what it finds is a [Group] for a newsgroup, an [Overview] for an article of a listing,
// an [Article] for an article that is opened.
//
// It may be used by several goroutines at once.
type Client struct {
	// Dial connects to the server. Nil refuses every access but those that
	// Spool answers.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Server is the user's own news server, host or host:port, for URLs that
	// name none (RFC 1738 §3.6). Empty refuses those, with a hint.
	Server string

	// Spool has articles already received. URLs that name no server are looked
	// up there first. Nil is none.
	Spool *Spool

	// User is who logs in where a server wants that. Empty asks Request.Login.
	User string

	// TLS is for nntps and snews URLs and for STARTTLS. Nil verifies servers by
	// the certificates that the system trusts.
	TLS *tls.Config

	// Security says when nntp and news URLs use TLS. OpportunisticTLS uses it where
	// the server demands it, or offers it and a password is to be sent; a password
	// goes in the clear to this machine alone. RequireTLS refuses servers that do
	// not offer it. NeverTLS sends passwords in the clear.
	Security access.Security

	// Idle is how long the server may send or accept nothing; 0 is a minute.
	Idle time.Duration

	// Window is how many articles a listing of a group has at most; 0 means
	// 200.
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
	Low    uint64 // number of the oldest article
	High   uint64 // of the newest; below Low if there is none
	Status string // "y" if one may post, "n" if not, "m" if moderated (RFC 3977 §7.6.3); "" if unknown
}

// An Article is the Sys of an article that is opened.
type Article struct {
	Number    uint64 // in the group it was opened in; 0 if it was opened by its id
	MessageID string // without angle brackets, as the server says; "" if it does not
}

// get opens a news, snews, nntp or nntps URL, as the package comment says. The
// Resource has a List if the URL names a group, or all. An article comes
// as RFC 5536 writes it, its lines ending in CR LF; its size is not known before.
//
// Request.Offset does not work here: an article comes from its start.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	to, err := parse(req.URL)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	if c.spools(to) {
		r, err := c.Spool.open(ctx, to, req.URL)
		if !c.goesOn(err) {
			return r, access.Fail("open", req.URL, err)
		}
	}
	r, err := onSession(ctx, c, to, req, (*session).open)
	return r, access.Fail("open", req.URL, err)
}

// Do gets and stats articles and groups, and posts articles to groups (Append).
// Every other Op is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return c.get(ctx, req)
	case req.Op == access.Stat:
		return access.Found(c.stat(ctx, req))
	case req.Op == access.Append:
		return access.Done(c.post(ctx, req))
	}
	return nil, access.Unsupported(req)
}

// stat finds the attributes of an article, from its header, or of a group.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	to, err := parse(req.URL)
	if err != nil {
		return access.Entry{}, access.Fail("stat", req.URL, err)
	}
	if c.spools(to) {
		e, err := c.Spool.stat(ctx, to, req.URL)
		if !c.goesOn(err) {
			return e, access.Fail("stat", req.URL, err)
		}
	}
	e, err := onSession(ctx, c, to, req, (*session).stat)
	return e, access.Fail("stat", req.URL, err)
}

// post posts an article to the group that the URL names (RFC 3977 §6.3.1) and
// returns its URL, if its message-id is known. The article is a header, an empty
// line and a body; its lines may end in LF, too. If it has no Newsgroups line it
// gets one. An article that ends in an error of body is not posted.
func (c Client) post(ctx context.Context, req *access.Request) (url.URL, error) {
	to, err := parse(req.URL)
	if err != nil {
		return url.URL{}, access.Fail("append", req.URL, err)
	}
	if to.what != group || to.windowed {
		return url.URL{}, access.Fail("append", req.URL, errNotGroup)
	}
	d, err := readDraft(req.Content(), to.group)
	if err != nil {
		return url.URL{}, access.Fail("append", req.URL, err)
	}
	u, err := onSession(ctx, c, to, req, func(s *session) (url.URL, error) { return s.post(d) })
	return u, access.Fail("append", req.URL, err)
}

// spools reports whether the spool is asked for what a URL names.
func (c Client) spools(to target) bool { return c.Spool != nil && to.anywhere() }

// goesOn reports whether what the spool does not have is asked of the server.
func (c Client) goesOn(err error) bool { return errors.Is(err, fs.ErrNotExist) && c.Server != "" }
