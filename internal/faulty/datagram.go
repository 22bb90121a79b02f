package faulty

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// A Network is what happens to datagrams on their way, in both directions. The zero
// Network is a perfect one.
type Network struct {
	Seed    uint64
	Delay   time.Duration // of each datagram
	Loss    float64       // how many are lost, from 0 to 1
	Reorder float64       // how many come later than those sent after them, from 0 to 1
}

// StartUDP starts a proxy of datagrams on loopback for target, host:port, until the test
// ends. It returns the address where it listens. Each client has a socket of its own
// toward the target.
func StartUDP(t testing.TB, target string, n Network) (addr string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &datagrams{Network: n, target: target, conn: conn, rand: rand.New(rand.NewPCG(n.Seed, 1)), clients: make(map[string]net.Conn)}
	p.wait.Go(p.serve)
	t.Cleanup(p.close)
	return conn.LocalAddr().String()
}

// datagrams is a proxy of datagrams.
type datagrams struct {
	Network
	target string
	conn   net.PacketConn
	wait   sync.WaitGroup

	mu      sync.Mutex
	rand    *rand.Rand
	clients map[string]net.Conn // toward the target, by the client's address
	closed  bool
}

func (p *datagrams) close() {
	p.mu.Lock()
	p.closed = true
	p.conn.Close()
	for _, c := range p.clients {
		c.Close()
	}
	p.mu.Unlock()
	p.wait.Wait()
}

// serve passes on the datagrams of clients.
func (p *datagrams) serve() {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := p.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if server := p.server(from); server != nil {
			p.pass(buf[:n], func(d []byte) { _, _ = server.Write(d) })
		}
	}
}

// server returns the socket for a client; nil if the proxy is closed.
func (p *datagrams) server(client net.Addr) net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[client.String()]
	if c != nil || p.closed {
		return c
	}
	c, err := net.Dial("udp", p.target)
	if err != nil {
		return nil
	}
	p.clients[client.String()] = c
	p.wait.Go(func() { p.answer(c, client) })
	return c
}

// answer passes on the datagrams of the target for one client.
func (p *datagrams) answer(server net.Conn, client net.Addr) {
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		p.pass(buf[:n], func(d []byte) { _, _ = p.conn.WriteTo(d, client) })
	}
}

// pass sends a datagram, unless it is lost.
func (p *datagrams) pass(datagram []byte, send func([]byte)) {
	p.mu.Lock()
	isLost, isLate := p.rand.Float64() < p.Loss, p.rand.Float64() < p.Reorder
	later := time.Duration(p.rand.Int64N(int64(4*p.Delay + time.Millisecond)))
	p.mu.Unlock()
	if isLost {
		return
	}
	delay := p.Delay
	if isLate {
		delay += later
	}
	if delay == 0 {
		send(datagram)
		return
	}
	d := append([]byte(nil), datagram...)
	time.AfterFunc(delay, func() { send(d) })
}
