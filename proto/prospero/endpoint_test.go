package prospero

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"locus/proto/internal/wire/wiretest"
)

// An endpoint is a connected datagram socket in memory. It uses the clock of
// package time, so it works in a synctest bubble.
type endpoint struct {
	to    net.Addr
	write func(datagram []byte)

	arrived  chan []byte
	closed   chan struct{}
	once     sync.Once
	deadline wiretest.Deadline
}

func newEndpoint(to string, write func([]byte)) *endpoint {
	addr := &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: defaultPort} // what a name resolves to
	if at, err := netip.ParseAddrPort(to); err == nil {
		addr = net.UDPAddrFromAddrPort(at)
	}
	return &endpoint{to: addr, write: write, arrived: make(chan []byte, 1<<12), closed: make(chan struct{})}
}

// deliver makes a datagram arrive. It drops the datagram if the buffer is full.
func (e *endpoint) deliver(datagram []byte) {
	select {
	case e.arrived <- datagram:
	default:
	}
}

func (e *endpoint) Read(p []byte) (int, error) {
	select {
	case <-e.closed:
		return 0, net.ErrClosed
	default:
	}
	passed := e.deadline.Passed()
	select {
	case <-passed:
		return 0, os.ErrDeadlineExceeded
	default:
	}
	select {
	case d := <-e.arrived:
		return copy(p, d), nil
	case <-e.closed:
		return 0, net.ErrClosed
	case <-passed:
		return 0, os.ErrDeadlineExceeded
	}
}

func (e *endpoint) Write(p []byte) (int, error) {
	select {
	case <-e.closed:
		return 0, net.ErrClosed
	default:
		e.write(append([]byte(nil), p...))
		return len(p), nil
	}
}

func (e *endpoint) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

func (e *endpoint) SetReadDeadline(t time.Time) error {
	e.deadline.Set(t)
	return nil
}

func (e *endpoint) SetDeadline(t time.Time) error    { return e.SetReadDeadline(t) }
func (e *endpoint) SetWriteDeadline(time.Time) error { return nil }
func (e *endpoint) LocalAddr() net.Addr              { return &net.UDPAddr{} }
func (e *endpoint) RemoteAddr() net.Addr             { return e.to }
