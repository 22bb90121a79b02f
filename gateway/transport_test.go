package gateway_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"locus/gateway"
	"locus/guard"
	"locus/internal/faulty"
)

// If a server closes an idle connection instead of answering, safe requests are sent
// again. Other requests never use an idle connection, and are sent once.
//
// req: 1630-http-1
func TestTransportIdle(t *testing.T) {
	for _, reset := range []bool{false, true} {
		for _, test := range []struct {
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
			server := faulty.Leave(t, reset)
			p := newProxy(t, &gateway.Gateway{})
			const times = 5
			for range times {
				for _, request := range []string{"GET http://$/ HTTP/1.1\nHost: h\n\n", test.method + " http://$/ HTTP/1.1\nHost: h\n" + test.fields} {
					resp, body, err := p.ask(strings.ReplaceAll(request, "$", server.Addr))
					if err != nil || resp.StatusCode != http.StatusOK {
						t.Errorf("%s %q = %s, %v, %.0q", test.method, test.fields, resp.Status, err, body)
					}
				}
			}
			left := server.Left.Load()
			if n, lost := server.Answered.Load(), server.Lost.Load(); n != 2*times || lost != 0 {
				t.Errorf("%s %q: %d requests were answered and %d lost, want %d and 0", test.method, test.fields, n, lost, 2*times)
			}
			if test.again && left == 0 {
				t.Errorf("%s %q: no connection was used twice", test.method, test.fields)
			}
		}
	}
}

// If a server closes the connection without an answer, the page says so instead of "EOF".
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
		if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "the server closed the connection without an answer</dd>") {
			t.Errorf("%s = %s, %v\n%s", method, resp.Status, err, body)
		}
	}
}

// Clients do not learn the gateway's name servers.
func TestTransportNames(t *testing.T) {
	for _, test := range []struct {
		err    net.DNSError
		status int
		want   string
	}{
		{net.DNSError{Err: "no such host", IsNotFound: true}, 502, "no such host (h.example)"},
		{net.DNSError{Err: "read udp 10.0.0.7:9->10.0.0.53:53: i/o timeout", IsTimeout: true}, 502, "the name server does not answer (h.example)"},
		{net.DNSError{Err: "server misbehaving", IsTemporary: true}, 502, "the name server failed (h.example)"},
	} {
		test.err.Name, test.err.Server = "h.example", "10.0.0.53:53"
		dial := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &test.err}
		}
		p := newProxy(t, &gateway.Gateway{Web: gateway.Transport(dial), Tunnel: dial})
		for _, request := range []string{"GET http://h.example/", "POST http://h.example/", "CONNECT h.example:443"} {
			resp, body, err := p.ask(request + " HTTP/1.1\nHost: h.example\n\n")
			if err != nil || resp.StatusCode != test.status || !strings.Contains(body, `<dd>`+test.want+"</dd>") || strings.Contains(body, "10.0.0.") {
				_, body, _ = strings.Cut(body, "<main")
				t.Errorf("%s, %v = %d, %v, want %d, %q\n%s", request, &test.err, resp.StatusCode, err, test.status, test.want, body)
			}
		}
	}
}

// A client that closes idle connections closes the idle connections of Transport.
func TestTransportCloseIdle(t *testing.T) {
	left := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			left <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	c := &http.Client{Transport: gateway.Transport(new(net.Dialer).DialContext)}
	resp, err := c.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	c.CloseIdleConnections()
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Error("the connection is still there")
	}
}

// An idleCounter counts how often its idle connections were closed.
type idleCounter struct {
	http.RoundTripper
	closed int
}

func (c *idleCounter) CloseIdleConnections() { c.closed++ }

// A checked transport closes the idle connections of the other one.
func TestCheckedIdle(t *testing.T) {
	var c idleCounter
	client := &http.Client{Transport: gateway.Checked(&c, guard.Ports{}.Check)}
	client.CloseIdleConnections()
	if c.closed != 1 {
		t.Errorf("idle connections were closed %d times, want 1", c.closed)
	}
}
