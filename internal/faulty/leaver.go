package faulty

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

// A Leaver is a web server that answers the first request on each connection with "ok".
// It closes the connection when the second request arrives, like a server whose idle
// timeout ends at that moment.
type Leaver struct {
	// Addr is where it listens, host:port.
	Addr string

	// Answered counts answered requests, Left unanswered ones, and Lost those of Left
	// that must not be sent twice: they have a body, or another method than GET, HEAD
	// and OPTIONS.
	Answered, Left, Lost atomic.Int64

	reset bool
}

// Leave starts a Leaver on loopback, until the test ends. With reset it closes
// connections with RST.
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
