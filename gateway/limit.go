package gateway

import (
	"cmp"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// DefaultLimiter returns a new Limiter with the limits of a Gateway that has none:
// 1024 requests in all, 128 of one client, 64 accesses to one server and 32 of
// them for one client. A turn at a server is waited for 10 seconds.
func DefaultLimiter() *limit.Limiter {
	return &limit.Limiter{Total: 1024, PerClient: 128, PerServer: 64, Share: 32, MaxWait: 10 * time.Second}
}

var (
	errFull   = &refusal{http.StatusServiceUnavailable, "the gateway is busy", "try again in a moment"}
	errClient = &refusal{http.StatusTooManyRequests, "you have too many requests at once", "wait until some have ended"}
	errServer = &refusal{http.StatusServiceUnavailable, "too many requests to that server at once", "try again in a moment"}
)

// translateBusy returns the refusal for an error of a Limiter. Other errors are
// returned as they are.
func translateBusy(err error) error {
	switch {
	case errors.Is(err, limit.ErrTotal):
		return errFull
	case errors.Is(err, limit.ErrClient):
		return errClient
	case errors.Is(err, limit.ErrServer):
		return errServer
	}
	return err
}

// limiters returns those of requests and of sessions.
func (g *Gateway) limiters() (requests, sessions *limit.Limiter) {
	g.once.Do(func() {
		g.requests, g.sessions = cmp.Or(g.Limiter, DefaultLimiter()), &limit.Limiter{PerClient: or(g.Sessions.PerClient, 8)}
	})
	return g.requests, g.sessions
}

// clientOf returns the client at an address. For IPv6 it is a whole /64, which one
// client may have. It is the zero Prefix for all whose address is not known.
func clientOf(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // it fails only for too many bits
	return p
}

// request returns the Request to do op with x.url for the client.
func (x *exchange) request(op access.Op) *access.Request {
	return &access.Request{Op: op, URL: x.url, Login: x.login(), Client: x.client}
}

// do does what req says. A panic of Engine becomes an error.
func (x *exchange) do(req *access.Request) (*access.Resource, error) {
	return x.engine().Do(x.r.Context(), req)
}

// waitFor waits for a turn at a server that is asked without the Engine. release ends
// the turn.
func (x *exchange) waitFor(server string) (release func(), err error) {
	requests, _ := x.limiters()
	return requests.Wait(x.r.Context(), x.client, server)
}

// serverAt names the server at authority, a host and perhaps a port.
func serverAt(scheme, authority string) string {
	u, _ := url.Parse(scheme + "://" + authority + "/") // those that are no URL share one name
	return limit.Server(u)
}

// toClient returns a Writer of the response. It fails if the client reads nothing for
// ClientIdle.
func (x *exchange) toClient() *clientWriter {
	return &clientWriter{answer: x.w, idle: or(x.ClientIdle, time.Minute)}
}

type clientWriter struct {
	answer http.ResponseWriter
	idle   time.Duration
	began  bool // something was written
}

func (w *clientWriter) Write(p []byte) (int, error) {
	w.began = true
	// A writer without deadlines, such as a test's recorder, never blocks.
	http.NewResponseController(w.answer).SetWriteDeadline(time.Now().Add(w.idle)) //nolint:errcheck // see above
	return w.answer.Write(p)
}
