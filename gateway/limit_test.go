package gateway_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/limit"
)

// held is an Engine that answers when the test releases it.
type held struct {
	begun   chan struct{}
	release chan struct{}
}

func (h held) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, engine.Unsupported(req)
	}
	h.begun <- struct{}{}
	select {
	case <-h.release:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return content("text/plain", "text")(req)
}

// limited returns g, which shares its Limiter with the Engine, as the command does.
func limited(e access.Engine, g *gateway.Gateway) *gateway.Gateway {
	g.Engine = limit.Engine{Engine: e, Limiter: g.Limiter}
	return g
}

// ask sends g a request from remote.
func ask(g *gateway.Gateway, remote, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.RemoteAddr, r.Host, r.RequestURI = remote, "localhost", path
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

func TestLimits(t *testing.T) {
	// attack: One client sends many requests, or many clients ask one server | 429, or a queue and then 503;
	// `Limiter.Share` keeps turns for others; cache hits take no turn
	for _, test := range []struct {
		name          string
		gateway       *gateway.Gateway
		first, second string // who asks for what
		to, then      string
		want          int // the second's status while the first is served
		after         int // and afterwards
	}{
		{"total", &gateway.Gateway{MaxRequests: 1}, "192.0.2.1:1", "192.0.2.2:1", "/ftp://a/", "/ftp://b/", 503, 200},
		{"client", &gateway.Gateway{MaxPerClient: 1}, "192.0.2.1:1", "192.0.2.1:2", "/ftp://a/", "/ftp://b/", 429, 200},
		{"client, mapped", &gateway.Gateway{MaxPerClient: 1}, "192.0.2.1:1", "[::ffff:192.0.2.1]:2", "/ftp://a/", "/ftp://b/", 429, 200},
		{"client's network", &gateway.Gateway{MaxPerClient: 1}, "[2001:db8::1]:1", "[2001:db8::2]:1", "/ftp://a/", "/ftp://b/", 429, 200},
		{"server", &gateway.Gateway{Limiter: &limit.Limiter{PerServer: 1, MaxWait: 10 * time.Second}}, "192.0.2.1:1", "192.0.2.2:1", "/ftp://a/", "/ftp://A/x", 503, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := held{make(chan struct{}, 2), make(chan struct{}, 2)}
				g := limited(h, test.gateway)
				var first sync.WaitGroup
				first.Go(func() { ask(g, test.first, test.to) })
				<-h.begun
				start := time.Now()
				w := ask(g, test.second, test.then)
				if w.Code != test.want || w.Header().Get("Retry-After") == "" {
					t.Errorf("one too many = %d, Retry-After %q, want %d", w.Code, w.Header().Get("Retry-After"), test.want)
				}
				if waited := time.Since(start); test.gateway.Limiter != nil && waited != 10*time.Second {
					t.Errorf("it waited %v for its turn, want 10s", waited)
				}
				h.release <- struct{}{}
				first.Wait()
				h.release <- struct{}{}
				if w := ask(g, test.second, test.then); w.Code != test.after {
					t.Errorf("once there is room = %d, want %d", w.Code, test.after)
				}
			})
		})
	}
}

// A request that waits for one server does not hold up requests for another server. In the end it is
// answered.
func TestLimitsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := held{make(chan struct{}, 3), make(chan struct{}, 3)}
		g := limited(h, &gateway.Gateway{MaxPerClient: 2, Limiter: &limit.Limiter{PerServer: 1}})
		codes := make(chan int, 3)
		var all sync.WaitGroup
		all.Go(func() { codes <- ask(g, "192.0.2.1:1", "/ftp://a/1").Code })
		<-h.begun
		all.Go(func() { codes <- ask(g, "192.0.2.1:2", "/ftp://a/2").Code })
		synctest.Wait()
		all.Go(func() { codes <- ask(g, "192.0.2.2:1", "/ftp://b/").Code })
		<-h.begun
		for range 3 {
			h.release <- struct{}{}
		}
		all.Wait()
		for range 3 {
			if code := <-codes; code != http.StatusOK {
				t.Errorf("= %d, want 200", code)
			}
		}
	})
}

// One client cannot block a server for other clients.
func TestLimitsShare(t *testing.T) {
	// attack: One client sends many requests, or many clients ask one server
	synctest.Test(t, func(t *testing.T) {
		h := held{make(chan struct{}, 8), make(chan struct{}, 8)}
		g := limited(h, &gateway.Gateway{Limiter: &limit.Limiter{PerServer: 4, Share: 2}})
		codes := make(chan int, 8)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { codes <- ask(g, "192.0.2.1:1", "/ftp://a/").Code })
		}
		synctest.Wait()
		if n := len(h.begun); n != 2 {
			t.Errorf("%d of one client go on, want 2 of 4", n)
		}
		all.Go(func() { codes <- ask(g, "192.0.2.2:1", "/ftp://a/").Code })
		synctest.Wait()
		if n := len(h.begun); n != 3 {
			t.Errorf("%d go on once another asks, want 3", n)
		}
		for range 5 {
			h.release <- struct{}{}
		}
		all.Wait()
		for range 5 {
			if code := <-codes; code != http.StatusOK {
				t.Errorf("= %d, want 200", code)
			}
		}
	})
}

