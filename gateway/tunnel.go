package gateway

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"locus/url"
)

var (
	errNoTunnel   = &refusal{http.StatusForbidden, "this gateway makes no tunnels", ""}
	errTunnelPort = &refusal{http.StatusForbidden, "no tunnel to that port is made", ""}
)

// connect makes a tunnel to host and port (RFC 9110 §9.3.6).
func (v *visit) connect() {
	if v.Tunnel == nil {
		v.fail(url.URL{}, errNoTunnel)
		return
	}
	_, port, err := net.SplitHostPort(v.r.RequestURI)
	n, err2 := strconv.ParseUint(port, 10, 16)
	if err != nil || err2 != nil || !v.tunnels(uint16(n)) {
		v.fail(url.URL{}, errTunnelPort)
		return
	}
	release, ok := v.waitFor(serverAt("https", v.r.RequestURI), url.URL{})
	if !ok {
		return
	}
	defer release()
	ctx, cancel := context.WithCancelCause(v.r.Context())
	defer cancel(nil)
	stop := v.soon(func() { cancel(errSlow) })
	server, err := v.Tunnel(ctx, "tcp", v.r.RequestURI)
	stop()
	if err != nil {
		v.fail(url.URL{}, nameless(err))
		return
	}
	defer server.Close()
	client, in, err := http.NewResponseController(v.w).Hijack()
	if err != nil {
		v.fail(url.URL{}, err)
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return // the client has gone
	}
	tunnel(ctx, client, in, server)
}

func (g *Gateway) tunnels(port uint16) bool {
	return port == 443 || port == 70 || slices.Contains(g.TunnelPorts, port)
}

// maxQuiet is how long nothing may go through a tunnel in either direction.
const maxQuiet = 10 * time.Minute

// tunnel passes octets on both ways until both sides have ended, one has failed,
// ctx is done, or nothing came for long.
func tunnel(ctx context.Context, client net.Conn, in io.Reader, server net.Conn) {
	stop := context.AfterFunc(ctx, func() { client.Close(); server.Close() })
	defer stop()
	quiet := time.AfterFunc(maxQuiet, func() { client.Close(); server.Close() })
	defer quiet.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		pass(server, in, quiet)
	}()
	pass(client, server, quiet)
	<-done
}

// pass copies octets and then says that there are no more. An error on the way
// ends both ways.
func pass(to net.Conn, from io.Reader, quiet *time.Timer) {
	_, err := io.Copy(to, busy{from, quiet})
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || errors.Is(half.CloseWrite(), net.ErrClosed) {
		to.Close()
	}
}

// busy is a Reader that winds up a timer whenever something comes.
type busy struct {
	io.Reader
	quiet *time.Timer
}

func (b busy) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.quiet.Reset(maxQuiet)
	return n, err
}
