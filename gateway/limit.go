package gateway

import (
	"errors"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// DefaultLimiter returns a new Limiter with the limits of a Gateway that has none: 64
// accesses to one server and 32 of them for one client. A request waits for its turn for
// 10 seconds.
func DefaultLimiter() *limit.Limiter {
	return &limit.Limiter{PerServer: 64, Share: 32, MaxWait: 10 * time.Second}
}

var (
	errFull   = &refusal{http.StatusServiceUnavailable, "the gateway is busy", "try again in a moment"}
	errClient = &refusal{http.StatusTooManyRequests, "you have too many requests at once", "wait until some have ended"}
	errServer = &refusal{http.StatusServiceUnavailable, "too many requests to that server at once", "try again in a moment"}
)

// translateBusy returns the refusal for an error of a Limiter. Other errors are
// returned as they are.
func translateBusy(err error) error {
	if errors.Is(err, limit.ErrServer) {
		return errServer
	}
	return err
}

// A counter counts what clients have at once. The zero counter is ready.
type counter struct {
	mu       sync.Mutex
	total    int
	ofClient map[string]int // a client without any is not in it
}

// enter counts one more of client. It fails with errFull if there are most in all, and
// with errClient if the client has mostOfClient. Call leave when it has ended.
func (c *counter) enter(client string, most, mostOfClient int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.total >= most:
		return errFull
	case c.ofClient[client] >= mostOfClient:
		return errClient
	case c.ofClient == nil:
		c.ofClient = make(map[string]int)
	}
	c.total++
	c.ofClient[client]++
	return nil
}

// leave counts one less of client.
func (c *counter) leave(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if c.ofClient[client]--; c.ofClient[client] == 0 {
		delete(c.ofClient, client)
	}
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

// clientName names the client at an address.
func clientName(remote string) string {
	client := clientOf(remote)
	if client.IsSingleIP() {
		return client.Addr().String()
	}
	return client.String()
}

// request returns the Request to do op with x.url for the client.
func (x *exchange) request(op access.Op) *access.Request {
	return &access.Request{Op: op, URL: x.url, Login: x.login(), Client: x.client, PublicOnly: x.publicOnly}
}

// do does what req says. A panic of Engine becomes an error.
func (x *exchange) do(req *access.Request) (*access.Resource, error) {
	return x.recovers.Do(x.r.Context(), req)
}

// waitFor waits for a turn at a server that is asked without the Engine. release ends
// the turn.
func (x *exchange) waitFor(server string) (release func(), err error) {
	return x.turns.Wait(x.r.Context(), x.client, server)
}

// serverAt names the server at authority, a host and perhaps a port.
func serverAt(scheme, authority string) string {
	u, _ := url.Parse(scheme + "://" + authority + "/") // those that are no URL share one name
	return limit.Server(u)
}

// toClient returns a Writer of the response. It fails if the client reads nothing for
// ClientIdle. The Writer of an earlier call must not be used any more.
func (x *exchange) toClient() *clientWriter {
	x.out = clientWriter{answer: x.w, idle: or(x.ClientIdle, time.Minute)}
	return &x.out
}

type clientWriter struct {
	answer http.ResponseWriter
	idle   time.Duration
	began  bool // something was written
}

func (w *clientWriter) Write(p []byte) (int, error) {
	w.extendDeadline()
	return w.answer.Write(p)
}

// send writes p. If p is nil it flushes what the server keeps of the response.
func (w *clientWriter) send(p []byte) error {
	if p != nil {
		_, err := w.Write(p)
		return err
	}
	w.extendDeadline()
	err := http.NewResponseController(w.answer).Flush()
	if errors.Is(err, errors.ErrUnsupported) { // a writer that keeps nothing
		return nil
	}
	return err
}

func (w *clientWriter) extendDeadline() {
	w.began = true
	// A writer without deadlines, such as a test's recorder, never blocks.
	http.NewResponseController(w.answer).SetWriteDeadline(time.Now().Add(w.idle)) //nolint:errcheck // see above
}
