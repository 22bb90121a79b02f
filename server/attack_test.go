package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/gateway"

	"golang.org/x/crypto/bcrypt"
)

// serverOf returns a Server for the users ada and bob, whose password is "right". cost is the cost of their hashes.
func serverOf(t *testing.T, cost int) *Server {
	t.Helper()
	var text strings.Builder
	for _, user := range []string{"ada", "bob"} {
		hash, err := bcrypt.GenerateFromPassword([]byte("right"), cost)
		if err != nil {
			t.Fatalf("%q: %v", user, err)
		}
		fmt.Fprintf(&text, "%s:%s\n", user, hash)
	}
	users, err := ParseUsers(text.String())
	if err != nil {
		t.Fatal(err)
	}
	return &Server{Users: users, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
}

// The connection of a request with both Content-Length and Transfer-Encoding is closed after the response, because
// a proxy may disagree about the start of the next request (RFC 9112 §6.1). This includes forwarded requests,
// although the origin has set the fields of their responses.
func TestAttackTwoLengths(t *testing.T) {
	// attack: A request has Content-Length and Transfer-Encoding | the connection is closed after it, as after
	// every chunked request
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		io.WriteString(w, "x")
	}))
	defer origin.Close()
	for name, s := range map[string]*Server{
		"own":       {Handler: origin.Config.Handler},
		"forwarded": {Handler: &gateway.Gateway{Web: gateway.Transport((&net.Dialer{}).DialContext)}, Proxy: true},
		"empty":     {Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { clear(w.Header()) })},
		"fields replaced": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			clear(w.Header())
			w.Header().Set("Connection", "keep-alive")
			origin.Config.Handler.ServeHTTP(w, r)
		})},
	} {
		conn, _ := startServer(t, s)
		request := "POST " + origin.URL + "/ HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
		io.WriteString(conn, request+"GET "+origin.URL+"/hidden HTTP/1.1\r\nHost: h\r\n\r\n")
		conn.SetReadDeadline(time.Now().Add(time.Minute)) // a connection that stays open would be read for long
		text, err := io.ReadAll(conn)
		if n := bytes.Count(text, []byte("HTTP/1.1 200 ")); err != nil || n != 1 || !bytes.Contains(text, []byte("Connection: close")) {
			t.Errorf("%s: %d responses, %v, want one that closes the connection:\n%s", name, n, err, text)
		}
	}
}

// Reading a body that comes a byte at a time fails, although the client never stalls.
func TestAttackSlowBody(t *testing.T) {
	// attack: A client sends a body a byte at a time | it is aborted below 256 bytes a second, after `MaxStall`
	failed := make(chan error, 1)
	s := &Server{MaxStall: 200 * time.Millisecond, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		failed <- err
	})}
	server := httptest.NewServer(s)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 200 {
		select {
		case err := <-failed:
			if err == nil {
				t.Error("the body is complete")
			}
			return
		case <-tick.C:
			io.WriteString(conn, "x")
		}
	}
	t.Error("after 10 seconds the client still sends")
}

// A trickle is the body of a client that sends some bytes at once, and then a byte every 50 seconds. It is also the
// connection that has the deadline.
type trickle struct {
	http.ResponseWriter
	atOnce   int
	deadline time.Time
}

func (t *trickle) SetReadDeadline(at time.Time) error { t.deadline = at; return nil }
func (t *trickle) Close() error                       { return nil }

func (t *trickle) Read(p []byte) (int, error) {
	if t.atOnce > 0 {
		n := min(len(p), t.atOnce)
		t.atOnce -= n
		return n, nil
	}
	next := time.Now().Add(50 * time.Second)
	if t.deadline.Before(next) {
		time.Sleep(time.Until(t.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(time.Until(next))
	return copy(p, "x"), nil
}

// A client does not save up hours by sending the first part of a body fast.
func TestAttackBodySlowsDown(t *testing.T) {
	// attack: A client sends the first megabytes of a body fast, and then a byte a minute | it is aborted after ten minutes
	synctest.Test(t, func(t *testing.T) {
		conn := &trickle{ResponseWriter: httptest.NewRecorder(), atOnce: 16 << 20}
		r := httptest.NewRequest(http.MethodPost, "/", conn)
		start := time.Now()
		n, err := io.Copy(io.Discard, newDeadlineBody(r, http.NewResponseController(conn), time.Minute))
		if took := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || n < 16<<20 || took > 11*time.Minute {
			t.Errorf("the body has %d bytes after %v, %v, want an error within 11 minutes", n, took, err)
		}
	})
}

// The log masks tokens in queries and passwords.
func TestAttackTokensInLog(t *testing.T) {
	// attack: A URL has a token in its query | the log has `xxxxx` instead, also in the error of a failed access
	for _, target := range []string{
		"/http://h/?token=sesame", "/http://h/x?a=b&access_token=sesame&c=d", "http://h/?api_key=sesame", "/-/raw?url=http%3A%2F%2Fh%2F%3FX-Amz-Signature%3Dsesame",
		"/http://h/?password=sesame", "/http://h/?sig=sesame", "/http://h/?client_secret=sesame", "/http://h/?%74oken=sesame", "/http://h/?a;token=sesame", "/http://u:sesame@h/",
		"/http://h/?Key=sesame", "/http://h/#token=sesame",
		"/-/dav/http://u:sesame@h/x", "/-/dav/http://h/x?token=sesame", "/-/dav/http%3a/u:sesame@h/",
	} {
		var log bytes.Buffer
		s := &Server{Handler: http.NotFoundHandler(), Log: slog.New(slog.NewTextHandler(&log, nil))}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI = target
		_, r.URL.RawQuery, _ = strings.Cut(target, "?")
		s.ServeHTTP(httptest.NewRecorder(), r)
		if strings.Contains(log.String(), "sesame") || !strings.Contains(log.String(), "http:/") {
			t.Errorf("%s is logged as %s", target, log.String())
		}
	}
}

// A panic of a handler ends one request, and is logged once, with its stack.
func TestAttackPanic(t *testing.T) {
	// attack: Input makes a handler panic
	var log bytes.Buffer
	var mu sync.Mutex
	s := &Server{Log: slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, nil)), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("an internal secret")
		}
		io.WriteString(w, "well")
	})}
	server := httptest.NewServer(s)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /panic HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusInternalServerError || strings.Contains(string(body), "secret") {
		t.Errorf("%d, %q, want 500", resp.StatusCode, body)
	}
	if resp, err := http.Get(server.URL); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the next request: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if text := log.String(); strings.Count(text, "an internal secret") != 1 || !strings.Contains(text, "stack=") || !strings.Contains(text, "attack_test.go") {
		t.Errorf("the log: %s", text)
	}
}

// The log of a panic masks tokens, too, because the error of a panic may contain the URL of the request.
func TestAttackTokensInPanic(t *testing.T) {
	// attack: A URL has a token in its query
	for _, value := range []any{"open http://h/?token=sesame: failed", errors.New(`Get "http://h/x?a=b&access_token=sesame": failed`)} {
		var log bytes.Buffer
		s := &Server{Log: slog.New(slog.NewTextHandler(&log, nil)), Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) })}
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if text := log.String(); strings.Contains(text, "sesame") || !strings.Contains(text, "failed") {
			t.Errorf("a panic with %q is logged as %s", value, text)
		}
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
