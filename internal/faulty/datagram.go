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

// StartUDP starts a proxy of datagrams on loopback for target, "host:port". It returns the
// address at which the proxy listens until the test ends. Each client has its own socket toward
// the target. n says which datagrams the proxy loses or delays.
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

// serve passes the datagrams of all clients on to the target, until p is closed.
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

// server returns the socket toward the target for a client. For a new client it opens the
// socket, and starts to pass back the answers. It returns nil if the proxy is closed or the
// socket cannot be opened.
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

// answer passes the datagrams that arrive at the socket server back to client, until the socket
// is closed.
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
