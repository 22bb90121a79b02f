// Package prospero opens prospero URLs (RFC 1738 §3.11) over version 5 of the
// Prospero protocol, whose messages travel in ARDP version 0, over UDP.
//
//	prospero://host:1525//pros/name;OBJECT-VERSION=3
//	                     \________/
//	                      hsoname: what the object is called there, and opaque
//
// One request asks what an object is and, if it is a directory, what is in it.
// A directory is a listing; an object has access methods, and is opened by the
// first that can be used: over Prospero itself, or as the URL that it stands for.
//
// ARDP divides a message into numbered packets. The client repeats its request
// after 4, 12 and 28 s and gives up after 60, unless the server has asked for
// more time; the server sends a window of packets, and goes on when it is
// acknowledged.
//
// Notable divergences:
//   - RFC 1738 §3.11 leaves the meaning of fields to servers: OBJECT-VERSION and
//     VERSION give the version of the object, HSONAME-TYPE the type of its name,
//     and any other selects the object that has this value in that field.
//   - RFC 1630's attributes after the version are not sent: nothing says what they
//     mean.
//   - Prospero §3.3: what forwards a request is not followed but an
//     [*access.Moved]. A redirect of ARDP is followed, as a union link is, to a
//     port above 1023 or 191, and to a loopback address from one alone.
//   - ARDP: a request is at most 16 packets, so that all are sent at once. The
//     notification of a redirect is not remembered.
//   - ARDP: a reply is taken from the address that was asked, unless
//     [Client.ListenPacket] allows more.
//   - Servers of 1993 that end every packet with a NUL (A50 to B51) are not
//     understood: a NUL is data to all others.
package prospero

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"locus/access"
)

// A Client opens prospero URLs. It is an [access.Engine].
// It keeps no socket and no state, and may be used by several goroutines at
// once.
type Client struct {
	// Dial connects, with the network "udp"; nil refuses every access. Each
	// address that anything is sent to goes through it: of the URL, of a
	// redirect, of a directory whose links belong to another.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// TLS is not used: Prospero has none.
	TLS *tls.Config

	// Security RequireTLS refuses every access, as Prospero has no TLS.
	Security access.Security

	// Idle is how long the server may send nothing, besides the time that it asks
	// for; 0 is a minute. A request that was sent four times in a minute without
	// an answer is given up in any case.
	Idle time.Duration

	// ListenPacket opens a socket that receives from any address, with the
	// network "udp"; nil means none. Some servers answer from another port than
	// the one that is asked (191), or from another of their addresses. So when
	// nothing has come after 4 s, the request is repeated through such a socket,
	// to the address that Dial connected to, and the reply is known by its
	// connection id alone: 16 bits, which a stranger could guess.
	ListenPacket func(ctx context.Context, network, address string) (net.PacketConn, error)

	// Timeout bounds an access whose context has no deadline; 0 means 5 minutes.
	// Gateways ask for 3 minutes, again and again.
	Timeout time.Duration

	// MaxOctets is how long a reply may be; 0 means 16 MiB. It is kept in
	// memory.
	MaxOctets int
}

func (c Client) mostOctets() int {
	if c.MaxOctets > 0 {
		return c.MaxOctets
	}
	return 16 << 20
}

// bounded returns ctx with the deadline of c if it has none.
func (c Client) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	if c.Timeout > 0 {
		return context.WithTimeout(ctx, c.Timeout)
	}
	return context.WithTimeout(ctx, 5*time.Minute)
}

// get opens an object or a directory.
//
// A directory is a listing. An EXTERNAL link has the URL of its first access
// method that can be written as one, other links a prospero URL; the Sys of each
// entry is a [*Link]. The links of a union link stand in its place, but for
// those whose names the directory has itself; if they cannot be had the union
// link is an entry. Read as octets, a listing is the reply of the server, from its
// start whatever the Offset.
//
// An object that is to be got otherwise than over Prospero is an
// [*access.Moved], and so is one that the server forwards. The octets of others
// have all arrived when get returns, whatever the Offset.
//
// The Sys of the Resource is an [*Object].
func (c Client) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := c.open(ctx, req)
	if err != nil {
		return nil, access.Fail("open", req.URL, err)
	}
	return r, nil
}

func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	t, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	limited, cancel := c.bounded(ctx)
	defer cancel()
	f, err := c.find(limited, t)
	if err != nil {
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: f.mediaType(), Size: -1, ModTime: f.modTime(), Sys: &f.Object}}
	if f.directory {
		return r, c.openDirectory(ctx, limited, r, f)
	}
	return r, c.openObject(ctx, limited, req, r, f)
}

// openDirectory makes r the listing of what was found. Its Body obeys ctx,
// while limited is for what has to be asked first.
func (c Client) openDirectory(ctx, limited context.Context, r *access.Resource, f finding) error {
	entries, err := c.splice(limited, f.target, f.links)
	if err != nil {
		return err
	}
	list := &listing{body: newBody(ctx, r.URL, f.text), entries: entries}
	r.Body, r.List = list, list
	return nil
}

// openObject makes r the octets of what was found.
func (c Client) openObject(ctx, limited context.Context, req *access.Request, r *access.Resource, f finding) error {
	if err := wanted(req, r); err != nil {
		return err
	}
	if err := f.elsewhere(); err != nil {
		return err
	}
	data, err := c.contents(limited, f.target)
	if err != nil {
		return err
	}
	r.Size = int64(len(data))
	if req.Offset > 0 && req.Offset >= r.Size {
		return access.ErrRange
	}
	r.Offset = req.Offset
	r.Body = newBody(ctx, req.URL, data[req.Offset:])
	return nil
}

// wanted returns why r is not what req asks for.
func wanted(req *access.Request, r *access.Resource) error {
	if isVersion(r, req.IfChanged) {
		return access.ErrNotModified
	}
	if req.Offset > 0 && !req.IfMatch.IsZero() && !isVersion(r, req.IfMatch) {
		return access.ErrChanged
	}
	return nil
}

func isVersion(r *access.Resource, v access.Validator) bool {
	return !v.ModTime.IsZero() && v.ModTime.Equal(r.ModTime)
}

// Do gets and stats prospero URLs. Every other Op is unsupported.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return c.get(ctx, req)
	case req.Op == access.Stat:
		return access.Found(c.statObject(ctx, req))
	}
	return nil, access.Unsupported(req)
}

// statObject finds the attributes of an object or a directory. The Sys of the
// entry is an [*Object]. An object that is forwarded is an [*access.Moved]; one that is to
// be got otherwise than over Prospero is not.
func (c Client) statObject(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := c.stat(ctx, req)
	return e, access.Fail("stat", req.URL, err)
}

func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	t, err := parse(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	f, err := c.find(ctx, t)
	if err != nil {
		return access.Entry{}, err
	}
	e := access.Entry{
		Title: t.hsoname, URL: req.URL, Kind: access.Object, Type: f.mediaType(),
		Size: sizeOf(f.Attributes), ModTime: f.modTime(), Sys: &f.Object,
	}
	if f.directory {
		e.Kind, e.Size = access.Directory, -1
	}
	return e, nil
}
