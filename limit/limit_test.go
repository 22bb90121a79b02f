package limit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/terminal"
	"locus/url"
)

// isEmpty reports whether no request has or waits for a turn of l.
func (l *Limiter) isEmpty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.taken) == 0 && len(l.waiting) == 0
}

// A turn is one request of a client at a server.
type turn struct {
	client, server string
	after          time.Duration // when it begins
}

// waitFor takes turns of a second each, and returns the time at which each one begins. If a turn fails with want, its
// time is the negative time of the error.
func waitFor(t *testing.T, l *Limiter, turns []turn, want error) []time.Duration {
	t.Helper()
	begun := make([]time.Duration, len(turns))
	start := time.Now()
	var all sync.WaitGroup
	for i, test := range turns {
		all.Go(func() {
			time.Sleep(test.after)
			release, err := l.Wait(t.Context(), test.client, test.server)
			begun[i] = time.Since(start)
			if err != nil {
				if !errors.Is(err, want) {
					t.Errorf("Wait of turn %d = %v, want %v", i, err, want)
				}
				begun[i] = -begun[i]
				return
			}
			time.Sleep(time.Second)
			release()
			release() // has no effect
		})
	}
	all.Wait()
	if !l.isEmpty() {
		t.Errorf("the limiter still has turns: %+v", l)
	}
	return begun
}

func TestWait(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name    string
		limiter *Limiter
		turns   []turn
		want    []time.Duration
		err     error
	}{
		{
			"no limit", &Limiter{},
			[]turn{{"a", "s", 0}, {"a", "s", 1 * ms}, {"b", "s", 2 * ms}},
			[]time.Duration{0, 1 * ms, 2 * ms},
			nil,
		},
		{
			"PerServer", &Limiter{PerServer: 1},
			[]turn{{"a", "s", 0}, {"b", "s", 1 * ms}, {"a", "other", 2 * ms}, {"a", "s", 3 * ms}},
			[]time.Duration{0, 1000 * ms, 2 * ms, 2000 * ms},
			nil,
		},
		{
			"PerServer of 2", &Limiter{PerServer: 2},
			[]turn{{"a", "s", 0}, {"a", "s", 1 * ms}, {"a", "s", 2 * ms}, {"a", "s", 3 * ms}},
			[]time.Duration{0, 1 * ms, 1000 * ms, 1001 * ms},
			nil,
		},
		{ // the third turn of a waits, but b gets a turn at once
			"Share", &Limiter{PerServer: 3, Share: 2},
			[]turn{{"a", "s", 0}, {"a", "s", 1 * ms}, {"a", "s", 2 * ms}, {"b", "s", 3 * ms}, {"a", "other", 4 * ms}},
			[]time.Duration{0, 1 * ms, 1000 * ms, 3 * ms, 4 * ms},
			nil,
		},
		{
			"Share alone", &Limiter{Share: 1},
			[]turn{{"a", "s", 0}, {"a", "s", 1 * ms}, {"b", "s", 2 * ms}},
			[]time.Duration{0, 1000 * ms, 2 * ms},
			nil,
		},
		{
			"MaxWait", &Limiter{PerServer: 1, MaxWait: 500 * ms},
			[]turn{{"a", "s", 0}, {"a", "s", 1 * ms}, {"a", "s", 600 * ms}},
			[]time.Duration{0, -501 * ms, 1000 * ms},
			ErrServer,
		},
		{ // MaxWait bounds both waits together
			"MaxWait of both", &Limiter{PerServer: 1, Share: 1, MaxWait: 1500 * ms},
			[]turn{{"a", "s", 0}, {"b", "s", 1 * ms}, {"b", "s", 2 * ms}},
			[]time.Duration{0, 1000 * ms, -1502 * ms},
			ErrServer,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := waitFor(t, test.limiter, test.turns, test.err)
				if fmt.Sprint(got) != fmt.Sprint(test.want) {
					t.Errorf("turns begin at %v, want %v", got, test.want)
				}
			})
		})
	}
}

// Wait returns the cause of a context that is done, and takes no turn.
func TestWaitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Limiter{PerServer: 1}
		release, err := l.Wait(t.Context(), "a", "s")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		if _, err := l.Wait(ctx, "a", "s"); err == nil || err.Error() != "enough" || errors.Is(err, access.ErrBusy) {
			t.Errorf("Wait = %v, want the cause of its context", err)
		}
		release()
		if !l.isEmpty() {
			t.Errorf("the limiter still has turns: %+v", l)
		}
	})
}

