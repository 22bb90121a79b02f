package pool_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/proto/internal/pool"
)

// A conn is a connection that counts the calls of Close.
type conn struct {
	host   string
	id     int
	closed atomic.Int64
}

func (c *conn) Host() string { return c.host }

func (c *conn) Close() error { c.closed.Add(1); return nil }

func anyConn(*conn) int { return 0 }

// acquire returns an idle connection of "h", or a new one with this id.
func acquire(t *testing.T, p *pool.Pool[*conn], limits pool.Limits, id int) *conn {
	t.Helper()
	c, ok, err := p.Acquire(t.Context(), limits, "h", anyConn)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		c = &conn{host: "h", id: id}
	}
	return c
}

// keep fails the test if c is not kept.
func keep(t *testing.T, p *pool.Pool[*conn], limits pool.Limits, c *conn) {
	t.Helper()
	if !p.Keep(c, limits) {
		t.Errorf("connection %d is not kept", c.id)
	}
}

// Acquire returns the idle connection with the greatest rank. If several have that rank, it returns
// the most recently used one.
func TestReuse(t *testing.T) {
	for _, test := range []struct {
		rank func(c *conn) int
		want int // its id; 0: a new one
	}{
		{anyConn, 3},
		{nil, 0},
		{func(*conn) int { return -1 }, 0},
		{func(c *conn) int { return 3 - c.id }, 1},
		{func(c *conn) int { return min(c.id, 2) }, 3},
		{func(c *conn) int { return 1 - c.id }, 1},
	} {
		p := new(pool.Pool[*conn])
		for id, host := range []string{"other", "h", "h", "h", "other"} {
			if _, _, err := p.Acquire(t.Context(), pool.Limits{}, host, nil); err != nil {
				t.Fatalf("%q: %v", host, err)
			}
			keep(t, p, pool.Limits{}, &conn{host: host, id: id})
		}
		c, ok, err := p.Acquire(t.Context(), pool.Limits{}, "h", test.rank)
		if err != nil || ok != (test.want != 0) || ok && (c.id != test.want || c.host != "h") {
			t.Errorf("Acquire = %+v, %v, %v, want %d", c, ok, err, test.want)
		}
		if p.Has(func(c *conn) bool { return c.host == "h" && c.id == test.want }) {
			t.Errorf("connection %d is in use and idle", test.want)
		}
		p.Close()
	}
}

// No more connections to a host are open than PerHost allows. Another host has its own count.
func TestPerHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, limits := new(pool.Pool[*conn]), pool.Limits{PerHost: 2}
		first, second := acquire(t, p, limits, 1), acquire(t, p, limits, 2)
		if _, ok, err := p.Acquire(t.Context(), limits, "other", anyConn); ok || err != nil {
			t.Errorf("Acquire for another host = %v, %v, want none", ok, err)
		}
		for name, free := range map[string]func(){
			"Keep":   func() { keep(t, p, limits, first) },
			"Forget": func() { p.Forget(second.Host()) },
		} {
			var got *conn
			done := make(chan struct{})
			go func() {
				got = acquire(t, p, limits, 3)
				close(done)
			}()
			synctest.Wait()
			select {
			case <-done:
				t.Fatalf("%s: a third connection is open at once", name)
			default:
			}
			free()
			<-done
			if want := map[string]int{"Keep": 1, "Forget": 3}[name]; got.id != want {
				t.Errorf("%s: connection %d, want %d", name, got.id, want)
			}
		}
	})
}

// An idle connection that does not qualify is closed to make room for a new one.
func TestPerHostReplaces(t *testing.T) {
	p, limits := new(pool.Pool[*conn]), pool.Limits{PerHost: 1}
	c := acquire(t, p, limits, 1)
	keep(t, p, limits, c)
	if _, ok, err := p.Acquire(t.Context(), limits, "h", func(*conn) int { return -1 }); ok || err != nil {
		t.Errorf("Acquire = %v, %v, want a new connection", ok, err)
	}
	if n := c.closed.Load(); n != 1 {
		t.Errorf("the idle connection is closed %d times, want once", n)
	}
}

