package main

import (
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
	d := &door{counts: newCounts(), patience: 50 * time.Millisecond, log: discardSlog()}
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
		conn.SetDeadline(time.Now().Add(9 * time.Second)) // before the server has no patience any more
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
		{"--log=off", 400, "no whole URL"},
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
		d := &door{counts: newCounts(), patience: 50 * time.Millisecond, log: discardSlog(), users: who}
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
