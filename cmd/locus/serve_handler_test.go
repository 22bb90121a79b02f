package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// Who takes nothing of an answer is not waited for.
func TestDoorPatience(t *testing.T) {
	failed := make(chan error, 1)
	d := &frontend{counts: newCounts(), maxStall: 50 * time.Millisecond, log: discardSlog()}
	d.gateway = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			failed <- err
			return
		}
		for piece := make([]byte, 1<<20); ; {
			if _, err := w.Write(piece); err != nil {
				failed <- err
				return
			}
		}
	})
	server := httptest.NewServer(d)
	defer server.Close()
	for _, said := range []string{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, said)
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: %v, want a timeout", said, err)
		}
		conn.Close()
	}
}

// Who has twice as many connections as they may have requests loses those that
// they do not use.
func TestServeConnections(t *testing.T) {
	s := startServe(t, "--no-cache", "--per-client", "1", "--admin", "0")
	var silent []net.Conn
	for range 3 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(9 * time.Second)) // before the server has no maxStall any more
		silent = append(silent, conn)
	}
	if n, err := silent[0].Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("of three silent connections the first is left open: %v", err)
	}
	if _, body := ask(t, nil, s.admin+"/metrics", nil); !strings.Contains(body, "locus_connections 2\n") {
		t.Error("/metrics does not count two connections")
	}
	if status, _ := ask(t, nil, s.at+"/-/schemes", nil); status != 200 {
		t.Errorf("the next request: %d", status)
	}
}

// Robots stay away from a gateway for others, of which every URL there is would be
// a page; one for its user alone is read with whatever they like.
func TestServeRobots(t *testing.T) {
	for _, tt := range []struct {
		policy string
		status int
		want   string
	}{
		{"--policy=public", 200, "User-agent: *\nDisallow: /\n"},
		{"--policy=any", 200, "User-agent: *\nDisallow: /\n"},
		{"--log=off", 400, "not a whole URL"},
	} {
		s := startServe(t, "--no-cache", tt.policy)
		if status, body := ask(t, nil, s.at+"/robots.txt", nil); status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d, %q, want %d, %q", tt.policy, status, body, tt.status, tt.want)
		}
		if status, _ := ask(t, nil, s.at+"/", nil); status != 200 {
			t.Errorf("%s: the front page is %d", tt.policy, status)
		}
	}
}

// Who announces what they never send is not waited for, whether they may come or
// not: net/http wants the rest of a body before it sends an answer.
func TestDoorPatienceWithRest(t *testing.T) {
	for _, who := range []*users{nil, {}} {
		d := &frontend{counts: newCounts(), maxStall: 50 * time.Millisecond, log: discardSlog(), users: who}
		d.gateway = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		server := httptest.NewServer(d)
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(time.Minute))
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("users %v: they are still there: %v", who, err)
		}
		conn.Close()
		server.Close()
	}
}

// startFrontend serves what a frontend admits, as run does, and returns a client's
// connection and what is closed once the server has ended it. Both end with the
// test.
func startFrontend(t *testing.T, d *frontend) (conn net.Conn, ended <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	server := newServer(context.Background(), d)
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	var plain *secure
	go plain.serve(server, listening{Listener: l}, true)
	t.Cleanup(func() { server.Close() })
	conn, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn, closed
}

// frontendTo returns a frontend that admits everybody.
func frontendTo(gateway http.HandlerFunc) *frontend {
	return &frontend{gateway: gateway, counts: newCounts(), maxStall: time.Minute, log: discardSlog()}
}

// What a handler flushes is with the client while the handler goes on.
func TestDoorFlush(t *testing.T) {
	came := make(chan bool)
	conn, _ := startFrontend(t, frontendTo(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.WriteHeader(http.StatusOK)
		for range 2 {
			io.WriteString(w, "12345")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-came
		}
	}))
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var part [5]byte
		if _, err := io.ReadFull(resp.Body, part[:]); err != nil {
			t.Error(err)
		}
		came <- true
	}
}

// An answer that breaks off breaks off behind what was written.
func TestDoorBroken(t *testing.T) {
	conn, _ := startFrontend(t, frontendTo(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "8000")
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, strings.Repeat("x", 5000))
		panic(http.ErrAbortHandler)
	}))
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); len(body) != 5000 || err == nil {
		t.Errorf("%d octets came, %v, want 5000 and an early end", len(body), err)
	}
}

// Who asks on and on and takes nothing is not waited for, small as the answers are;
// and what is not taken counts as broken off.
func TestDoorManyRequests(t *testing.T) {
	d := frontendTo(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4096")
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, strings.Repeat("x", 4096))
	})
	d.maxStall = 50 * time.Millisecond
	conn, ended := startFrontend(t, d)
	requests := strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1000)
	var err error
	for err == nil {
		_, err = io.WriteString(conn, requests)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("they are still there")
	}
	<-ended
	if n := d.counts.ways["own"].broken.Get(); n != 1 {
		t.Errorf("%d answers are broken off, want 1, the last", n)
	}
}
