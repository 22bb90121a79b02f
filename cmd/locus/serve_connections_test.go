package main

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

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

// Robots stay away from every gateway, of which every URL there is would be a page.
func TestServeRobots(t *testing.T) {
	for _, flag := range []string{"--policy=public", "--policy=any", "--log=off"} {
		s := startServe(t, "--no-cache", flag)
		if status, body := ask(t, nil, s.at+"/robots.txt", nil); status != 200 || body != "User-agent: *\nDisallow: /\n" {
			t.Errorf("%s: /robots.txt is %d, %q", flag, status, body)
		}
		if status, _ := ask(t, nil, s.at+"/", nil); status != 200 {
			t.Errorf("%s: the front page is %d", flag, status)
		}
	}
}
