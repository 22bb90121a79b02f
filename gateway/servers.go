package gateway

import (
	"crypto/sha256"
	"net/netip"
	"strings"
	"sync"
	"time"

	"locus/url"
)

const (
	confirmedTime = 12 * time.Hour // how long a server stays confirmed after it was last used
	maxConfirmed  = 10_000         // servers that are remembered
)

// A confirmedServers remembers which servers each client has confirmed on the page that asks. The name of a server may
// lead to a private address later, so the gateway trusts only confirmed names. The zero value is ready to use.
type confirmedServers struct {
	mu   sync.Mutex
	used map[confirmedServer]time.Time // when each server was last used
}

// A confirmedServer is the digest of a client and a server, because names may be long.
type confirmedServer [sha256.Size]byte

// confirmedServerOf returns the confirmedServer of the server of u for the client at remote, an address with a port. The
// port does not count. A neighbour in the same IPv6 network is another client, because it may be another person.
func confirmedServerOf(remote string, u url.URL) confirmedServer {
	client := remote
	if at, err := netip.ParseAddrPort(remote); err == nil {
		client = at.Addr().Unmap().String()
	}
	host, _ := u.Host()
	return sha256.Sum256([]byte(strings.Join([]string{client, u.Scheme(), strings.ToLower(host), portOf(u)}, "\x00")))
}

// add remembers that the client at remote has confirmed the server of u. If too many servers are remembered, it forgets
// all of them, so that users are asked again.
func (s *confirmedServers) add(remote string, u url.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil || len(s.used) >= maxConfirmed {
		s.used = make(map[confirmedServer]time.Time)
	}
	s.used[confirmedServerOf(remote, u)] = time.Now()
}

// has reports whether the client at remote has confirmed the server of u. If so, the server counts as used now.
func (s *confirmedServers) has(remote string, u url.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	server := confirmedServerOf(remote, u)
	last, ok := s.used[server]
	if !ok || time.Since(last) > confirmedTime {
		delete(s.used, server)
		return false
	}
	s.used[server] = time.Now()
	return true
}
