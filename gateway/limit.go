package gateway

import (
	"errors"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"locus/gateway/internal/refuse"
	"locus/limit"
)

// DefaultLimiter returns a new Limiter with the limits of a Gateway whose Limiter is nil: 64
// accesses to one server at once, and 32 of them for one client. A request waits for its turn
// for at most 10 seconds.
func DefaultLimiter() *limit.Limiter {
	return &limit.Limiter{PerServer: 64, Share: 32, MaxWait: 10 * time.Second}
}

var (
	errFull   = refuse.New(http.StatusServiceUnavailable, "the gateway is busy", "try again in a moment")
	errClient = refuse.New(http.StatusTooManyRequests, "you have too many requests at once", "wait until some have ended")
	errServer = refuse.New(http.StatusServiceUnavailable, "the gateway sends too many requests to that server at once", "try again in a moment")
)

// translateBusy returns errServer for the error of a Limiter. It returns every other error
// unchanged.
func translateBusy(err error) error {
	if errors.Is(err, limit.ErrServer) {
		return errServer
	}
	return err
}

// A counter counts how many requests, sessions or archives each client has at once. The zero
// counter is ready to use.
type counter struct {
	mu       sync.Mutex
	total    int
	ofClient map[string]int // without zeros
}

// enter counts one more request, session or archive of client. It fails with errFull if all
// clients together have most, and with errClient if the client has mostOfClient. If it returns
// nil, the caller must call leave.
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

// leave takes back one successful enter of client.
func (c *counter) leave(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if c.ofClient[client]--; c.ofClient[client] == 0 {
		delete(c.ofClient, client)
	}
}

// clientOf returns the client at remote, an address with a port. For IPv6 the client is a whole
// /64, because providers give one customer a /64. If the address is not known, it returns the zero
// Prefix.
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

// clientName returns clientOf(remote) as a text: "192.0.2.1" or "2001:db8::/64". All unknown
// addresses share one name.
func clientName(remote string) string {
	client := clientOf(remote)
	if client.IsSingleIP() {
		return client.Addr().String()
	}
	return client.String()
}