// A connection that is in use when the Pool is closed is not kept.
func TestCloseWhileInUse(t *testing.T) {
	p := new(pool.Pool[*conn])
	busy, idle := acquire(t, p, pool.Limits{}, 1), acquire(t, p, pool.Limits{}, 2)
	keep(t, p, pool.Limits{}, idle)
	p.Close()
	if idle.closed.Load() != 1 || busy.closed.Load() != 0 {
		t.Errorf("Close closes the idle connection %d times and the other %d times, want 1, 0", idle.closed.Load(), busy.closed.Load())
	}
	if p.Keep(busy, pool.Limits{}) {
		t.Error("a closed Pool keeps a connection")
	}
	limits := pool.Limits{PerHost: 1}
	if _, ok, err := p.Acquire(t.Context(), limits, "h", anyConn); ok || err != nil { // no connection is counted any more
		t.Errorf("Acquire = %v, %v, want that the caller dials", ok, err)
	}
	p.Close()
}

// CloseIdle closes the idle connections once, and the Pool keeps later ones.
func TestCloseIdle(t *testing.T) {
	p := new(pool.Pool[*conn])
	c := acquire(t, p, pool.Limits{}, 1)
	keep(t, p, pool.Limits{}, c)
	p.CloseIdle()
	p.CloseIdle()
	if n := c.closed.Load(); n != 1 {
		t.Errorf("closed %d times, want once", n)
	}
	again := acquire(t, p, pool.Limits{}, 2)
	keep(t, p, pool.Limits{}, again)
	if got := acquire(t, p, pool.Limits{}, 3); got != again {
		t.Errorf("then connection %d, want 2", got.id)
	}
}

// CloseIdle closes the connections at the same time, because the end of a connection may take a while.
func TestCloseIdleAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(pool.Pool[*slowConn])
		for range 5 {
			if _, _, err := p.Acquire(t.Context(), pool.Limits{}, "h", nil); err != nil {
				t.Fatal(err)
			}
			p.Keep(&slowConn{}, pool.Limits{})
		}
		start := time.Now()
		p.CloseIdle()
		if took := time.Since(start); took != time.Second {
			t.Errorf("CloseIdle took %v for 5 connections that take a second each, want a second", took)
		}
	})
}

// A slowConn is a connection whose Close takes a second.
type slowConn struct{ _ int }

func (c *slowConn) Host() string { return "h" }

func (c *slowConn) Close() error { time.Sleep(time.Second); return nil }

// An idle connection is closed after Limits.Idle, unless it is in use again.
func TestIdleTimeout(t *testing.T) {
	for _, test := range []struct {
		idle   time.Duration
		closes time.Duration // 0: never
	}{
		{0, 30 * time.Second},
		{time.Second, time.Second},
		{-1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, limits := new(pool.Pool[*conn]), pool.Limits{Idle: test.idle}
			c := acquire(t, p, limits, 1)
			keep(t, p, limits, c)
			time.Sleep(cmp.Or(test.closes, time.Hour) - time.Nanosecond)
			if got := acquire(t, p, limits, 2); got != c {
				t.Fatalf("idle %v: connection %d, want 1", test.idle, got.id)
			}
			time.Sleep(time.Hour)
			if c.closed.Load() != 0 {
				t.Errorf("idle %v: closed while it is in use", test.idle)
			}
			keep(t, p, limits, c)
			if test.closes == 0 {
				p.Close()
				return
			}
			time.Sleep(test.closes)
			synctest.Wait()
			if n := c.closed.Load(); n != 1 {
				t.Errorf("idle %v: closed %d times, want once", test.idle, n)
			}
		})
	}
}

// One connection more than Limits.Most closes the least recently used one.
func TestMost(t *testing.T) {
	for _, test := range []struct{ most, want int }{{0, 16}, {2, 2}, {-1, 40}} {
		p, limits := new(pool.Pool[*conn]), pool.Limits{Most: test.most}
		var all []*conn
		for id := range 40 {
			all = append(all, acquire(t, p, limits, id))
		}
		for _, c := range all {
			keep(t, p, limits, c)
		}
		closed := slices.DeleteFunc(slices.Clone(all), func(c *conn) bool { return c.closed.Load() == 0 })
		if !slices.Equal(closed, all[:40-test.want]) {
			t.Errorf("most %d: %d are closed, want the first %d", test.most, len(closed), 40-test.want)
		}
		p.Close()
	}
}

