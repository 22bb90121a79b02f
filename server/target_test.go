package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/gateway"
	"locus/internal/weburl/hard"
	"locus/server"
)

// The handler gets each target as the client wrote it, even if net/http refuses it, whether the client sends
// the line at once, in pieces, or as soon as the response before has arrived.
func TestTargets(t *testing.T) {
	var got []string
	s := &server.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.RequestURI+" "+string(body))
		w.Header().Set("Content-Length", "0")
	})}
	c, theirs := net.Pipe() // the server reads each piece by itself
	l := &pipeListener{accepted: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.accepted <- theirs
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, nil) }()
	in := bufio.NewReader(c)
	var want []string
	const body = "GET /100% HTTP/1.1\r\n\r\n"
	for i, target := range slices.Concat(targets("/"), targets("http://h/"), targets("/http://h/"), targets("/-/dav/http://h/")) {
		text := "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
		want = append(want, "GET "+target+" ")
		if i%3 == 1 {
			text = fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", target, len(body), body)
			want[i] = "POST " + target + " " + body
		}
		pieces := []string{text}
		if i%5 == 2 {
			pieces = strings.SplitAfter(text, "%")
		}
		for _, piece := range pieces {
			io.WriteString(c, piece)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%q: %v, %v", text, resp, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the handler gets\n%q, want\n%q", got, want)
	}
}

// A gateway behind a server opens every URL of the web as a browser would, in its path and as a proxy.
func TestHardURLs(t *testing.T) {
	got := ""
	g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		host, _ := req.URL.Host()
		got = host + " " + req.URL.PathAndQuery()
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: 0}, Body: io.NopCloser(strings.NewReader(""))}, nil
	})}
	forwarding := &gateway.Gateway{Web: forward(func(r *http.Request) (*http.Response, error) {
		got = r.URL.Host + " " + strings.TrimPrefix(r.URL.RequestURI(), "http://h.example")
		return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
	})}
	for _, test := range []struct {
		handler *gateway.Gateway
		prefix  string
	}{{g, "/http://h.example"}, {g, "http://h.example"}, {g, "/-/dav/http://h.example"}, {forwarding, "http://h.example"}} {
		c, theirs := net.Pipe()
		l := &pipeListener{accepted: make(chan net.Conn, 1), closed: make(chan struct{})}
		l.accepted <- theirs
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- (&server.Server{Handler: test.handler}).Serve(ctx, l, nil) }()
		in := bufio.NewReader(c)
		for _, ref := range hard.References() {
			got = ""
			io.WriteString(c, "GET "+test.prefix+ref.Target+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%s%s: %v", test.prefix, ref.Target, err)
			}
			io.Copy(io.Discard, resp.Body)
			if want := "h.example " + ref.Target; got != want {
				t.Errorf("GET %s%s opens %q, want %q (%s)", test.prefix, ref.Target, got, want, resp.Status)
			}
		}
		stop()
		c.Close()
		<-ended
	}
}

type forward func(r *http.Request) (*http.Response, error)

func (f forward) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A pipeListener accepts the connections in a channel.
type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// targets returns the targets of the hard references after a prefix.
func targets(prefix string) []string {
	var all []string
	for _, test := range hard.References() {
		all = append(all, prefix+strings.TrimPrefix(test.Target, "/"))
	}
	return all
}
