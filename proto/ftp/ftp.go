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
// Each part of the path is decoded and sent in one command, whatever bytes it contains. "%2Fetc"
// sends CWD /etc. An empty part sends CWD with an empty argument. ";type=d" sends NLST name. A URL
// without a path, or with an empty name, is a directory. The client lists it with MLSD, else with
// LIST, else with NLST. It does not try a name as a directory unless the URL says that it is one.
//
// Without a type code the client guesses the type (§3.2.3). Names that end in .txt, .text, .htm or
// .html, in either case, get type A. All other names get type I. Type A changes line ends on the
// way, so it fits plain text only. Type I keeps every byte.
//
// SIZE, MDTM, EPSV and FEAT (RFC 2389, 2428, 3659) are optional: a request does not fail because
// the server refuses them. The mode is always stream.
//
// Without a [Pool] each request has its own connection, because RFC 1738 §3.2.5 allows a connection
// to be reused only in the same directory and calls a new connection "the only reliable algorithm".
//
// Put, Append, Stat, Delete and MakeDir (RFC 1738 §2) change directory in the same way. [Client.Do]
// describes each operation.
//
// An ftps URL uses TLS from the first byte (port 990), and for data too. Client.Security asks for
// TLS on ftp URLs (RFC 4217).
//
// # How the pieces work together
//
// A request becomes an operation, unless a name in it would end its command (names.go). The
// operation takes a logged-in controlConn (control.go) from the [Pool] (pool.go), or dials and logs
// in (login.go, secure.go). A boundConn owns the connection until the request ends (bound.go). It
// enters the directory of the URL, and then opens a file or a listing (open.go, list.go), asks for
// attributes (stat.go), or changes a file (store.go, remove.go). The connection returns to the Pool
// only if every command was answered, because a late reply would be taken for the reply to another
// command.
//
// The bytes of a file use a connection of their own (data.go). After a Get the Body owns both
// connections: the caller's reads drive a stream (stream.go), and a listing parses its lines
// (parse.go, unix.go). During an upload, a goroutine watches the control connection for a refusal,
// because some servers then leave the data connection open (upload.go). Commands that need not wait
// travel with the transfer command, to save round trips (pipeline.go, uploadpipelined.go). If a
// pooled connection turns out to be closed, Do repeats the request once. If the code of a refusal
// has several meanings, explain asks the server once more (errors.go, unclear.go).
//
// Notable divergences:
//   - RFC 959 §4.1.2, PASV: the client ignores the address in the reply. It
//     connects for data to the host of the control connection, on a port above
//     1023, so that a reply cannot send it to another host (RFC 2577 §3).
//   - RFC 959 §4.1.3, ABOR: no Telnet Synch is sent before it, because the data
//     connection is closed by then.
//   - RFC 1738 §3.2.1 has the user's e-mail address as the password of an
//     anonymous login. The client sends Client.Email. If that is empty, it
//     sends "anonymous@", which reveals no address and belongs to nobody.
//     Browsers, curl and wget always send a fixed text.
//   - RFC 1738 §3.2.2 has only the CWDs of the URL after the login. The client does the same for
//     the first request of a login. Later requests may be optimized (§3.2.5): with a [Pool], PWD
//     may precede their first CWD.
//   - RFC 1738 §3.2.2 has "TYPE <typecode>". The code is sent in upper case,
//     and RFC 1630's formats get the space that RFC 959 wants: ";type=an" is
//     TYPE A N.
//   - RFC 1738 §3.2.3: the type of an upload is not guessed. It is I unless
//     the URL has a type code, so that the bytes do not change.
//   - RFC 959 §3.1.1.1: with types A and E the caller reads the bytes of the
//     wire, with lines that end in CR LF, unless Client.UnixText is set. Their
//     number is not known in advance, and an Offset is ignored.
//   - RFC 4217 §10.2: a data connection over TLS that ends without close_notify
//     ended early, unless the number of bytes proves that the data are complete.
package ftp

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"golang.org/x/text/encoding"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
)

