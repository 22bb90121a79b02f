// Package prosperod is a small Prospero directory server (protocol version 5, draft 0.3 of June
// 1993) of a file system, over ARDP version 0. Its texts are the same as in the server of 1994.
//
// Notable divergences:
//   - It speaks only VERSION 5.
//   - A hsoname is "/" and a path of the file system; "" is its root. Other name spaces are not
//     supported, and every object has one version.
//   - If the client asks for attributes, LIST gives the size and the time of a file with its
//     link, as CACHED attributes.
//   - LIST with VERIFY checks whether the directory exists.
//   - Clients cannot change anything, and are not authenticated: a mandatory authentication
//     fails.
package prosperod

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"time"

	"locus/demo/internal/serve"
)

// A Server serves the files of a file system. Change no field while it serves.
type Server struct {
	Files    fs.FS             // required
	Links    []serve.Link      // to other servers on the same host, in the root's directory
	Forwards map[string]string // new hsonames of objects on this server, by their old ones; may be nil
	Log      serve.Log         // called with each command line; may be nil

	// SwapID swaps the bytes of the connection id in packets that are sent again, because the
	// server of 1994 does so on a little-endian machine.
	SwapID bool
}

// Serve answers the packets of c, until ctx is done or c fails. It closes c. It returns
// nil if ctx was done.
func (s *Server) Serve(ctx context.Context, c net.PacketConn) error {
	defer context.AfterFunc(ctx, func() { c.Close() })()
	defer c.Close()
	host := hostToken(c.LocalAddr())
	answer := func(request []byte) []byte { return s.answer(host, request) }
	t := newTable(answer, time.Now)
	t.swapsID = s.SwapID
	buf := make([]byte, 1<<16)
	for {
		n, from, err := c.ReadFrom(buf)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // a client has disappeared
			continue
		}
		for _, d := range t.receive(from.String(), buf[:n]) {
			if _, err := c.WriteTo(d, from); err != nil {
				break // the client will ask again
			}
		}
	}
}
