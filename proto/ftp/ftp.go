// Package ftp opens ftp URLs (RFC 1738 §3.2) over FTP (RFC 959), for reading.
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
// One connection serves one access. RFC 1738 §3.2.5 lets a connection be used
// again only if no directory was changed in between, or if the directory is
// proved to be the same; a new one is "the only reliable algorithm".
//
// Notable divergences:
//   - RFC 959 §4.1.2, PASV: the address in the reply is not used. Data are
//     fetched from the host that the control connection leads to, and from a
//     port above 1023, whatever the server says: a reply may not send the client
//     to somebody else (RFC 2577 §3).
//   - RFC 959 §4.1.1, ACCT: a server that wants an account is refused.
//   - RFC 1738 §3.2.2 has "TYPE <typecode>"; the code is sent in upper case and
//     RFC 1630's formats with the space that RFC 959 wants: ";type=an" is TYPE A N.
//   - RFC 959 §3.1.1.1: in types A and E the octets come as they are on the wire,
//     lines ending in CR LF. Their number is not known before, and an access to
//     a part of them begins at the start.
package ftp

import (
	"context"
	"net"
	"time"

	"locus/access"
	"locus/proto/internal/line"
	"locus/proto/internal/reply"
	"locus/scheme"
	"locus/url"
)

// A Client opens ftp URLs. It implements [access.Opener] and [access.Stater].
// The Sys of its entries is a [Line] if they come from a listing. Entries never
// have the password of the URL that was listed.
//
// It may be used by several goroutines at once.
type Client struct {
	// Dial connects to the server, and to the same host again for data: to
	// the IP address that RemoteAddr of the first connection has, or to the
	// host in the URL if it has none. A dialler that goes through a proxy must
	// not give the proxy's address there. Nil refuses every access.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Email is sent as the password of anonymous logins (RFC 1738 §3.2.1).
	// Empty means "anonymous@".
	Email string

	// Now tells the year of listings that leave it out. Nil means time.Now.
	Now func() time.Time
}

// defaultPort is that of RFC 959 §8.
const defaultPort = 21

// Open opens an ftp URL, as the package comment says. The Body is an
// [access.Lister] if the URL is a directory or has ";type=d".
//
// Request.Offset works in type I. Request.IfChanged and IfMatch compare what
// MDTM says.
func (c Client) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := onSession(ctx, c, req, (*session).open)
	if err != nil {
		return nil, reply.Failure("open", req.URL, err)
	}
	return r, nil
}

// Stat finds the attributes of what an ftp URL names: with MLST, or with SIZE
// and MDTM, or in the listing of the directory that it is in. Size is that of
// the file on the server, in type I.
func (c Client) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := onSession(ctx, c, req, (*session).stat)
	if err != nil {
		return access.Entry{}, reply.Failure("stat", req.URL, err)
	}
	return e, nil
}

// onSession does something on a session of its own, which it closes if that
// fails.
func onSession[T any](ctx context.Context, c Client, req *access.Request, do func(*session) (T, error)) (T, error) {
	var nothing T
	view, err := parse(req.URL)
	if err != nil {
		return nothing, err
	}
	s, err := c.connect(ctx, view, req)
	if err != nil {
		return nothing, err
	}
	result, err := do(s)
	if err != nil {
		s.close()
		return nothing, s.why(err)
	}
	return result, nil
}

// parse returns the view of u, all of whose parts are fit to be sent.
func parse(u url.URL) (scheme.FTP, error) {
	if u.Scheme() != "ftp" {
		return scheme.FTP{}, access.ErrNoScheme
	}
	v, err := scheme.ParseFTP(u)
	if err != nil {
		return scheme.FTP{}, err
	}
	args := []struct{ what, text string }{
		{"user name", v.User.Text}, {"password", v.Password.Text}, {"file name", v.Name},
	}
	for _, dir := range v.Dirs {
		args = append(args, struct{ what, text string }{"directory name", dir})
	}
	for _, arg := range args {
		if err := line.Check(arg.what, arg.text, ""); err != nil {
			return scheme.FTP{}, err
		}
	}
	return v, nil
}
