package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/gateway"
)

// A line is a connection without data.
type line struct {
	net.Conn
	from   string
	closed bool
}

func (l *line) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(l.from)) }
func (l *line) Close() error         { l.closed = true; return nil }

// One client has at most PerClient connections. For one more, Connections closes the connection that
// has been idle longest. It does not close a busy connection.
func TestConnections(t *testing.T) {
	// attack: One client opens many connections | `Connections` closes the connection that was idle longest
	const one, two, proxy = "192.0.2.1:1", "192.0.2.2:1", "[2001:db8:f::1]:1"
	for _, test := range []struct {
		name   string
		events string // "+a" a new connection a, "!a" it has a request, "-a" it waits, "=a" it is hijacked, ".a" it has gone
		from   map[string]string
		closed string // because of PerClient, in the order of names
		count  int
	}{
		{"as many as may be", "+a +b +c", nil, "", 3},
		{"the first makes room", "+a +b +c +d", nil, "a", 3},
		{"and then the second", "+a +b +c +d +e", nil, "ab", 3},
		{"one that waits since its answer", "+a +b +c !a -a +d", nil, "b", 3},
		{"none that is in use", "+a +b +c !a +d", nil, "b", 3},
		{"all are in use", "+a +b +c !a !b !c +d", nil, "d", 3},
		{"and remain", "+a +b +c !a !b !c +d +e -b +f", nil, "bde", 3},
		{"one that has gone makes room", "+a +b +c .a +d", nil, "", 3},
		{"a tunnel is a request", "+a +b +c !a =a +d", nil, "", 3},
		{"what was closed is told to have gone", "+a +b +c +d .a +e", nil, "ab", 3},
		{"and may still have said something", "+a +b +c +d !a -a .a +e", nil, "ab", 3},
		{"another client", "+a +b +c +d", map[string]string{"d": two}, "", 4},
		{"which has as many", "+a +b +c +d +e +f +g", map[string]string{"d": two, "e": two, "f": two, "g": two}, "d", 6},
		{"a network of IPv6 is one client", "+a +b +c +d", map[string]string{"a": "[2001:db8::1]:1", "b": "[2001:db8::2]:1", "c": "[2001:db8::3]:1", "d": "[2001:db8::4]:1"}, "a", 3},
		{"two are two", "+a +b +c +d", map[string]string{"a": "[2001:db8:0:1::1]:1"}, "", 4},
		{"a proxy has as many as it wants", "+a +b +c +d", map[string]string{"a": proxy, "b": proxy, "c": proxy, "d": proxy}, "", 4},
		{"all have gone", "+a +b .a .b", nil, "", 0},
	} {
		c := &gateway.Connections{PerClient: 3, Proxies: []netip.Prefix{netip.MustParsePrefix("2001:db8:f::1/128")}}
		lines := make(map[string]*line)
		for event := range strings.FieldsSeq(test.events) {
			name := event[1:]
			if event[0] == '+' {
				from, ok := test.from[name]
				if !ok {
					from = one
				}
				lines[name] = &line{from: from}
			}
			states := map[byte]http.ConnState{'+': http.StateNew, '!': http.StateActive, '-': http.StateIdle, '=': http.StateHijacked, '.': http.StateClosed}
			c.ConnState(lines[name], states[event[0]])
		}
		var closed []string
		for name, l := range lines {
			if l.closed {
				closed = append(closed, name)
			}
		}
		slices.Sort(closed)
		if got := strings.Join(closed, ""); got != test.closed || c.Count() != test.count {
			t.Errorf("%s (%s): %q are closed and %d remain, want %q and %d", test.name, test.events, got, c.Count(), test.closed, test.count)
		}
	}
}

// By default a client may have 256 connections.
func TestConnectionsDefault(t *testing.T) {
	var c gateway.Connections
	for range 300 {
		c.ConnState(&line{from: "192.0.2.1:1"}, http.StateNew)
	}
	if n := c.Count(); n != 256 {
		t.Errorf("%d connections, want 256", n)
	}
}

// A server closes surplus idle connections, with TLS and without, and still answers.
func TestConnectionsServed(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var c gateway.Connections
		c.PerClient = 2
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
		gone := make(chan struct{}, 16)
		server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
			c.ConnState(conn, state)
			if state == http.StateClosed {
				gone <- struct{}{}
			}
		}
		client := http.DefaultTransport.(*http.Transport).Clone()
		if secure {
			server.StartTLS()
			client = server.Client().Transport.(*http.Transport)
		} else {
			server.Start()
		}
		client.DisableKeepAlives = true
		silent := make([]net.Conn, 3)
		for i := range silent {
			var err error
			if silent[i], err = net.Dial("tcp", server.Listener.Addr().String()); err != nil {
				t.Fatal(err)
			}
			silent[i].SetDeadline(time.Now().Add(time.Minute))
		}
		if n, err := silent[0].Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("TLS %v: of three silent connections the first is left open: %d, %v", secure, n, err)
		}
		for i := range 5 {
			resp, err := (&http.Client{Transport: client}).Get(server.URL)
			if err != nil {
				t.Fatalf("TLS %v: request %d: %v", secure, i, err)
			}
			resp.Body.Close()
			for c.Count() > 1 { // until its connection has gone: the one that remains is silent
				<-gone
			}
		}
		if n, err := silent[1].Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("TLS %v: the second silent connection makes no room: %d, %v", secure, n, err)
		}
		for _, conn := range silent {
			conn.Close()
		}
		server.Close()
		if n := c.Count(); n != 0 {
			t.Errorf("TLS %v: %d connections are left of a server that was closed", secure, n)
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

// Connections does not allocate for a request.
func TestConnectionsAllocate(t *testing.T) {
	var c gateway.Connections
	conn := &line{from: "192.0.2.1:1"}
	c.ConnState(conn, http.StateNew)
	if n := testing.AllocsPerRun(100, func() {
		c.ConnState(conn, http.StateActive)
		c.ConnState(conn, http.StateIdle)
	}); n > 0 {
		t.Errorf("a request allocates %v times", n)
	}
}

func ExampleConnections() {
	var connections gateway.Connections
	server := httptest.NewUnstartedServer(&gateway.Gateway{})
	server.Config.ConnState = connections.ConnState
	server.Start()
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	status, _ := bufio.NewReader(conn).ReadString('\n')
	fmt.Println(strings.TrimSpace(status), connections.Count())
	// Output: HTTP/1.1 200 OK 1
}
