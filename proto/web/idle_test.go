package web

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"locus/access"
	"locus/url"
)

// A server that closes a connection while the next request is on its way there is
// asked again, on another one: opening and finding attributes never fail for that.
// A change is sent once.
//
// req: 1630-http-1
func TestIdleConnectionEnds(t *testing.T) {
	for _, reset := range []bool{false, true} {
		var left, changes atomic.Int64
		at := leavingServer(t, func(r *http.Request, c *net.TCPConn) {
			left.Add(1)
			if r.Method == http.MethodPut {
				changes.Add(1)
			}
			if reset {
				c.SetLinger(0)
			}
		})
		c := &Client{Dial: new(net.Dialer).DialContext}
		defer c.CloseIdleConnections()
		req := &access.Request{URL: url.MustParse("http://" + at + "/")}
		for i := range 6 {
			r, err := c.Open(t.Context(), req)
			if err != nil {
				t.Fatalf("open #%d: %v", i, err)
			}
			if text, err := io.ReadAll(r.Body); err != nil || string(text) != "ok" {
				t.Errorf("open #%d reads %q, %v", i, text, err)
			}
			r.Body.Close()
			if _, err := c.Stat(t.Context(), req); err != nil {
				t.Errorf("stat #%d: %v", i, err)
			}
		}
		if left.Load() == 0 {
			t.Error("no connection was used twice")
		}
		r, err := c.Open(t.Context(), &access.Request{URL: req.URL})
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		err = c.Store(t.Context(), req, strings.NewReader("new"))
		if changes.Load() != 1 || !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a change was sent %d times to where nobody answered, %v; want once, and an error", changes.Load(), err)
		}
	}
}

// leavingServer is where a web server is that answers the first request on each
// connection; it closes the connection when the second has come, and left is told.
func leavingServer(t *testing.T, left func(*http.Request, *net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(c *net.TCPConn) {
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
				left(r, c)
				return
			}
			text := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
			if r.Method != http.MethodHead {
				text += "ok"
			}
			io.WriteString(c, text)
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c.(*net.TCPConn))
		}
	}()
	return l.Addr().String()
}
