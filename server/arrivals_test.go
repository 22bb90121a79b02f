package server_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"locus/server"
)

// A connection that was accepted before the end of the server may still send its first request. A silent
// connection is closed soon.
func TestArrivals(t *testing.T) {
	for _, test := range []struct {
		name  string
		sends bool
	}{
		{"sends a request", true},
		{"stays silent", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &server.Server{Drain: 10 * time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNoContent)
			})}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- s.Serve(ctx, l, nil) }()

			// The second connection is accepted after the first.
			conns := [2]net.Conn{dial(t, l), dial(t, l)}
			if _, err := conns[1].Write([]byte("GET / HTTP/1.0\r\n\r\n")); err != nil {
				t.Fatal(err)
			}
			answer(t, conns[1], http.StatusNoContent)
			stop()
			for dialled := true; dialled; { // until the listener is closed
				c, err := net.Dial("tcp", l.Addr().String())
				if dialled = err == nil; dialled {
					c.Close()
				}
			}
			if test.sends {
				if _, err := conns[0].Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
					t.Fatal(err)
				}
				answer(t, conns[0], http.StatusNoContent)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Error("Serve waits for Drain")
			}
		})
	}
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func answer(t *testing.T, c net.Conn, want int) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != want {
		t.Errorf("%s, want %d", resp.Status, want)
	}
}