// Requests that a proxy forwards to the web take turns too.
func TestLimitsOfForwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, let := make(chan struct{}, 2), make(chan struct{})
		g := &gateway.Gateway{Limiter: &limit.Limiter{PerServer: 1, MaxWait: 10 * time.Second}, Web: roundTripper(func(r *http.Request) (*http.Response, error) {
			begun <- struct{}{}
			<-let
			return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: http.NoBody, Request: r}, nil
		})}
		forward := func(remote string) int {
			r := httptest.NewRequest(http.MethodGet, "http://h.example/", http.NoBody)
			r.RemoteAddr = remote
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			return w.Code
		}
		var first sync.WaitGroup
		first.Go(func() { forward("192.0.2.1:1") })
		<-begun
		if code := forward("192.0.2.2:1"); code != http.StatusServiceUnavailable {
			t.Errorf("one too many = %d, want 503", code)
		}
		close(let)
		first.Wait()
		if code := forward("192.0.2.2:1"); code != http.StatusOK {
			t.Errorf("once there is room = %d, want 200", code)
		}
	})
}

// A memory is an Engine that has some resources, like a cache, and asks another
// Engine for the rest.
type memory struct {
	access.Engine
	has map[string]bool
}

func (m memory) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if m.has[req.URL.String()] {
		return content("text/plain", "text")(req)
	}
	return m.Engine.Do(ctx, req)
}

// A cache hit and the page of a session do not need a turn at a server. A tunnel needs a turn,
// although it does not use the Engine.
func TestLimitsCacheHit(t *testing.T) {
	// attack: One client sends many requests, or many clients ask one server
	synctest.Test(t, func(t *testing.T) {
		h := held{make(chan struct{}, 2), make(chan struct{})}
		g := limited(h, &gateway.Gateway{Limiter: &limit.Limiter{PerServer: 1, MaxWait: 10 * time.Second}})
		g.Engine = memory{g.Engine, map[string]bool{"https://a/kept": true}}
		tunnelled := 0
		g.Tunnel = func(context.Context, string, string) (net.Conn, error) {
			tunnelled++
			return nil, errors.New("no tunnel today")
		}
		connect := func() int {
			r := httptest.NewRequest(http.MethodConnect, "a:443", http.NoBody)
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			return w.Code
		}
		var first sync.WaitGroup
		first.Go(func() { ask(g, "192.0.2.1:1", "/https://a/x") })
		<-h.begun
		for path, want := range map[string]int{"/https://a/kept": 200, "/https://a/y": 503, "/https://A:443/y": 503, "/telnet://a:443/": 200} {
			if w := ask(g, "192.0.2.2:1", path); w.Code != want {
				t.Errorf("GET %s = %d, want %d", path, w.Code, want)
			}
		}
		if code := connect(); code != http.StatusServiceUnavailable || tunnelled != 0 {
			t.Errorf("CONNECT = %d, and %d tunnels", code, tunnelled)
		}
		h.release <- struct{}{}
		first.Wait()
		if code := connect(); code != http.StatusBadGateway || tunnelled != 1 {
			t.Errorf("CONNECT once there is room = %d, and %d tunnels", code, tunnelled)
		}
	})
}

// A Gateway without a Limiter has limits too.
func TestLimitsByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perClient = 128
		h := held{make(chan struct{}, perClient), make(chan struct{}, perClient)}
		g := &gateway.Gateway{Engine: h}
		var all sync.WaitGroup
		for range perClient {
			all.Go(func() { ask(g, "192.0.2.1:1", "/ftp://a/") })
		}
		synctest.Wait()
		if code := ask(g, "192.0.2.1:2", "/ftp://a/").Code; code != http.StatusTooManyRequests {
			t.Errorf("one too many = %d, want 429", code)
		}
		close(h.release)
		all.Wait()
	})
}

// Every Request names its client.
func TestClientOfRequests(t *testing.T) {
	var clients []string
	g := &gateway.Gateway{Engine: doFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		clients = append(clients, req.Op.String()+" "+req.Client)
		if req.Op != access.Get {
			return nil, engine.Unsupported(req)
		}
		return content("text/plain", "text")(req)
	})}
	for _, path := range []string{"/ftp://a/x", "/-/raw?url=ftp://a/x", "/-/list?sort=name&url=ftp://a/x", "/-/about?url=ftp://a/x"} {
		clients = nil
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.RemoteAddr, r.Host = "[2001:db8::1]:1", "localhost"
		g.ServeHTTP(httptest.NewRecorder(), r)
		if len(clients) == 0 {
			t.Errorf("GET %s asks for nothing", path)
		}
		for _, c := range clients {
			if _, client, _ := strings.Cut(c, " "); client != "2001:db8::/64" {
				t.Errorf("GET %s: %q", path, c)
			}
		}
	}
}
