package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxArrival is the time that wait gives connections to send their first request.
const maxArrival = time.Second

// arrivals is the set of connections whose first request has not reached the handler. A server waits for them
// before http.Server.Shutdown, which would close them without a response. The zero value is ready.
type arrivals struct {
	mu      sync.Mutex
	waiting map[net.Conn]bool
	empty   chan struct{} // closed when waiting becomes empty; nil if no wait runs
}

// arrivalKey is the key of a connection in the context of its requests.
type arrivalKey struct{}

// watch makes a contain each connection of server until its first request, and tells each targetConn its state.
// It sets the ConnContext of server, and wraps its ConnState and its Handler. Call it before server serves.
func (a *arrivals) watch(server *http.Server) {
	next, handler := server.ConnState, server.Handler
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, arrivalKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if t, ok := c.(*targetConn); ok {
			t.setState(state)
		}
		if next != nil {
			next(c, state)
		}
		switch state {
		case http.StateNew:
			a.add(c)
		case http.StateIdle, http.StateHijacked, http.StateClosed:
			a.remove(c)
		}
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(arrivalKey{}).(net.Conn); ok {
			a.remove(c)
		}
		handler.ServeHTTP(w, r)
	})
}

// add adds a connection that has not sent a request.
func (a *arrivals) add(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = make(map[net.Conn]bool)
	}
	a.waiting[c] = true
}

// remove removes a connection, which may be absent. wait returns after the last one is removed.
func (a *arrivals) remove(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, c)
	if len(a.waiting) == 0 && a.empty != nil {
		close(a.empty)
		a.empty = nil
	}
}

// wait returns when a is empty, when ctx is done, or after maxArrival. The caller must have closed the listener,
// so that no connections are added.
func (a *arrivals) wait(ctx context.Context) {
	a.mu.Lock()
	if len(a.waiting) == 0 {
		a.mu.Unlock()
		return
	}
	empty := make(chan struct{})
	a.empty = empty
	a.mu.Unlock()
	late := time.NewTimer(maxArrival)
	defer late.Stop()
	select {
	case <-empty:
	case <-ctx.Done():
	case <-late.C:
	}
}
