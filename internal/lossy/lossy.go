// Package lossy loses, delays and reorders datagrams, for servers and proxies that test a
// client.
package lossy

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"time"
)

// A Network says which datagrams are lost or delayed, in both directions. The zero Network
// is perfect.
type Network struct {
	Seed    uint64
	Delay   time.Duration // of each datagram
	Loss    float64       // the share that is lost, from 0 to 1
	Reorder float64       // the share that arrives after later datagrams, from 0 to 1
}

// A Link passes datagrams on over a Network. Several goroutines may use it at once.
type Link struct {
	network Network
	mu      sync.Mutex
	rand    *rand.Rand
}

// NewLink returns a link over n. Links with equal networks lose the same datagrams in a
// sequence.
func NewLink(n Network) *Link {
	return &Link{network: n, rand: rand.New(rand.NewPCG(n.Seed, 1))}
}

// Pass calls send with the datagram, unless the datagram is lost. Without a delay it calls send
// before it returns. Otherwise another goroutine calls send later, with a copy.
func (l *Link) Pass(datagram []byte, send func([]byte)) {
	n := l.network
	l.mu.Lock()
	isLost, isLate := l.rand.Float64() < n.Loss, l.rand.Float64() < n.Reorder
	later := time.Duration(l.rand.Int64N(int64(4*n.Delay + time.Millisecond)))
	l.mu.Unlock()
	if isLost {
		return
	}
	delay := n.Delay
	if isLate {
		delay += later
	}
	if delay == 0 {
		send(datagram)
		return
	}
	d := bytes.Clone(datagram)
	time.AfterFunc(delay, func() { send(d) })
}
