package web_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

func TestSpokenBy(t *testing.T) {
	clear := func(reply string) error {
		e := tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}
		copy(e.RecordHeader[:], reply)
		return fmt.Errorf("open https://h/: %w", e)
	}
	for _, test := range []struct {
		scheme string
		err    error
		want   string
	}{
		{"http", errors.New(`net/http: malformed HTTP response "220 welcome"`), "ftp"},
		{"http", errors.New(`net/http: malformed HTTP response "200 news.example InterNetNews"`), "news"},
		{"http", errors.New(`net/http: malformed HTTP response "hello"`), ""},
		{"https", clear("220 w"), "ftp"},
		{"https", clear("HTTP/"), "http"},
		{"https", clear("hello"), "http"},
		{"ftps", clear("hello"), "ftp"},
		{"https", errors.New("220 welcome"), ""},
	} {
		if got := web.SpokenBy(test.scheme, test.err); got != test.want {
			t.Errorf("SpokenBy(%q, %q) = %q, want %q", test.scheme, test.err, got, test.want)
		}
	}
}

// SpokenBy knows servers of other protocols by the errors of real requests, whatever the words of
// their greetings.
func TestSpokenByServer(t *testing.T) {
	for _, test := range []struct{ greeting, want string }{
		{"220 The demo's server\r\n", "ftp"},
		{"220 (vsFTPd 3.0.5)\r\n", "ftp"},
		{"220-Welcome\r\n220 ready\r\n", "ftp"},
		{"220 200 connections\r\n", "ftp"},
		{"220\r\n", "ftp"},
		{"200 news.example InterNetNews\r\n", "news"},
		{"hello you there\r\n", ""},
		{"HTTP/1.1 OK\r\n\r\n", ""},
	} {
		_, err := (&web.Client{Dial: new(net.Dialer).DialContext}).Do(t.Context(), &access.Request{Op: access.Get, URL: greeter(t, test.greeting)})
		if got := web.SpokenBy("http", err); err == nil || got != test.want {
			t.Errorf("a server begins with %q: Get returns %v, of which SpokenBy is %q, want %q", test.greeting, err, got, test.want)
		}
	}
}

// SpokenBy also knows a server whose greeting arrives before the request is sent.
func TestSpokenByEarlyGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &web.Client{Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() { _, _ = io.WriteString(server, "220 The demo's server\r\n") }()
			return client, nil
		}}
		defer c.CloseIdleConnections()
		// The client has a connection, and has read all that came from it before it writes.
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { synctest.Wait() }})
		_, err := c.Do(ctx, &access.Request{Op: access.Get, URL: url.MustParse("http://h.example/")})
		if err == nil || web.SpokenBy("http", err) != "ftp" {
			t.Errorf("Get = %v, want an error with the greeting", err)
		}
	})
}

// greeter returns the URL of a server that answers each request with a greeting.
func greeter(t *testing.T, greeting string) url.URL {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, greeting)
			conn.Close()
		}
	}()
	return url.MustParse("http://" + l.Addr().String() + "/")
}
