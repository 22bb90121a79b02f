package locus

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/cache"
	"locus/limit"
	"locus/proto/web"
	"locus/url"
)

// A counted connection counts in open until it is closed.
type counted struct {
	net.Conn
	open   *atomic.Int32
	closed atomic.Bool
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// CloseIdleConnections of an http.Client closes the idle connections.
func TestClientIdle(t *testing.T) {
	town := newTown(t, signpost)
	var open atomic.Int32
	engine := &web.Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := town.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &counted{Conn: conn, open: &open}, nil
	}}
	engines := func(Dial) map[string]Scheme { return access.Table{"http": engine, "https": engine}.Schemes() }
	for name, c := range map[string]*Client{
		"plain":        {Engines: engines},
		"no redirects": {Engines: engines, NoRedirects: true},
		"public":       {Engines: engines, Public: true},
		"logins":       {Engines: engines, Login: noLogin},
		"limits":       {Engines: engines, Limiter: &limit.Limiter{PerServer: 1}, Limits: Limits{Bytes: 1 << 20, Total: time.Minute}},
		"a cache":      {Engines: engines, Cache: new(cache.Cache)},
		"no proxy":     {Engines: engines, Proxy: func(url.URL) (url.URL, bool) { return url.URL{}, false }},
	} {
		client := c.HTTP()
		resp, err := client.Get("http://a.example/x")
		if err != nil {
			t.Fatalf("Get by the client %q: %v", name, err)
		}
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if n := open.Load(); n != 1 || err != nil {
			t.Errorf("with %s %d connections are kept, %v, want one", name, n, err)
		}
		client.CloseIdleConnections()
		if n := open.Load(); n != 0 {
			t.Errorf("with %s there are %d connections when the idle ones are closed", name, n)
		}
	}
	newHTTP(things).CloseIdleConnections()
	new(Client).CloseIdleConnections()
}

func noLogin(context.Context, access.Challenge) (access.Credentials, error) {
	return access.Credentials{}, access.ErrPassword
}

// An idleCounter counts calls of CloseIdleConnections.
type idleCounter struct {
	access.GetFunc // a func, so idleCounter cannot be compared
	closed         *int
}

func (o idleCounter) CloseIdleConnections() { *o.closed++ }

// CloseIdleConnections is called once for each engine.
func TestClientIdleEngines(t *testing.T) {
	var closed int
	able, plain := &idleCounter{closed: &closed}, access.GetFunc(nil)
	for name, test := range map[string]struct {
		table access.Table
		want  int
	}{
		"one":            {access.Table{"a": able}, 1},
		"one of two":     {access.Table{"a": able, "b": plain, "c": nil}, 1},
		"two":            {access.Table{"a": able, "b": plain, "c": nil, "d": idleCounter{closed: &closed}}, 3}, // d cannot be compared, so it counts once for each call of Engines
		"the same twice": {access.Table{"a": able, "b": able}, 1},
		"none":           {access.Table{"a": plain}, 0},
		"nothing":        {nil, 0},
	} {
		closed = 0
		c := &Client{Engines: func(Dial) map[string]Scheme { return test.table.Schemes() }}
		if c.CloseIdleConnections(); closed != test.want {
			t.Errorf("%s: CloseIdleConnections tells %d, want %d", name, closed, test.want)
		}
		closed = 0
		if err := c.Close(); closed != test.want || err != nil {
			t.Errorf("%s: Close tells %d, %v, want %d", name, closed, err, test.want)
		}
	}
}

// slow is an Engine whose requests end with their contexts.
type slow struct{}

func (slow) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	<-ctx.Done()
	return nil, &access.Error{Op: "open", URL: req.URL, Err: ctx.Err()}
}

// A timeout is a net.Error, as in package net/http.
func TestClientTimeout(t *testing.T) {
	client := newHTTP(slow{})
	client.Timeout = time.Millisecond
	_, err := client.Get("x://h/")
	if e, ok := errors.AsType[net.Error](err); !ok || !e.Timeout() || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Get that takes too long = %v, want a timeout", err)
	}
	for _, test := range []struct {
		err  error
		want bool
	}{
		{context.DeadlineExceeded, true},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}, true},
		{&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}, false},
		{context.Canceled, false},
		{io.ErrUnexpectedEOF, false},
	} {
		o := toy{"x://h/": fail(test.err)}
		_, err := newHTTP(o).Get("x://h/")
		if e, ok := errors.AsType[net.Error](err); !ok || e.Timeout() != test.want || !errors.Is(err, test.err) {
			t.Errorf("Get that fails with %v is a timeout: %v, want %v", test.err, ok && e.Timeout(), test.want)
		}
		if _, ok := errors.AsType[*access.Error](err); !ok {
			t.Errorf("Get that fails with %v = %v, want an *access.Error", test.err, err)
		}
	}
}

// An error names its URL once, without the password.
func TestClientErrorText(t *testing.T) {
	broken := func(at string) func(*access.Request) (*access.Resource, error) {
		return func(*access.Request) (*access.Resource, error) {
			return nil, &access.Error{Op: "open", URL: url.MustParse(at), Reply: &access.Reply{Code: 421, Text: "Later."}, Err: access.ErrTemporary}
		}
	}
	o := toy{
		"ftp://u:sesame@h/x": broken("ftp://u:sesame@h/x"), "ftp://h/y": broken("ftp://u:sesame@other/z"), "ftp://h/z": func(*access.Request) (*access.Resource, error) {
			return nil, errors.New("plain")
		},
	}
	for u, want := range map[string]string{
		"ftp://u:sesame@h/x": `Get "ftp://u:***@h/x": 421 Later: the server cannot do it now`,
		"ftp://h/y":          `Get "ftp://h/y": open ftp://u:xxxxx@other/z: 421 Later: the server cannot do it now`,
		"ftp://h/z":          `Get "ftp://h/z": plain`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = newHTTP(o).Do(r)
		if err == nil || err.Error() != want || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Get(%q) = %v, want %s", u, err, want)
		}
	}
}
