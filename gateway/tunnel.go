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

	"locus/gateway/internal/refuse"
)

var (
	errNoTunnel   = refuse.New(http.StatusForbidden, "this gateway does not allow tunnels", "")
	errTunnelPort = refuse.New(http.StatusForbidden, "this gateway does not allow tunnels to that port", "")
)

// connect makes a tunnel to the host and port of the request (RFC 9110 §9.3.6). It returns after
// the tunnel has ended, or with an error before the tunnel is made.
func (x forwarder) connect() error {
	if x.g.Tunnel == nil {
		return errNoTunnel
	}
	_, port, err := net.SplitHostPort(x.r.RequestURI)
	n, err2 := strconv.ParseUint(port, 10, 16)
	if err != nil || err2 != nil || !x.g.tunnels(uint16(n)) {
		return errTunnelPort
	}
	if !x.g.TunnelsEndHere {
		release, err := x.waitFor(serverAt("https", x.r.RequestURI))
		if err != nil {
			return err
		}
		defer release()
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	stop := x.g.afterTimeout(func() { cancel(errSlow) })
	server, err := x.g.Tunnel(ctx, "tcp", x.r.RequestURI)
	stop()
	if err != nil {
		return hideResolver(err)
	}
	defer server.Close()
	client, in, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err == nil { // an error means that the client has gone
		tunnel(ctx, client, in, server)
	}
	return nil
}

// tunnels reports whether tunnels to this port are allowed.
func (g *Gateway) tunnels(port uint16) bool {
	return port == 443 || port == 70 || slices.Contains(g.TunnelPorts, port)
}

// tunnelIdle is how long a tunnel may be idle in both directions.
const tunnelIdle = 10 * time.Minute

// tunnel copies bytes in both directions between the client, whose bytes come from in, and the
// server. It returns when both sides have ended, one has failed, ctx is done, or no byte came
// for tunnelIdle. It may close both connections.
func tunnel(ctx context.Context, client net.Conn, in io.Reader, server net.Conn) {
	stop := context.AfterFunc(ctx, func() { client.Close(); server.Close() })
	defer stop()
	idle := time.AfterFunc(tunnelIdle, func() { client.Close(); server.Close() })
	defer idle.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		copyHalf(server, in, idle)
	}()
	copyHalf(client, server, idle)
	<-done
}

// copyHalf copies all bytes of from, and then closes to for writing. After an error, or if that
// is not possible, it closes to completely. Each Read resets idle.
func copyHalf(to net.Conn, from io.Reader, idle *time.Timer) {
	_, err := io.Copy(to, resettingReader{from, idle})
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || errors.Is(half.CloseWrite(), net.ErrClosed) {
		to.Close()
	}
}

// A resettingReader resets a timer at each Read.
type resettingReader struct {
	io.Reader
	idle *time.Timer
}

// Read reads, and then restarts the idle timer, even after an error.
func (b resettingReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.idle.Reset(tunnelIdle)
	return n, err
}
