package faulty

import (
	"net"
	"sync"
	"testing"

	"locus/internal/lossy"
)

// A Network says which datagrams are lost or delayed, in both directions. The zero Network
// is perfect.
type Network = lossy.Network

// StartUDP starts a proxy of datagrams on loopback for target, host:port, until the test
// ends. It returns the address where it listens. Each client has its own socket toward the
// target.
func StartUDP(t testing.TB, target string, n Network) (addr string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &datagrams{link: lossy.NewLink(n), target: target, conn: conn, clients: make(map[string]net.Conn)}
	p.wait.Go(p.serve)
	t.Cleanup(p.close)
	return conn.LocalAddr().String()
}

// datagrams is a proxy of datagrams.
type datagrams struct {
	link   *lossy.Link
	target string
	conn   net.PacketConn
	wait   sync.WaitGroup

	mu      sync.Mutex
	clients map[string]net.Conn // toward the target, by the client's address
	closed  bool
}

// close closes all sockets, and waits until the goroutines of the proxy have ended.
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
			p.link.Pass(buf[:n], func(d []byte) { _, _ = server.Write(d) })
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
		p.link.Pass(buf[:n], func(d []byte) { _, _ = p.conn.WriteTo(d, client) })
	}
}