// Acquire returns the cause of the context, both before it looks for a connection and while it
// waits.
func TestContext(t *testing.T) {
	cause := errors.New("enough")
	p, limits := new(pool.Pool[*conn]), pool.Limits{PerHost: 1}
	ctx, cancel := context.WithCancelCause(t.Context())
	acquire(t, p, limits, 1)
	ended := make(chan error)
	go func() {
		_, _, err := p.Acquire(ctx, limits, "h", anyConn)
		ended <- err
	}()
	cancel(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("Acquire = %v, want %v", err, cause)
	}
	for _, p := range []*pool.Pool[*conn]{p, nil} {
		if _, _, err := p.Acquire(ctx, limits, "other", anyConn); !errors.Is(err, cause) {
			t.Errorf("Acquire of a Pool that is nil (%v), with a context that is done = %v, want %v", p == nil, err, cause)
		}
	}
	if p.Wait(ctx, "h", time.Hour, false) {
		t.Error("Wait with a context that is done = true")
	}
}

// Wait returns at the next change, or after its delay, or at once if the host has no connection.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(pool.Pool[*conn])
		for _, test := range []struct {
			open, justClosed bool
			changes          time.Duration // when; 0: never
			want             bool
			took             time.Duration
		}{
			{false, false, 0, false, 0},
			{false, true, 0, true, time.Minute},
			{true, false, 0, true, time.Minute},
			{true, false, time.Second, true, time.Second},
		} {
			if test.open {
				acquire(t, p, pool.Limits{}, 1)
			}
			if test.changes != 0 {
				time.AfterFunc(test.changes, func() { p.Forget("h") })
			}
			start := time.Now()
			got := p.Wait(t.Context(), "h", time.Minute, test.justClosed)
			if took := time.Since(start); got != test.want || took != test.took {
				t.Errorf("%+v: Wait = %v after %v", test, got, took)
			}
			if test.open && test.changes == 0 {
				p.Forget("h")
			}
		}
	})
}

// A nil Pool keeps no connections.
func TestNil(t *testing.T) {
	var p *pool.Pool[*conn]
	c, ok, err := p.Acquire(t.Context(), pool.Limits{PerHost: 1}, "h", anyConn)
	if c != nil || ok || err != nil {
		t.Errorf("Acquire = %v, %v, %v", c, ok, err)
	}
	if p.Keep(&conn{}, pool.Limits{}) || p.Has(func(*conn) bool { return true }) || p.Wait(t.Context(), "h", time.Hour, true) {
		t.Error("a nil Pool has a connection")
	}
	p.Forget("h")
	p.CloseIdle()
	p.Close()
}

// Many goroutines share few connections: no connection is used twice at once, and all are closed in
// the end.
func TestAtOnce(t *testing.T) {
	const perHost = 3
	p, limits := new(pool.Pool[*conn]), pool.Limits{PerHost: perHost, Most: 2}
	var open, most atomic.Int64
	var inUse sync.Map
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for j := range 100 {
				c, ok, err := p.Acquire(t.Context(), limits, "h", anyConn)
				if err != nil {
					t.Errorf("Acquire %d of client %d: %v", j, i, err)
					return
				}
				if !ok {
					c = &conn{host: "h", id: i*100 + j}
				}
				if _, twice := inUse.LoadOrStore(c, true); twice || c.closed.Load() != 0 {
					t.Errorf("connection %d is used twice, or after it was closed", c.id)
				}
				n := open.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				open.Add(-1)
				inUse.Delete(c)
				if j%5 == 0 || !p.Keep(c, limits) {
					p.Forget("h")
				}
			}
		})
	}
	all.Wait()
	if n := most.Load(); n > perHost {
		t.Errorf("%d connections at once, want at most %d", n, perHost)
	}
	p.CloseIdle()
	if p.Wait(t.Context(), "h", 0, false) {
		t.Error("connections are counted when all are closed")
	}
}
