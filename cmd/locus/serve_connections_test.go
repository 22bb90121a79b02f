package main

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A client that has twice as many connections as it may have requests loses its idle connections.
func TestServeConnections(t *testing.T) {
	s := startServe(t, "--no-cache", "--per-client", "1", "--admin", "0")
	var silent []net.Conn
	for range 3 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(9 * time.Second)) // less than the server's maxStall
		silent = append(silent, conn)
	}
	if n, err := silent[0].Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("the first of three silent connections is still open: %v", err)
	}
	if _, body := ask(t, nil, s.admin+"/metrics", nil); !strings.Contains(body, "locus_connections 2\n") {
		t.Error("/metrics does not count the two remaining connections")
	}
	if status, _ := ask(t, nil, s.at+"/-/schemes", nil); status != 200 {
		t.Errorf("the next request = %d", status)
	}
}

// Every gateway asks robots to stay away, because every URL of the Internet would be one of its
// pages.
func TestServeRobots(t *testing.T) {
	for _, flag := range []string{"--policy=public", "--policy=any", "--log=off"} {
		s := startServe(t, "--no-cache", flag)
		if status, body := ask(t, nil, s.at+"/robots.txt", nil); status != 200 || body != "User-agent: *\nDisallow: /\n" {
			t.Errorf("serve %s: /robots.txt = %d, %q", flag, status, body)
		}
		if status, _ := ask(t, nil, s.at+"/", nil); status != 200 {
			t.Errorf("serve %s: the front page = %d", flag, status)
		}
	}
}
