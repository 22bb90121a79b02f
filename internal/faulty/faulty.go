// Package faulty is a TCP proxy for tests that does to connections what networks
// and servers do: it cuts them off, resets them, lets them fall silent, delays
// them, refuses them, and puts words into a server's mouth.
//
// Of FTP it knows just enough to lead data connections through itself as well:
// it rewrites the port in the reply to EPSV. A [Leaver] is a web server that closes
// connections which a client takes for idle. A kept proxy such as toxiproxy has
// an HTTP interface and a server process, and does not know of EPSV; all that is
// needed of it is here, in two hundred lines that the tests share.
package faulty

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Fault is what happens to one connection. The zero Fault is none.
type Fault struct {
	// Cut ends the connection when so many octets have come from the server; 0:
	// never. With Reset it ends in a RST, as if the machine had crashed.
	Cut   int64
	Reset bool

	// Stall lets it fall silent when so many octets have come from the server;
	// 0: never. It ends when the client goes, or the test.
	Stall int64

	// Refuse ends the connection before anything is passed on.
	Refuse bool

	// Delay is how long nothing is passed on at first.
	Delay time.Duration

	// Answer, if not nil, gives what is sent instead of a line from the server;
	// a line has no line end. Used on control connections of FTP. If hangUp is
	// true the connection ends after it.
	Answer func(line string) (instead string, hangUp bool)
}

// A Conn tells the connections of a proxy apart.
type Conn struct {
	N    int  // counted from 0, in the order in which they came; data connections by themselves
	Data bool // a data connection of FTP
}

// A Proxy passes connections on.
type Proxy struct {
	// Addr is where it listens: a host and a port.
	Addr string

	target string
	ftp    bool
	plan   func(Conn) Fault
	t      testing.TB

	mu    sync.Mutex
	conns map[io.Closer]bool
	count map[bool]int // by whether they are data connections
	ended bool
	wait  sync.WaitGroup
}

// Start starts a proxy on loopback in front of target, a host and a port, for as
// long as the test runs. Plan is asked what happens to each connection.
func Start(t testing.TB, target string, plan func(Conn) Fault) *Proxy {
	t.Helper()
	return start(t, &Proxy{target: target, plan: plan, t: t})
}

// StartFTP is Start for a server of FTP.
func StartFTP(t testing.TB, target string, plan func(Conn) Fault) *Proxy {
	t.Helper()
	return start(t, &Proxy{target: target, plan: plan, t: t, ftp: true})
}

func start(t testing.TB, p *Proxy) *Proxy {
	t.Helper()
	p.conns, p.count = make(map[io.Closer]bool), make(map[bool]int)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Addr = l.Addr().String()
	p.wait.Go(func() { p.accept(l) })
	t.Cleanup(func() {
		l.Close()
		p.close()
		p.wait.Wait()
	})
	return p
}

// Connections returns how many connections there were so far, and how many of
// data.
func (p *Proxy) Connections() (control, data int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[false], p.count[true]
}

func (p *Proxy) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		p.wait.Go(func() { p.serve(c, p.target, false) })
	}
}

// number counts a connection.
func (p *Proxy) number(data bool) Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.count[data]
	p.count[data]++
	return Conn{N: n, Data: data}
}

// keep closes c with the proxy, and reports whether that is still open.
func (p *Proxy) keep(c io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) drop(c io.Closer) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *Proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for c := range p.conns {
		c.Close()
	}
}

// serve passes one connection on.
func (p *Proxy) serve(client net.Conn, target string, data bool) {
	if !p.keep(client) {
		return
	}
	defer p.drop(client)
	fault := p.plan(p.number(data))
	if fault.Refuse {
		return
	}
	time.Sleep(fault.Delay)
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	if !p.keep(server) {
		return
	}
	defer p.drop(server)
	p.wait.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.(*net.TCPConn).CloseWrite()
	})
	var from io.Reader = server
	if p.ftp && !data {
		lines := p.control(server, fault)
		defer lines.Close()
		from = lines
	}
	p.pass(client, from, fault)
}

// pass passes octets of the server on, until the fault.
func (p *Proxy) pass(client net.Conn, from io.Reader, fault Fault) {
	switch {
	case fault.Stall > 0:
		_, _ = io.CopyN(client, from, fault.Stall)
		_, _ = io.Copy(io.Discard, struct{ io.Reader }{client}) // until it goes
	case fault.Cut > 0:
		_, _ = io.CopyN(client, from, fault.Cut)
		if fault.Reset {
			_ = client.(*net.TCPConn).SetLinger(0)
		}
	default:
		_, _ = io.Copy(client, from)
	}
}

// control gives the lines of a control connection, changed as the fault has it,
// and with the ports of data connections that go through the proxy.
func (p *Proxy) control(server io.Reader, fault Fault) *io.PipeReader {
	r, w := io.Pipe()
	p.wait.Go(func() {
		defer w.Close()
		lines := bufio.NewReader(server)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			line, hangUp := p.line(strings.TrimRight(line, "\r\n"), fault)
			if _, err := io.WriteString(w, line+"\r\n"); err != nil || hangUp {
				return
			}
		}
	})
	return r
}

var extended = regexp.MustCompile(`^229 .*\(\|\|\|(\d+)\|\)`)

func (p *Proxy) line(line string, fault Fault) (instead string, hangUp bool) {
	if m := extended.FindStringSubmatch(line); m != nil {
		line = fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)", p.data(m[1]))
	}
	if fault.Answer == nil {
		return line, false
	}
	return fault.Answer(line)
}

// data listens for one data connection, and returns the port.
func (p *Proxy) data(port string) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Error(err)
		return 1
	}
	host, _, _ := net.SplitHostPort(p.target)
	p.wait.Go(func() {
		if !p.keep(l) {
			return
		}
		defer p.drop(l)
		c, err := l.Accept()
		if err == nil {
			p.serve(c, net.JoinHostPort(host, port), true)
		}
	})
	return l.Addr().(*net.TCPAddr).Port
}