// A Client opens and changes the files and directories that ftp and ftps URLs name. It is an
// [access.Engine]. [Client.Do] describes each Op. Several goroutines may use a Client at once.
//
// Errors: a 4yz reply wraps access.ErrTemporary; a full disk (452, 552) wraps
// access.ErrFull; a server that requires TLS gives [ErrTLSRequired], whatever
// code it uses. A 550 wraps fs.ErrNotExist if its text says that the name does
// not exist, or if MLST or the listing of its directory shows that. Otherwise it
// is a refusal, which wraps fs.ErrPermission.
type Client struct {
	// Dial connects to the server, and again to the same host for data. For data
	// it gets the IP address in RemoteAddr of the control connection, or the host
	// of the URL if RemoteAddr has no IP address. A dialer that uses a proxy must
	// not report the proxy's address there. The client enables TCP keep-alive on
	// connections that have the method SetKeepAliveConfig of a net.TCPConn, except
	// on data connections for files known to have at most 64 KiB. Nil refuses
	// every request.
	Dial proto.Dial

	// Passive says how the client asks for a data port.
	Passive Passive

	// Listen, if not nil, selects active mode: the server connects to the
	// client for data (EPRT or PORT). It is called with the local address of the
	// control connection and port 0. The client closes connections from other hosts.
	Listen func(ctx context.Context, network, address string) (net.Listener, error)

	// Pool keeps connections between requests. Nil keeps none.
	Pool *Pool

	// TLS configures TLS; nil means Go's defaults. An empty ServerName means
	// the host of the URL. ClientSessionCache is ignored.
	TLS *tls.Config

	// Security says whether ftp URLs use TLS (RFC 4217). ftps and ftpes URLs always do: ftps from the
	// first byte, and ftpes as with RequireTLS.
	//
	// OpportunisticTLS asks for TLS before it sends the user of a URL. If the
	// server refuses, the client sends user and password unencrypted, because
	// most old servers do not know TLS; so an attacker on the way can remove TLS.
	// If TLS fails after the server agreed, or the certificate is not trusted,
	// the request fails before user and password are sent; the Remedy is
	// access.AllowCleartext. If the server refuses to encrypt data connections,
	// only the control connection is encrypted. Anonymous logins do not ask for TLS.
	//
	// RequireTLS fails unless everything is encrypted. NeverTLS does not ask.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte;
	// 0: a minute, negative: no limit.
	Idle time.Duration

	// Email is sent as the password of anonymous logins (RFC 1738 §3.2.1).
	// Empty means "anonymous@".
	Email string

	// Account is sent to servers that require one (ACCT, after 332). Empty
	// refuses such servers.
	Account string

	// Charset is the character set of names on the server. Names in URLs are
	// then in UTF-8. Nil passes the bytes of names unchanged.
	Charset encoding.Encoding

	// UTF8 sends OPTS UTF8 ON after the login. Some old servers need it to
	// understand UTF-8.
	UTF8 bool

	// Binary disables the guess of a type: URLs without a type code get type I,
	// which changes no byte and can start at any offset. Programs that pass files
	// on set it.
	Binary bool

	// UnixText ends the lines of a download in type A with LF, as Unix does. Otherwise they
	// end in CR LF, as the server sends them.
	UnixText bool

	// Direct lets Put write into the file itself. A failed Put then loses the
	// old file.
	Direct bool

	// Mode, such as "644", is sent with SITE CHMOD for every uploaded file, unless
	// the Request has a Mode. Empty sends no SITE CHMOD.
	Mode string

	// Now returns the current time, which supplies the year of listing lines that
	// have none. Nil means time.Now.
	Now func() time.Time
}

// Passive says how a client asks a server for a port to which it connects for data.
type Passive uint8

