package faulty

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// A Leaver is a web server that answers the first request on each connection with "ok".
// It closes the connection when the second request arrives, like a server whose idle
// timeout ends at that moment.
type Leaver struct {
	// Addr is where it listens, host:port.
	Addr string

	// Answered counts answered requests, and Left counts unanswered requests. Lost counts
	// the unanswered requests that must not be sent again, because they have a body, or
	// another method than GET, HEAD and OPTIONS.
	Answered, Left, Lost atomic.Int64

	reset bool
}

// Leave starts a Leaver on loopback, which runs until the test ends. If reset is set, it closes
// connections with a RST.
func Leave(t testing.TB, reset bool) *Leaver {
	t.Helper()
	s := &Leaver{reset: reset}
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, isUsed{}, new(bool))
	}
	server.Start()
	t.Cleanup(server.Close)
	s.Addr = server.Listener.Addr().String()
	return s
}

// isUsed is the key of a *bool in the context of a connection: it has had a request.
type isUsed struct{}

// serve answers the first request of a connection with "ok". It reads the second request,
// counts it, and closes the connection without a response.
func (s *Leaver) serve(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	if used := r.Context().Value(isUsed{}).(*bool); !*used {
		*used = true
		s.Answered.Add(1)
		_, _ = io.WriteString(w, "ok")
		return
	}
	s.Left.Add(1)
	isSafe := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	if !isSafe || r.ContentLength != 0 {
		s.Lost.Add(1)
	}
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if s.reset {
		_ = c.(*net.TCPConn).SetLinger(0)
	}
	c.Close()
}
