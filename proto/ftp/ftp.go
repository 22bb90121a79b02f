// Package ftp opens ftp URLs (RFC 1738 §3.2) over FTP (RFC 959).
//
// A URL is a series of commands:
//
//	ftp://host/cwd1/cwd2/name;type=i
//
//	CWD cwd1
//	CWD cwd2
//	TYPE I
//	RETR name
//
// Each part is sent decoded, in one command, whatever octets it has: "%2Fetc"
// is CWD /etc, an empty part is CWD and an empty argument. ";type=d" is NLST
// name. A URL whose name is empty, or that has no path, is the directory
// itself: it is listed with MLSD if the server has it, with LIST if not, and
// with NLST if it has neither. A name is never tried as a directory unasked.
//
// Without a type code the type is guessed (§3.2.3): A for names that end in
// .txt, .text, .htm or .html, in either case, and I for all others. Type A
// changes the ends of lines on the way, so it is for files that are nothing but
// text to read; for the others today's users expect every octet as it is, and
// that is type I.
//
// SIZE, MDTM, EPSV and FEAT (RFC 2389, 2428, 3659) are asked where they help and
// may fail. Mode is always stream.
//
// A connection serves one access, unless there is a [Pool]. RFC 1738 §3.2.5 lets
// a connection be used again only if no directory was changed in between, or if
// the directory is proved to be the same; a new one is "the only reliable
// algorithm".
//
// The other operations of RFC 1738 §2 go to the same directory in the same way:
// Put replaces a file, Append updates it, Stat finds its attributes; Delete and
// MakeDir do the rest.
//
// A URL of ftps is the same over TLS from the first octet (port 990), with data
// over TLS too; Client.Security asks for TLS on ftp URLs (RFC 4217).
//
// Notable divergences:
//   - RFC 959 §4.1.2, PASV: the address in the reply is not used. Data are
//     fetched from the host that the control connection leads to, and from a
//     port above 1023, whatever the server says: a reply may not send the client
//     to somebody else (RFC 2577 §3).
//   - RFC 959 §4.1.3, ABOR: it is sent without Telnet's Synch before it, when the
//     data connection is closed already.
//   - RFC 1738 §3.2.2 has "TYPE <typecode>"; the code is sent in upper case and
//     RFC 1630's formats with the space that RFC 959 wants: ";type=an" is TYPE A N.
//   - RFC 1738 §3.2.3: the type of a file to be stored is not guessed; it is I
//     unless the URL says otherwise, so that the octets stay what they are.
//   - RFC 959 §3.1.1.1: in types A and E the octets come as they are on the wire,
//     lines ending in CR LF. Their number is not known before, and an access to
//     a part of them begins at the start.
//   - RFC 4217 §10.2: a data connection over TLS that ends without close_notify
//     has ended early, unless the number of octets proves that it has not.
package ftp

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"golang.org/x/text/encoding"

	"locus/access"
)

// A Client opens ftp and ftps URLs, and changes what they name. It is an
// [access.Engine] that refuses Ask alone. The Sys of its
// entries is a [Line] if they come from a listing. Entries never have the
// password of the URL that was listed.
//
// A server that cannot do something now (4yz) gives an error that wraps
// access.ErrTemporary, one that has no room (452, 552) access.ErrFull, and one that
// wants TLS and is asked without it [ErrTLSRequired], whatever code it uses.
//
// It may be used by several goroutines at once.
type Client struct {
	// Dial connects to the server, and to the same host again for data: to
	// the IP address that RemoteAddr of the first connection has, or to the
	// host in the URL if it has none. A dialler that goes through a proxy must
	// not give the proxy's address there. Connections that have the method
	// SetKeepAliveConfig of a net.TCPConn are kept alive, but for the data of files
	// that are known to have 64 KiB at most. Nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Listen, if not nil, lets the server connect for data (active mode: EPRT or
	// PORT) instead of being connected to. The address is the one that the
	// control connection comes from, with port 0. Whoever else connects is sent
	// away.
	Listen func(ctx context.Context, network, address string) (net.Listener, error)

	// Pool keeps connections between accesses. Nil keeps none.
	Pool *Pool

	// TLS is how the server proves who it is; nil is Go's default. The ServerName,
	// unless set, is the host of the URL, and ClientSessionCache is not used.
	TLS *tls.Config

	// Security says whether ftp URLs use TLS (RFC 4217); those of ftps always do.
	// OpportunisticTLS asks for it before it sends a user name; if the server
	// refuses, user and password go in the clear, as FTP always sent them. Anonymous
	// logins do not ask. RequireTLS refuses servers without TLS. NeverTLS does not
	// ask.
	Security access.Security

	// Idle is how long the server may send or accept nothing; 0 is a minute.
	Idle time.Duration

	// Email is sent as the password of anonymous logins (RFC 1738 §3.2.1).
	// Empty means "anonymous@".
	Email string

	// Account is sent to servers that want one (ACCT, after 332). Empty means
	// that there is none, and such a server is refused.
	Account string

	// Charset is the character set of the server's names, where the names in
	// URLs are in UTF-8. Nil leaves every octet as it is.
	Charset encoding.Encoding

	// UTF8 sends OPTS UTF8 ON after the login, for old servers that do not
	// understand UTF-8 without.
	UTF8 bool

	// Binary guesses no type: what the URL gives none comes in type I, every
	// octet as it is, and from any offset. It is for those who pass files on.
	Binary bool

	// Direct lets Put write into the file itself. A failure loses what it was.
	Direct bool

	// Mode is sent with SITE CHMOD for every file that was stored, such as "644".
	// Empty sends nothing.
	Mode string

	// Now tells the year of listings that leave it out. Nil means time.Now.
	Now func() time.Time
}

