// Package faulty is a TCP proxy for tests that makes connections fail: it cuts, resets,
// stalls, delays or refuses them, and changes replies of a server.
//
// It also proxies data connections of FTP, by rewriting the port in the reply to EPSV or PASV. A
// [Leaver] is a web server that closes idle connections. Tests do not use a proxy such as
// toxiproxy, because it needs a server process and does not support EPSV.
package faulty

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Fault is the failure of one connection. The zero Fault leaves it intact.
type Fault struct {
	// Cut closes the connection after this many bytes from the server; 0: never. With
	// Reset it ends with a RST, as if the machine had crashed.
	Cut   int64
	Reset bool

	// CutSent closes the connection after this many bytes from the client; 0: never.
	CutSent int64

	// Stall stops the data after this many bytes from the server, until the client or
	// the test closes the connection; 0: never.
	Stall int64

	// SentStalls stops the data after StallSent bytes from the client: the proxy calls it, and
	// closes the connection when it returns; nil: never.
	StallSent  int64
	SentStalls func()

	// Refuse closes the connection at once.
	Refuse bool

	// Delay is how long the proxy waits before it connects to the target.
	Delay time.Duration

	// Answer, if not nil, returns a replacement for each line from the server, without its
	// line end. It is for control connections of FTP. If hangUp is true the connection is
	// closed afterwards.
	Answer func(line string) (instead string, hangUp bool)
}

// A Conn identifies a connection of a proxy.
type Conn struct {
	N    int  // counted from 0; data connections are counted separately
	Data bool // a data connection of FTP
}

// A Proxy forwards connections.
type Proxy struct {
	// Addr is where it listens, host:port.
	Addr string

	target string
	ftp    bool
	plan   func(Conn) Fault
	t      testing.TB

	mu    sync.Mutex
	conns map[io.Closer]bool
	count map[bool]int // key: whether it is a data connection
	ended bool
	wait  sync.WaitGroup
}

// Start starts a proxy on loopback for target, "host:port", which runs until the test ends. plan is
// called for each connection and returns its Fault.
func Start(t testing.TB, target string, plan func(Conn) Fault) *Proxy {
	t.Helper()
	return start(t, &Proxy{target: target, plan: plan, t: t})
}

// StartFTP is like [Start] for an FTP server: the proxy also forwards the data connections, for
// which it calls plan, too.
func StartFTP(t testing.TB, target string, plan func(Conn) Fault) *Proxy {
	t.Helper()
	return start(t, &Proxy{target: target, plan: plan, t: t, ftp: true})
}

// start makes p listen on loopback, until the test ends, and returns it.
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

// Connections returns how many connections the proxy has accepted so far: data counts the data
// connections of FTP, and control all others.
func (p *Proxy) Connections() (control, data int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[false], p.count[true]
}

// accept serves each connection to l in a goroutine of its own. It returns when l is closed.
func (p *Proxy) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		p.wait.Go(func() { p.serve(c, p.target, false) })
	}
}

// number counts a connection and returns its Conn. data says whether the connection is a data
// connection.
func (p *Proxy) number(data bool) Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.count[data]
	p.count[data]++
	return Conn{N: n, Data: data}
}

// keep records c, which the proxy closes when it is closed. It returns true unless the proxy is
// already closed; then it closes c and returns false.
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

// drop closes c and forgets it.
func (p *Proxy) drop(c io.Closer) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// close closes all connections and listeners that keep has recorded, and makes keep close later
// ones.
func (p *Proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for c := range p.conns {
		c.Close()
	}
}

// serve forwards one connection of a client to target, "host:port", with the fault that plan
// chooses, and closes it. It returns when the connection has ended. data says whether the
// connection is a data connection.
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
		if fault.SentStalls != nil {
			if n, _ := io.CopyN(server, client, fault.StallSent); n < fault.StallSent {
				_ = server.(*net.TCPConn).CloseWrite()
				return
			}
			fault.SentStalls()
			client.Close()
			server.Close()
			return
		}
		if fault.CutSent > 0 {
			_, _ = io.CopyN(server, client, fault.CutSent)
			_ = client.(*net.TCPConn).SetLinger(0)
			client.Close()
			server.Close()
			return
		}
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

// pass copies the bytes of the server from from to client until the server closes or the fault
// occurs. After Cut it returns, and the caller closes the client. After Stall it waits until the
// client closes.
func (p *Proxy) pass(client net.Conn, from io.Reader, fault Fault) {
	switch {
	case fault.Stall > 0:
		if n, _ := io.CopyN(client, from, fault.Stall); n == fault.Stall {
			_, _ = io.Copy(io.Discard, struct{ io.Reader }{client}) // until it closes
		}
	case fault.Cut > 0:
		_, _ = io.CopyN(client, from, fault.Cut)
		if fault.Reset {
			_ = client.(*net.TCPConn).SetLinger(0)
		}
	default:
		_, _ = io.Copy(client, from)
	}
}

// control returns a reader of the lines that the server sends on a control connection, after the
// fault's Answer and with the ports of data connections replaced by ports of the proxy. The caller
// closes the reader.
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

var (
	extended = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^229 .*\(\|\|\|(\d+)\|\)`) })
	passive  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^227 .*\(\d+,\d+,\d+,\d+,(\d+),(\d+)\)`) })
)

// line returns the line that the client gets instead of a line of the server, both without their
// line end. If the line has the port of a data connection, it starts to listen for that connection,
// and puts the port of the proxy into the line. If hangUp is true, the connection ends after it.
func (p *Proxy) line(line string, fault Fault) (instead string, hangUp bool) {
	if m := extended().FindStringSubmatch(line); m != nil {
		line = fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)", p.data(m[1]))
	}
	if m := passive().FindStringSubmatch(line); m != nil {
		high, _ := strconv.Atoi(m[1]) // it has digits only
		low, _ := strconv.Atoi(m[2])
		port := p.data(strconv.Itoa(high<<8 + low))
		line = fmt.Sprintf("227 Entering Passive Mode (127,0,0,1,%d,%d)", port>>8, port&255)
	}
	if fault.Answer == nil {
		return line, false
	}
	return fault.Answer(line)
}

// data listens for one data connection, and forwards it to this port of the server. It returns the
// port at which it listens. If it cannot listen, it fails the test and returns 1.
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

// Closed returns a loopback address, "host:port", that refuses connections until the test ends. The
// port belongs to one end of an open connection, so another program cannot listen there.
func Closed(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	return near.LocalAddr().String()
}
