package server

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

// A response is aborted when the client stops reading it, and a request when the client stops sending it.
func TestStalled(t *testing.T) {
	// attack: A client sends a request and reads nothing
	failed := make(chan error, 1)
	s := &Server{MaxStall: 50 * time.Millisecond}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	server := httptest.NewServer(s)
	defer server.Close()
	for _, said := range []string{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatalf("%q: %v", said, err)
		}
		io.WriteString(conn, said)
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: %v, want a timeout", said, err)
		}
		conn.Close()
	}
}

// The connection of a client that announces a body and does not send it is closed, whether the client is
// admitted or not. It needs a deadline because net/http reads the rest of a body before it sends a response.
func TestStalledBody(t *testing.T) {
	// attack: A client announces a body and sends none | the connection is closed after a minute
	for _, who := range []*Users{nil, {}} {
		s := &Server{MaxStall: 50 * time.Millisecond, Users: who}
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		server := httptest.NewServer(s)
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatalf("%v: %v", who, err)
		}
		conn.SetDeadline(time.Now().Add(time.Minute))
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("users %v: the connection stays open: %v", who, err)
		}
		conn.Close()
		server.Close()
	}
}

// startServer serves with s, as Serve does. It returns a connection of a client, and a channel that is closed
// when the server has closed that connection. Both end with the test.
func startServer(t *testing.T, s *Server) (conn net.Conn, ended <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	server := newHTTPServer(context.Background(), s)
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	go s.serveClients(server, l)
	t.Cleanup(func() { server.Close() })
	conn, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	return conn, closed
}

// The client receives the bytes that a handler flushes while the handler continues.
func TestFlush(t *testing.T) {
	came := make(chan bool)
	conn, _ := startServer(t, &Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.WriteHeader(http.StatusOK)
		for range 2 {
			io.WriteString(w, "12345")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-came
		}
	})})
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

// An aborted response ends after the bytes that the handler wrote.
func TestBroken(t *testing.T) {
	conn, _ := startServer(t, &Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "8000")
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, strings.Repeat("x", 5000))
		panic(http.ErrAbortHandler)
	})})
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); len(body) != 5000 || err == nil {
		t.Errorf("%d bytes came, %v, want 5000 and an early end", len(body), err)
	}
}

// The connection of a client that sends many requests and reads no response is closed, although each response is
// small. The metrics count the response that was not read as broken off.
func TestManyRequests(t *testing.T) {
	s := &Server{MaxStall: 50 * time.Millisecond, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4096")
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, strings.Repeat("x", 4096))
	})}
	conn, ended := startServer(t, s)
	requests := strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1000)
	var err error
	for err == nil {
		_, err = io.WriteString(conn, requests)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the server still reads requests after 20 seconds")
	}
	<-ended
	if n := s.metrics().ways["own"].broken.Get(); n != 1 {
		t.Errorf("%d responses are broken off, want 1, the last", n)
	}
}
