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

// DefaultLimiter returns a new Limiter with the limits of a Gateway that has none: 64
// accesses to one server and 32 of them for one client. A request waits for its turn for
// 10 seconds.
func DefaultLimiter() *limit.Limiter {
	return &limit.Limiter{PerServer: 64, Share: 32, MaxWait: 10 * time.Second}
}

var (
	errFull   = refuse.New(http.StatusServiceUnavailable, "the gateway is busy", "try again in a moment")
	errClient = refuse.New(http.StatusTooManyRequests, "you have too many requests at once", "wait until some have ended")
	errServer = refuse.New(http.StatusServiceUnavailable, "too many requests to that server at once", "try again in a moment")
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
