package faulty

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

// A Leaver is a web server that answers the first request on each connection with
// "ok", keeps the connection, and closes it when the second request has come: as
// one does whose time for idle connections has passed while that request was on
// its way.
type Leaver struct {
	// Addr is where it listens: a host and a port.
	Addr string

	// Answered counts the requests that were answered, Left those that were not,
	// and Lost those of Left that nobody may send twice: they have a body, or
	// another method than GET, HEAD and OPTIONS.
	Answered, Left, Lost atomic.Int64

	reset bool
}

// Leave starts a Leaver on loopback, for as long as the test runs. With reset it
// closes connections with RST.
func Leave(t testing.TB, reset bool) *Leaver {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &Leaver{Addr: l.Addr().String(), reset: reset}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c.(*net.TCPConn))
		}
	}()
	return s
}

func (s *Leaver) serve(c *net.TCPConn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for first := true; ; first = false {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		if !first {
			s.leave(c, r)
			return
		}
		s.Answered.Add(1)
		text := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
		if r.Method != http.MethodHead {
			text += "ok"
		}
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
	}
}

func (s *Leaver) leave(c *net.TCPConn, r *http.Request) {
	s.Left.Add(1)
	isSafe := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	if !isSafe || r.ContentLength != 0 {
		s.Lost.Add(1)
	}
	if s.reset {
		_ = c.SetLinger(0)
	}
}