const (
	// EPSVThenPASV asks with EPSV (RFC 2428), and with PASV (RFC 959) if the server refuses EPSV or
	// the port cannot be reached. Firewalls and NATs that know PASV only make ports of EPSV
	// unreachable.
	EPSVThenPASV Passive = iota
	// OnlyEPSV never asks with PASV.
	OnlyEPSV
	// OnlyPASV never asks with EPSV. It fails over IPv6.
	OnlyPASV
)

// Do executes every Op except Ask, which wraps errors.ErrUnsupported.
//
// Get opens a file or a directory. The Resource of a directory, or of ";type=d", has a List. The
// Sys of its entries is a [Line]. Their URLs have no password. Offset works in type I only.
// IfChanged and IfMatch are compared with the reply to MDTM. A Request with Known sends neither
// SIZE nor MDTM.
//
// Stat finds attributes with MLST, else with SIZE and MDTM, else in the listing of the parent
// directory. Size is the size on the server, in type I.
//
// Put replaces a file. It uploads to a temporary file, NAME.part- and eight digits, in the same
// directory. It renames that file after the server has confirmed it, and its size if the server has
// SIZE. Until then the old file is unchanged. After an error Put deletes the temporary file; if
// that fails, the error has a hint that the file may still exist. Client.Direct writes into the
// file instead. The type is I unless the URL has a type code. Type A sends CR LF for a lone LF.
// IfMatch and IfAbsent are checked with MDTM before the upload; another client can still change the
// file in between. ModTime is sent with MFMT, or with MDTM to vsftpd, and ignored for other
// servers. Mode is sent with SITE CHMOD. Put with an Offset appends the rest to a file that has
// exactly that size (REST and STOR).
//
// Append adds to a file, or creates it (APPE). If the URL names a directory (its name is empty) the
// server picks the name of a new file (STOU). The Resource has its URL if the server reports it.
// After an error a part of Body may have been added.
//
// Delete removes a file (DELE). If the URL ends in "/" or has ";type=d", it removes an empty
// directory (RMD). IfMatch is checked with MDTM before. MakeDir creates a directory (MKD).
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, engine.Unsupported(req)
	}
	return engine.For(req).Result(c.do(ctx, req))
}

// do checks req and executes it on a control connection. It executes req once more, on a new
// connection, if an idle connection turns out to be closed.
func (c Client) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	view, sent, err := c.parse(req)
	if err != nil {
		return nil, err
	}
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	if view.Scheme == "ftpes" {
		c.Security = access.RequireTLS
	}
	o := &operation{client: c, ctx: ctx, req: req, view: view, sent: sent}
	for forceNew := false; ; forceNew = true {
		b, err := o.openConn(forceNew)
		if err != nil {
			return nil, err
		}
		r, err := b.execute()
		if err == nil {
			return r, nil
		}
		stale := b.isStale()
		err = b.explain(err)
		b.finish(err)
		if !stale {
			return nil, o.cause(err)
		}
	}
}

// execute sends the commands of the request. If that succeeds, it releases the connection, except
// after Get, because the Resource releases it. After an error the caller must call finish.
func (b *boundConn) execute() (*access.Resource, error) {
	if err := b.changeDir(); err != nil {
		return nil, err
	}
	e := access.Entry{URL: b.req.URL, Size: -1}
	var err error
	switch b.req.Op {
	case access.Get:
		return b.open()
	case access.Stat:
		e, err = b.stat()
	case access.Put:
		err = b.put()
		e.ModTime = b.storedTime
	case access.Append:
		e.URL, err = b.append()
	case access.Delete:
		err = b.remove()
	case access.MakeDir:
		err = b.makeDir()
	}
	if err == nil {
		b.release()
	}
	return engine.Found(e, err)
}

// CloseIdleConnections sends QUIT on every idle connection of the Pool and
// closes it.
func (c Client) CloseIdleConnections() { c.Pool.shared().CloseIdle() }
