package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startGathering serves what a door lets in, as run does, and returns a client's
// connection and what is closed once the server has ended it. Both end with the
// test.
func startGathering(t *testing.T, d *door) (conn net.Conn, ended <-chan struct{}) {
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

// doorTo returns a door that lets everyone in.
func doorTo(gateway http.HandlerFunc) *door {
	return &door{gateway: gateway, counts: newCounts(), patience: time.Minute, log: discardSlog()}
}

// What is small leaves with its head in one piece, what is large as it comes.
func TestGather(t *testing.T) {
	for _, test := range []struct {
		octets  int
		gathers bool
	}{
		{10, true},
		{4096, true}, // more than net/http holds back
		{mostGathered, true},
		{mostGathered + 1, false},
	} {
		octets := strconv.Itoa(test.octets)
		held := make(chan int, 1) // octets when all is written; -1: it does not gather
		conn, _ := startGathering(t, doorTo(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", octets)
			w.WriteHeader(http.StatusOK)
			io.WriteString(w, strings.Repeat("x", test.octets))
			held <- -1
			if c := gatheringOf(r); c.held != nil {
				<-held
				held <- c.held.Buffered()
			}
		}))
		in := bufio.NewReader(conn)
		for range 3 { // on one connection
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); len(body) != test.octets || err != nil {
				t.Errorf("%d octets came, %v, want %s", len(body), err, octets)
			}
			if n := <-held; n >= 0 != test.gathers || test.gathers && test.octets >= 4096 && n == 0 {
				t.Errorf("of %s octets %d are held back", octets, n)
			}
		}
	}
}

// What a handler flushes is with the client while the handler goes on.
func TestGatherFlush(t *testing.T) {
	came := make(chan bool)
	conn, _ := startGathering(t, doorTo(func(w http.ResponseWriter, _ *http.Request) {
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

// What breaks off breaks off behind what was held back.
func TestGatherBroken(t *testing.T) {
	conn, _ := startGathering(t, doorTo(func(w http.ResponseWriter, _ *http.Request) {
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

// What goes past http.ResponseWriter comes behind what was held back.
func TestGatherReadFrom(t *testing.T) {
	conn, _ := startGathering(t, doorTo(func(_ http.ResponseWriter, r *http.Request) {
		c := gatheringOf(r)
		c.gather()
		io.WriteString(c, "first, ")
		if _, err := c.ReadFrom(strings.NewReader("then")); err != nil {
			t.Error(err)
		}
		c.Close()
	}))
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if got, err := io.ReadAll(conn); string(got) != "first, then" || err != nil {
		t.Errorf("%q came, %v", got, err)
	}
}

// Who asks on and on and takes nothing is not waited for, small as the answers are;
// and what is not taken counts as broken off.
func TestGatherPatience(t *testing.T) {
	d := doorTo(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4096")
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, strings.Repeat("x", 4096))
	})
	d.patience = 50 * time.Millisecond
	conn, ended := startGathering(t, d)
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