func TestServer(t *testing.T) {
	for _, test := range []struct{ a, b string }{
		{"http://h/a", "http://h:80/b"},
		{"HTTP://H/a", "http://h/?b"},
		{"ftp://u:p@h/a", "ftp://h:21/"},
		{"gopher://h/1", "gopher://h:/"},
		{"z39.50s://h/books;query=x", "z39.50r://h:210/books?17"},
	} {
		if a, b := Server(url.MustParse(test.a)), Server(url.MustParse(test.b)); a != b {
			t.Errorf("Server(%q) = %q, Server(%q) = %q, want the same", test.a, a, test.b, b)
		}
	}
	for _, test := range []struct{ a, b string }{
		{"http://h/", "https://h/"},
		{"http://h/", "http://h:8080/"},
		{"http://h/", "http://h.example/"},
	} {
		if a, b := Server(url.MustParse(test.a)), Server(url.MustParse(test.b)); a == b {
			t.Errorf("Server(%q) = Server(%q) = %q, want different servers", test.a, test.b, a)
		}
	}
}

// texts returns an Engine that returns the same text for every URL.
func texts(text string) access.GetFunc {
	return func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(len(text))}, Body: io.NopCloser(strings.NewReader(text))}, nil
	}
}

// A turn lasts until the Body is closed, and all requests share one Rate.
func TestEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Limiter{PerServer: 2}
		e := Engine{Engine: texts(strings.Repeat("x", 100_000)), Limiter: l, Rate: &Rate{PerSecond: 50_000}}
		start := time.Now()
		var mu sync.Mutex
		open, most := map[string]int{}, 0
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				host := fmt.Sprintf("h%d", i%2)
				r, err := e.Do(t.Context(), &access.Request{URL: url.MustParse("http://" + host + "/")})
				if err != nil {
					t.Errorf("request %d to %s: %v", i, host, err)
					return
				}
				mu.Lock()
				open[host]++
				most = max(most, open[host])
				mu.Unlock()
				if n, err := io.Copy(io.Discard, r.Body); n != 100_000 || err != nil {
					t.Errorf("request %d to %s reads %d bytes, %v, want 100000 bytes", i, host, n, err)
				}
				mu.Lock()
				open[host]--
				mu.Unlock()
				r.Body.Close()
			})
		}
		all.Wait()
		if took := time.Since(start); took < 11*time.Second || took > 13*time.Second {
			t.Errorf("reading 600000 bytes at 50000 a second took %v, want about 12s", took)
		}
		if most != 2 || !l.isEmpty() {
			t.Errorf("at most %d requests at once, limiter %+v; want 2 and an empty limiter", most, l)
		}
	})
}

// The turn ends with Do if there is no Body to close: after an error, after a panic, and for an Op other than Get.
func TestEngineReleases(t *testing.T) {
	for _, test := range []struct {
		name   string
		op     access.Op
		engine access.Engine
	}{
		{"an error", access.Get, access.Table(nil)},
		{"no engine", access.Get, nil},
		{"stat", access.Stat, doFunc(texts("x"))},
		{"a panic", access.Get, access.GetFunc(func(context.Context, *access.Request) (*access.Resource, error) { panic("no") })},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &Limiter{PerServer: 1}
			func() {
				defer func() { _ = recover() }()
				_, _ = Engine{Engine: test.engine, Limiter: l}.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse("http://h/")})
			}()
			if !l.isEmpty() {
				t.Errorf("the limiter still has turns: %+v", l)
			}
		})
	}
}

// A doFunc is an Engine that executes every Op with a function.
type doFunc func(context.Context, *access.Request) (*access.Resource, error)

func (f doFunc) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return f(ctx, req)
}

// Share counts the requests of each Request.Client, and the error names the operation.
func TestEngineClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := Engine{Engine: texts("x"), Limiter: &Limiter{Share: 1, MaxWait: time.Second}}
		do := func(client string) (*access.Resource, error) {
			return e.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/"), Client: client})
		}
		r, err := do("a")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := do("a"); !errors.Is(err, ErrServer) || err.Error() != "open http://h/: too many requests to this server at once" {
			t.Errorf("the second request of client a = %v, want %v", err, ErrServer)
		}
		other, err := do("b")
		if err != nil {
			t.Fatal(err)
		}
		other.Body.Close()
	})
}

// The wait for a Rate ends with the context of the request.
func TestRateCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := Engine{Engine: texts(strings.Repeat("x", 1000)), Rate: &Rate{PerSecond: 10}}.Do(ctx, &access.Request{URL: url.MustParse("http://h/")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		start := time.Now()
		if _, err := io.Copy(io.Discard, r.Body); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v, Copy = %v, want the deadline after 1s", time.Since(start), err)
		}
	})
}

