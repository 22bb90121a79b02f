// Package prospero opens prospero URLs (RFC 1738 §3.11) over version 5 of the
// Prospero protocol. Its messages are sent in ARDP version 0 over UDP.
//
//	prospero://host:1525//pros/name;OBJECT-VERSION=3
//	                     \________/
//	                      hsoname: the name of the object; opaque
//
// The first request asks what an object is, and lists it if it is a directory. A
// directory is a listing. A plain object has access methods. The client uses the
// first that it supports: Prospero itself, or another protocol by its URL.
//
// ARDP splits a message into numbered packets. The server sends a window of packets and
// waits for an acknowledgement. The client measures the round trip and sends again what
// has no reply (RFC 6298), until the server was silent for [Client.Idle], unless it has
// asked for more time. A packet that is lost among others is asked for at once.
//
// Notable divergences:
//   - RFC 1738 §3.11 does not define fields. Here OBJECT-VERSION and VERSION are
//     the version of the object, and HSONAME-TYPE is the type of its name. Any
//     other field selects the object that has this value in that field.
//   - RFC 1630's attributes after the version are not sent, because their meaning
//     is not documented.
//   - Prospero §3.3: a forwarded request returns an [*access.Moved]. Redirects of
//     ARDP and union links are followed, but only to port 191 or a port above
//     1023. Only a server at a loopback address may lead to another one.
//   - ARDP: a request has at most 16 packets, which are all sent at once. A
//     permanent redirect is not remembered.
//   - ARDP: a reply must come from the address that the request was sent to,
//     unless [Client.ListenPacket] is set.
//   - Servers of 1993 that end every packet with a NUL (A50 to B51) are not
//     supported. For all others a NUL is data.
package prospero

import (
	"cmp"
	"context"
	"net"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// A Client opens prospero URLs. It is an [access.Engine]. It holds no sockets and
// no state. Several goroutines may use it at once.
type Client struct {
	// Dial connects a socket of the network "udp". If nil, every request fails.
	// The client calls it for every address that it sends to: that of the URL,
	// of a redirect, and of the directories of union links.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle is how long the server may send nothing, in addition to the time that
	// it asks for; 0: a minute, negative: no limit. A request that is only
	// acknowledged is sent anew after 15 s, three times.
	Idle time.Duration

	// ListenPacket opens a socket of the network "udp" that receives from any
	// address. It may be nil. Some servers reply from another port or address
	// than the one that the request was sent to. So after 3 s without a reply,
	// the client sends the request again through such a socket, to the address
	// that Dial connected to. Then only the connection id identifies the reply.
	// It has 16 bits, so an attacker could guess it.
	ListenPacket func(ctx context.Context, network, address string) (net.PacketConn, error)

	// Timeout limits a request whose context has no deadline; 0: 5 minutes, negative:
	// no limit. Gateways may ask for 3 more minutes repeatedly. For the contents of an
	// object, which are read as they arrive, it limits how long there may be no more of
	// them.
	Timeout time.Duration

	// MaxReply is how many bytes of a reply are held in memory: all of it, except the
	// contents of an object; 0: 16 MiB, negative: no limit.
	MaxReply int

	trips *trips // of one access; nil: nothing is known yet
}

// timeout returns Timeout, or its default.
func (c Client) timeout() time.Duration {
	if c.Timeout < 0 {
		return wire.NoIdle
	}
	return cmp.Or(c.Timeout, 5*time.Minute)
}

// withTimeout returns ctx with the Timeout of c, unless ctx has a deadline.
func (c Client) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.timeout())
}

func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	t, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	limited, cancel := c.withTimeout(ctx)
	defer cancel()
	c.trips = &trips{}
	f, err := c.find(limited, t)
	if err != nil {
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: f.mediaType(), Size: -1, ModTime: modTime(f.Attributes), Sys: &f.Object}}
	if f.isDirectory {
		return r, c.openDirectory(ctx, limited, r, f)
	}
	return r, c.openObject(ctx, limited, req, r, f)
}

// openDirectory makes r the listing of a directory. Reading it later obeys ctx;
// limited is for the requests that must be sent first.
func (c Client) openDirectory(ctx, limited context.Context, r *access.Resource, f finding) error {
	entries, err := c.expandUnions(limited, f.target, f.links)
	if err != nil {
		return err
	}
	list := &listing{body: newBody(ctx, r.URL, f.text), entries: entries}
	r.Body, r.List = list, list
	return nil
}

// openObject makes r the contents of an object.
func (c Client) openObject(ctx, limited context.Context, req *access.Request, r *access.Resource, f finding) error {
	if err := req.CheckTime(r.ModTime); err != nil {
		return err
	}
	if err := f.elsewhere(); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(limited, func() { end(context.Cause(limited)) })
	from, err := c.openContents(ctx, f.target)
	if err == nil {
		err = from.skip(req.Offset)
	}
	if !stop() && err == nil {
		err = context.Cause(limited)
	}
	if err != nil {
		end(err)
		if from != nil {
			from.x.close()
		}
		return err
	}
	if left := from.size(); left >= 0 {
		r.Size = req.Offset + left
	}
	r.Offset = req.Offset
	r.Body = &stream{url: req.URL, ctx: ctx, cancel: end, from: from}
	return nil
}

// Do handles Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get of a directory returns a listing. The Sys of each entry is a [*Link]. The URL
// of an EXTERNAL link is that of its first supported access method; other links
// have a prospero URL. A union link is replaced by the links of its target, without
// names that the directory has already. If the target cannot be fetched, the union
// link is an entry. The Body is the server's reply. Get of a directory ignores
// req.Offset.
//
// Get of an object returns its contents, which are read as they arrive. If the server
// prefers another protocol or forwards the request, the error is an
// [*access.Moved].
//
// The Sys of the Resource is an [*Object].
//
// Stat returns the attributes of an object or a directory. The Sys of the entry is
// an [*Object]. If the server forwards the request, the error is an
// [*access.Moved]. Stat ignores access methods.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return req.Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return req.Result(access.Found(c.stat(ctx, req)))
	}
	return nil, access.Unsupported(req)
}

func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	t, err := parse(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	ctx, cancel := c.withTimeout(ctx)
	defer cancel()
	f, err := c.find(ctx, t)
	if err != nil {
		return access.Entry{}, err
	}
	e := access.Entry{
		Title: t.hsoname, URL: req.URL, Kind: access.Object, Type: f.mediaType(),
		Size: sizeOf(f.Attributes), ModTime: modTime(f.Attributes), Sys: &f.Object,
	}
	if f.isDirectory {
		e.Kind, e.Size = access.Directory, -1
	}
	return e, nil
}