// port returns the port of a scheme (RFC 959 §8; IANA's for ftps).
func port(scheme string) uint16 {
	if scheme == "ftps" {
		return 990
	}
	return 21
}

// get opens an ftp URL, as the package comment says. The Resource has a List if
// the URL is a directory or has ";type=d".
//
// Request.Offset works in type I. Request.IfChanged and IfMatch compare what
// MDTM says. With Request.Known neither SIZE nor MDTM is asked.
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	e, err := c.errand(ctx, req, asItIs)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	r, err := onSession(e, (*session).open)
	return r, access.Fail("open", req.URL, err)
}

// Do does every Op with an ftp URL but Ask.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, access.Unsupported(req)
	}
	switch req.Op {
	case access.Get:
		return c.get(ctx, req)
	case access.Stat:
		return access.Found(c.stat(ctx, req))
	case access.Put:
		return access.Done(req.URL, change(ctx, c, req, file, (*session).store))
	case access.Append:
		return access.Done(c.add(ctx, req))
	case access.Delete:
		return access.Done(req.URL, change(ctx, c, req, named, (*session).remove))
	case access.MakeDir:
		return access.Done(req.URL, change(ctx, c, req, named, (*session).makeDir))
	default:
		return nil, access.Unsupported(req)
	}
}

// stat finds the attributes of what an ftp URL names: with MLST, or with SIZE
// and MDTM, or in the listing of the directory that it is in. Size is that of
// the file on the server, in type I.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := c.errand(ctx, req, asItIs)
	if err != nil {
		return access.Entry{}, access.Fail("stat", req.URL, err)
	}
	entry, err := onSession(e, (*session).stat)
	return entry, access.Fail("stat", req.URL, err)
}

// change does something that has no result on a session, and ends that.
func change(ctx context.Context, c Client, req *access.Request, read reading, do func(*session) error) error {
	e, err := c.errand(ctx, req, read)
	if err != nil {
		return access.Fail(req.Op.String(), req.URL, err)
	}
	_, err = onSession(e, func(s *session) (struct{}, error) {
		err := do(s)
		if err == nil {
			s.leave()
		}
		return struct{}{}, err
	})
	return access.Fail(req.Op.String(), req.URL, err)
}

// CloseIdleConnections says goodbye on every connection that the Pool keeps and
// nobody uses.
func (c Client) CloseIdleConnections() { c.Pool.closeIdle() }

// errand returns what is to be done for req.
func (c Client) errand(ctx context.Context, req *access.Request, read reading) (*errand, error) {
	view, sent, err := c.parse(req.URL, read)
	if err != nil {
		return nil, err
	}
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	return &errand{client: c, ctx: ctx, req: req, view: view, wire: sent}, nil
}

// onSession runs an errand on a session, which it ends if that fails. If that
// was because a connection had been closed while nobody used it, it is run
// again on a new one.
func onSession[T any](e *errand, do func(*session) (T, error)) (T, error) {
	var nothing T
	for fresh := false; ; fresh = true {
		s, err := e.begin(fresh)
		if err != nil {
			return nothing, err
		}
		result, err := do(s)
		if err == nil {
			return result, nil
		}
		stale := s.isStale()
		s.end(err)
		if !stale {
			return nothing, e.why(err)
		}
	}
}
