package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/url"
)

// answerLater serves requests on a connection. It answers each after a minute.
func answerLater(conn net.Conn) {
	for r := bufio.NewReader(conn); ; {
		if _, err := http.ReadRequest(r); err != nil {
			return
		}
		time.Sleep(time.Minute)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
	}
}

// getFrom reads http://h/ with c.
func getFrom(ctx context.Context, c *Client) error {
	r, err := c.Do(ctx, &access.Request{URL: url.MustParse("http://h/")})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// A request waits for one of the PerHost connections, and opens no other one meanwhile, although a new connection would
// be quicker than the answer.
func TestPerHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialled := make(chan bool, 10)
		serve := server(answerLater)
		c := &Client{Idle: time.Hour, PerHost: 2, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled <- true
			return serve(ctx, network, address)
		}}
		defer c.CloseIdleConnections()
		errs := make(chan error)
		for range 6 {
			go func() { errs <- getFrom(t.Context(), c) }()
		}
		for range 6 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if len(dialled) != 2 {
			t.Errorf("6 requests with PerHost 2 opened %d connections, want 2", len(dialled))
		}
	})
}

// The attempt to connect ends with its request, because it counts as one of the PerHost connections. Then the next
// request may connect.
func TestPerHostUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts, serve := 0, server(answerLater)
		c := &Client{Idle: time.Hour, PerHost: 1, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if attempts++; attempts > 1 {
				return serve(ctx, network, address)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		defer c.CloseIdleConnections()
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := getFrom(ctx, c); err == nil {
			t.Error("a request to an unreachable host succeeded")
		}
		if err := getFrom(t.Context(), c); err != nil {
			t.Errorf("the request after one that could not connect: %v", err)
		}
		if took, want := time.Since(start), time.Minute+time.Second; took != want {
			t.Errorf("both requests took %v, want %v: the second has to connect when the first ends", took, want)
		}
	})
}

// The wait for one of the PerHost connections does not count as idle, because the server is not asked yet.
func TestPerHostWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Idle: 90 * time.Second, PerHost: 1, Dial: server(answerLater)}
		defer c.CloseIdleConnections()
		errs := make(chan error)
		for range 4 {
			go func() { errs <- getFrom(t.Context(), c) }()
		}
		for range 4 {
			if err := <-errs; err != nil {
				t.Errorf("one of 4 requests with PerHost 1: %v", err)
			}
		}
	})
}

// The TLS handshake ends with its request, because its connection counts as one of the PerHost connections. Then the
// next request may connect.
func TestPerHostSilentTLS(t *testing.T) {
	for _, test := range []struct {
		name string
		ctx  func(context.Context) context.Context
	}{
		{"plain", func(ctx context.Context) context.Context { return ctx }},
		{"recorded", func(ctx context.Context) context.Context { return withTap(ctx) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			silent := server(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
			c := &Client{Idle: time.Hour, PerHost: 1, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				if attempts++; attempts > 1 {
					return nil, errors.New("connected again")
				}
				return silent(ctx, network, address)
			}}
			defer c.CloseIdleConnections()
			for _, want := range []string{"deadline exceeded", "connected again"} {
				ctx, cancel := context.WithTimeout(test.ctx(t.Context()), time.Second)
				_, err := c.Do(ctx, &access.Request{URL: url.MustParse("https://h/")})
				cancel()
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: a request to a server that is silent during the handshake: %v, want %q", test.name, err, want)
				}
			}
		})
	}
}
