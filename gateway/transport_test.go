package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"locus/gateway"
)

// A leaver is a web server that keeps each connection after its first answer, and
// closes it when the second request has come: as one does whose time for idle
// connections has passed while that request was on its way.
type leaver struct {
	net.Listener
	reset bool // it closes with RST

	answered, left atomic.Int64 // requests
	lost           atomic.Int64 // those left that nobody may ask twice
}

func newLeaver(t *testing.T, reset bool) *leaver {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &leaver{Listener: l, reset: reset}
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

func (s *leaver) serve(c *net.TCPConn) {
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
			s.left.Add(1)
			if isSafe := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions; !isSafe || r.ContentLength != 0 {
				s.lost.Add(1)
			}
			if s.reset {
				c.SetLinger(0)
			}
			return
		}
		s.answered.Add(1)
		text := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
		if r.Method == http.MethodHead {
			text = strings.TrimSuffix(text, "ok")
		}
		io.WriteString(c, text)
	}
}

// What a server leaves unanswered because it closes an idle connection is asked
// again where that is safe. What is not safe to ask twice never goes over a
// connection that may be about to close, and is sent once.
//
// req: 1630-http-1
func TestTransportIdle(t *testing.T) {
	for _, reset := range []bool{false, true} {
		for _, tt := range []struct {
			method, fields string
			again          bool
		}{
			{"GET", "\n", true},
			{"HEAD", "\n", true},
			{"OPTIONS", "\n", true},
			{"GET", "Range: bytes=0-1\n\n", true},
			{"GET", "Content-Length: 4\n\nbody", false},
			{"POST", "Content-Length: 4\n\nbody", false},
			{"POST", "Transfer-Encoding: chunked\n\n4\nbody\n0\n\n", false},
			{"POST", "Content-Length: 0\n\n", false},
			{"PUT", "Content-Length: 4\n\nbody", false},
			{"DELETE", "\n", false},
			{"PROPFIND", "\n", false},
		} {
			server := newLeaver(t, reset)
			p := newProxy(t, &gateway.Gateway{})
			const times = 5
			for range times {
				for _, request := range []string{"GET http://$/ HTTP/1.1\nHost: h\n\n", tt.method + " http://$/ HTTP/1.1\nHost: h\n" + tt.fields} {
					resp, body, err := p.ask(strings.ReplaceAll(request, "$", server.Addr().String()))
					if err != nil || resp.StatusCode != http.StatusOK {
						t.Errorf("%s %q = %s, %v, %.0q", tt.method, tt.fields, resp.Status, err, body)
					}
				}
			}
			left := server.left.Load()
			if n, lost := server.answered.Load(), server.lost.Load(); n != 2*times || lost != 0 {
				t.Errorf("%s %q: %d requests were answered and %d lost, want %d and 0", tt.method, tt.fields, n, lost, 2*times)
			}
			if tt.again && left == 0 {
				t.Errorf("%s %q: no connection was used twice", tt.method, tt.fields)
			}
		}
	}
}

// A server that says nothing is not told of as "EOF".
func TestTransportUnanswered(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			http.ReadRequest(bufio.NewReader(c))
			c.Close()
		}
	}()
	p := newProxy(t, &gateway.Gateway{})
	for _, method := range []string{"GET", "DELETE"} {
		resp, body, err := p.ask(method + " http://" + l.Addr().String() + "/ HTTP/1.1\nHost: h\n\n")
		if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "<p role=\"alert\">the server closed the connection without an answer</p>") {
			t.Errorf("%s = %s, %v\n%s", method, resp.Status, err, body)
		}
	}
}

// Which name servers the gateway asks is nothing to a client.
func TestTransportNames(t *testing.T) {
	for _, tt := range []struct {
		err    net.DNSError
		status int
		want   string
	}{
		{net.DNSError{Err: "no such host", IsNotFound: true}, 502, "no such host (h.example)"},
		{net.DNSError{Err: "read udp 10.0.0.7:9->10.0.0.53:53: i/o timeout", IsTimeout: true}, 502, "the name server does not answer (h.example)"},
		{net.DNSError{Err: "server misbehaving", IsTemporary: true}, 502, "the name server fails (h.example)"},
	} {
		tt.err.Name, tt.err.Server = "h.example", "10.0.0.53:53"
		dial := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &tt.err}
		}
		p := newProxy(t, &gateway.Gateway{Web: gateway.Transport(dial), Tunnel: dial})
		for _, request := range []string{"GET http://h.example/", "POST http://h.example/", "CONNECT h.example:443"} {
			resp, body, err := p.ask(request + " HTTP/1.1\nHost: h.example\n\n")
			if err != nil || resp.StatusCode != tt.status || !strings.Contains(body, `<p role="alert">`+tt.want+"</p>") || strings.Contains(body, "10.0.0.") {
				_, body, _ = strings.Cut(body, "<main")
				t.Errorf("%s, %v = %d, %v, want %d, %q\n%s", request, &tt.err, resp.StatusCode, err, tt.status, tt.want, body)
			}
		}
	}
}
