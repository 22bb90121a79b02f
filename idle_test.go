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
	"locus/guard"
	"locus/proto/web"
	"locus/url"
)

// A counted connection is one of open.
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

// What an http.Client keeps open it can close.
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
	table := access.Table{"http": engine}
	for _, o := range []access.Engine{table, access.Follow{Engine: table}, guard.Ports{Engine: table}} {
		client := Client(o)
		resp, err := client.Get("http://a.example/x")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if n := open.Load(); n != 1 || err != nil {
			t.Errorf("%T keeps %d connections, %v, want one", o, n, err)
		}
		client.CloseIdleConnections()
		if n := open.Load(); n != 0 {
			t.Errorf("%T has %d connections when the idle ones are closed", o, n)
		}
	}
	Client(nil).CloseIdleConnections()
	Client(things).CloseIdleConnections()
}

// slow is an Opener whose accesses end with their contexts.
type slow struct{}

func (slow) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	<-ctx.Done()
	return nil, &access.Error{Op: "open", URL: req.URL, Err: ctx.Err()}
}

// What took too long is a timeout to who asks a net.Error, as package net/http
// has it.
func TestClientTimeout(t *testing.T) {
	client := Client(slow{})
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
		_, err := Client(o).Get("x://h/")
		if e, ok := errors.AsType[net.Error](err); !ok || e.Timeout() != test.want || !errors.Is(err, test.err) {
			t.Errorf("Get that fails with %v is a timeout: %v, want %v", test.err, ok && e.Timeout(), test.want)
		}
		if _, ok := errors.AsType[*access.Error](err); !ok {
			t.Errorf("Get that fails with %v = %v, want an *access.Error", test.err, err)
		}
	}
}

// An error says each thing once, and no password.
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
		_, err = Client(o).Do(r)
		if err == nil || err.Error() != want || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Get(%q) = %v, want %s", u, err, want)
		}
	}
}
