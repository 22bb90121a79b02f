// Package prospero opens prospero URLs (RFC 1738 §3.11) over version 5 of the
// Prospero protocol. Its messages are sent in ARDP version 0 over UDP.
//
//	prospero://host:1525//pros/name;OBJECT-VERSION=3
//	                     \________/
//	                      hsoname: the name of the object; opaque
//
// # How the pieces work together
//
// The first request asks for the attributes of the object and, because it may be a directory, for
// its links (find.go). A directory becomes a listing, in which union links are replaced by the
// links of other directories (list.go). An object has access methods (method.go). The client uses
// the first method that it supports: it fetches the contents over Prospero (contents.go), or
// returns the URL for another protocol.
//
// A message is text: lines of tokens (token.go), with the meaning of reply.go. ARDP splits a
// message into numbered packets (packet.go). An ardpRequest sends a request and receives its reply
// (ardp.go), all in the goroutine of the caller. The server sends a window of packets and waits for
// an acknowledgement. The client measures the round trip (timer.go), and sends again if no reply
// arrives (RFC 6298). It fails when the server was silent for [Client.Idle], unless the server has
// asked for more time. If later packets show that a packet is lost, the client reports the gap at
// once.
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
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
)

// A Client opens prospero URLs. It is an [access.Engine]. It holds no sockets and
// no state. Several goroutines may use it at once.
type Client struct {
	// Dial connects a socket of the network "udp". If nil, every request fails.
	// The client calls it for every address that it sends to: the address in the URL,
	// the target of a redirect, and the servers of union links.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle is how long the server may be silent; 0: a minute, negative: no limit. A server
	// that asks for time is asked again meanwhile, and answers that. If the server only acknowledges a request,
	// the client sends it as a new request after 15 s, at most three times.
	Idle time.Duration

	// ListenPacket opens a socket of the network "udp" that receives from any
	// address. It may be nil. Because some servers reply from another port or
	// address than the request was sent to, the client sends the request again
	// through such a socket after 3 s without a reply, to the address that Dial
	// connected to. Then only the connection id identifies the reply. It has 16
	// bits, so an attacker could guess it.
	ListenPacket func(ctx context.Context, network, address string) (net.PacketConn, error)

	// Timeout limits a request whose context has no deadline; 0: 5 minutes, negative:
	// no limit. It is needed because a gateway may ask for 3 more minutes repeatedly.
	// While the contents of an object are read, it limits how long a Read waits for
	// more of them.
	Timeout time.Duration

	// MaxReply is the maximum number of bytes of a reply, without the contents of an
	// object, which are not held in memory; 0: 16 MiB, negative: no limit.
	MaxReply int

	// Trips remembers the round trips to servers. If nil, each access measures them anew.
	Trips *RoundTrips
}

// timeout returns Timeout, or its default for 0. A negative Timeout means practically no
// limit.
func (c Client) timeout() time.Duration {
	if c.Timeout < 0 {
		return wire.NoIdle
	}
	return cmp.Or(c.Timeout, 5*time.Minute)
}

// withTimeout returns ctx if ctx has a deadline, and otherwise ctx with the Timeout of c.
// The caller calls the CancelFunc.
func (c Client) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.timeout())
}

// open executes Get. It asks for the attributes and links of the object that the URL names,
// and returns the Resource of a directory or an object. The error is an *access.Moved if
// another URL leads to the object.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	t, err := parseTarget(req.URL)
	if err != nil {
		return nil, err
	}
	limited, cancel := c.withTimeout(ctx)
	defer cancel()
	if c.Trips == nil {
		c.Trips = new(RoundTrips)
	}
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

// openDirectory sets Body and List of r to the listing of the directory f. It first fetches
// the targets of union links; these requests obey limited. Reading the listing obeys ctx.
func (c Client) openDirectory(ctx, limited context.Context, r *access.Resource, f finding) error {
	entries, err := c.expandUnions(limited, f.target, f.links)
	if err != nil {
		return err
	}
	list := &listing{body: newBody(ctx, r.URL, f.text), entries: entries}
	r.Body, r.List = list, list
	return nil
}

// openObject sets the Body of r to the contents of the object f, from req.Offset. It fails when
// limited, the context with the time limit of the request, is done. A later Read of the Body
// obeys ctx only.
func (c Client) openObject(ctx, limited context.Context, req *access.Request, r *access.Resource, f finding) error {
	if err := engine.CheckTime(req, r.ModTime); err != nil {
		return err
	}
	if err := f.methodError(); err != nil {
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
			from.request.close()
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

// Do executes Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get of a directory returns a listing. The Sys of each entry is a [*Link]. An EXTERNAL
// link has the URL of its first supported access method; other links have a prospero
// URL. A union link is replaced by the links of its target, without names that the
// directory already has. If the target cannot be fetched, the union link is an entry.
// The Body is the server's reply. Get of a directory ignores req.Offset.
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
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
	}
	return nil, engine.Unsupported(req)
}

// stat executes Stat. It asks for the attributes of the directory or object that the URL
// names.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	t, err := parseTarget(req.URL)
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