// A drip returns a piece of text after each pause, or an entry for each piece.
type drip struct {
	piece string
	pause time.Duration
	left  int // the number of pieces left
}

func (d *drip) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	d.left--
	time.Sleep(d.pause)
	return copy(p, d.piece), nil
}

func (d *drip) Close() error { return nil }

func (d *drip) Next() (access.Entry, error) {
	if d.left == 0 {
		return access.Entry{}, io.EOF
	}
	d.left--
	time.Sleep(d.pause)
	return access.Entry{Title: d.piece}, nil
}

func TestMinRate(t *testing.T) {
	// attack: A server sends without end, or a byte a minute | `MaxSize`, `--idle` and `--min-rate` end the access
	const s = time.Second
	for _, test := range []struct {
		name     string
		drip     drip
		min      int64
		consumer time.Duration // the pause between two reads
		want     string        // of the error; "" for none
		after    time.Duration
	}{
		{"fast", drip{strings.Repeat("x", 1000), s, 100}, 1000, 0, "", 100 * s},
		{"just fast enough", drip{"x", s, 100}, 1, 0, "", 100 * s},
		{"no limit", drip{"x", 59 * s, 100}, -1, 0, "", 5900 * s},
		{"the default", drip{"x", 2 * s, 100}, 0, 0, "read http://h/: the server is too slow: it sent 15 bytes in 30s, fewer than 1 a second", 30 * s},
		{"too slow", drip{"x", 2 * s, 100}, 1, 0, "read http://h/: the server is too slow: it sent 15 bytes in 30s, fewer than 1 a second", 30 * s},
		{"a byte a minute", drip{"x", 59 * s, 100}, 1, 0, "read http://h/: the server is too slow: it sent 1 bytes in 59s, fewer than 1 a second", 59 * s},
		{"silent, then fast", drip{strings.Repeat("x", 1000), 59 * s, 10}, 10, 0, "", 590 * s},
		{"a slow consumer", drip{"x", s / 2, 100}, 1, 10 * s, "", 1050 * s},
		{"too slow for N", drip{strings.Repeat("x", 99), s, 100}, 100, 0, "read http://h/: the server is too slow: it sent 2970 bytes in 30s, fewer than 100 a second", 30 * s},
	} {
		for _, list := range []bool{false, true} {
			t.Run(fmt.Sprint(test.name, " list ", list), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := test.drip
					engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
						r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: &d}
						if list {
							r.List = &d
						}
						return r, nil
					})
					r, err := Engine{Engine: engine, MinRate: test.min}.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")})
					if err != nil {
						t.Fatal(err)
					}
					defer r.Body.Close()
					start := time.Now()
					buf := make([]byte, 1<<10)
					for err == nil {
						if list {
							_, err = r.List.Next()
						} else {
							_, err = r.Body.Read(buf)
						}
						if err == nil {
							time.Sleep(test.consumer)
						}
					}
					if test.want == "" && err == io.EOF {
						err = nil
					}
					if got := fmt.Sprint(err); err == nil && test.want != "" || err != nil && got != test.want {
						t.Errorf("error = %s, want %s", got, test.want)
					}
					if err != nil && (!errors.Is(err, ErrTooSlow) || !errors.Is(err, access.ErrTemporary)) {
						t.Errorf("error = %v, want ErrTooSlow and ErrTemporary", err)
					}
					if took := time.Since(start); took != test.after {
						t.Errorf("reading took %v, want %v", took, test.after)
					}
				})
			})
		}
	}
}

// MinRate does not end a session, which may be as slow as the person who types.
func TestMinRateSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: &drip{"x", time.Hour, 10}}
			r.Session = struct{ terminal.Session }{}
			return r, nil
		})
		r, err := Engine{Engine: engine, MinRate: 1}.Do(t.Context(), &access.Request{URL: url.MustParse("telnet://h/")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if n, err := io.Copy(io.Discard, r.Body); n != 10 || err != nil {
			t.Errorf("read %d bytes, %v, want 10 bytes", n, err)
		}
	})
}

// The time spent waiting for Rate does not count as waiting for the server.
func TestMinRateWithRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := Engine{Engine: texts(strings.Repeat("x", 1000)), Rate: &Rate{PerSecond: 10}, MinRate: 100}
		r, err := e.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if n, err := io.Copy(io.Discard, r.Body); n != 1000 || err != nil {
			t.Errorf("read %d bytes, %v, want 1000 bytes", n, err)
		}
	})
}
