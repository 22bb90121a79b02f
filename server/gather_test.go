package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/server"
)

// A writesConn counts the writes on a connection.
type writesConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c writesConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A response of a known, short length takes one system call, whether or not the handler writes it in pieces. The time
// of a bubble stands still while the handler runs, so a slow machine does not make the server send the bytes earlier.
func TestWritesOfResponse(t *testing.T) {
	tests := []struct {
		name         string
		pieces, size int // the handler writes pieces, each of size bytes
		hasLength    bool
		most         int64
	}{
		{"short", 1, 100, true, 1},
		{"short, in pieces", 100, 50, true, 1},
		{"longer than the buffers of net/http", 1, 8000, true, 1},
		{"long", 1, 1 << 20, true, 3},
		{"long, in pieces", 64, 16 << 10, true, 70},
		{"unknown length", 4, 4000, false, 10},
	}
	for _, test := range tests {
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if test.hasLength {
				w.Header().Set("Content-Length", strconv.Itoa(test.pieces*test.size))
			}
			for range test.pieces {
				_, _ = w.Write(make([]byte, test.size)) // the client finds the error
			}
		})
		synctest.Test(t, func(t *testing.T) {
			if counts := writesFor(t, test.name, handler, test.pieces*test.size); max(counts[0], counts[1]) > test.most {
				t.Errorf("%s: two requests took %v writes, want at most %d each", test.name, counts, test.most)
			}
		})
	}
}

// writesFor returns how many writes h takes to answer with size bytes, for each of two requests on one connection.
func writesFor(t *testing.T, name string, h http.Handler, size int) (counts [2]int64) {
	t.Helper()
	var writes atomic.Int64
	conn, theirs := net.Pipe()
	defer conn.Close()
	l := &pipeListener{accepted: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.accepted <- writesConn{theirs, &writes}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- (&server.Server{Handler: h}).Serve(ctx, l, nil) }()
	defer func() {
		cancel()
		<-ended
	}()
	in := bufio.NewReader(conn)
	for i := range counts {
		before := writes.Load()
		if err := ask(conn, in, size); err != nil {
			t.Errorf("%s, request %d: %v", name, i, err)
		}
		synctest.Wait() // until the server has ended the request
		counts[i] = writes.Load() - before
	}
	return counts
}

// ask sends a request, and reads a response with n bytes.
func ask(conn net.Conn, in *bufio.Reader, n int) error {
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return err
	}
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	got, err := io.Copy(io.Discard, answer.Body)
	if err == nil && got != int64(n) {
		err = fmt.Errorf("%d bytes, want %d", got, n)
	}
	return errors.Join(err, answer.Body.Close())
}

// A flush sends the bytes so far, although the response is short.
func TestFlushOfShortResponse(t *testing.T) {
	arrived := make(chan struct{})
	s := start(t, &server.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "6")
		_, _ = io.WriteString(w, "abc")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("Flush: %v", err)
		}
		select {
		case <-arrived:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "def")
	})})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.at+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, 3)
	_, err = io.ReadFull(response.Body, first)
	close(arrived)
	if err != nil || string(first) != "abc" {
		t.Errorf("before the end: %q, %v", first, err)
	}
	rest, err := io.ReadAll(response.Body)
	if err != nil || string(rest) != "def" {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

// The client gets the first bytes of a response while the handler waits for the others, as from net/http, whose buffers
// are smaller.
func TestSlowShortResponse(t *testing.T) {
	const first, size = 8000, 12000
	arrived := make(chan struct{})
	s := start(t, &server.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		_, _ = io.WriteString(w, strings.Repeat("a", first))
		select {
		case <-arrived:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, strings.Repeat("b", size-first))
	})})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.at+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	close(arrived)
	if err != nil {
		t.Fatalf("no response while the handler waits after %d of %d bytes: %v", first, size, err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || len(body) != size {
		t.Errorf("%d bytes, %v; want %d", len(body), err, size)
	}
}

// The client of a response that is broken off gets its beginning, so that it does not take the connection for one
// that was idle for too long, and does not ask again.
func TestBrokenShortResponse(t *testing.T) {
	s := start(t, &server.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "8000")
		_, _ = io.WriteString(w, strings.Repeat("a", 6000))
		panic(http.ErrAbortHandler)
	})})
	response, err := http.Get("http://" + s.at + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if len(body) == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v; want some, and %v", len(body), err, io.ErrUnexpectedEOF)
	}
}
