package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// After an error, a redirect, a 401, and the refusal of a HEAD, the next request uses the same
// connection.
func TestReuseAfterRefusal(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/missing", http.NotFound)
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) })
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, strings.Repeat("sorry. ", 5000)) // in chunks
	})
	mux.HandleFunc("/no-head", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Range", "bytes 0-0/5")
		w.WriteHeader(http.StatusPartialContent)
		io.WriteString(w, "x")
	})
	mux.HandleFunc("/locked", func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		http.Error(w, "no", http.StatusForbidden)
	})
	for _, test := range []struct {
		path string
		req  access.Request
	}{
		{"/missing", access.Request{}},
		{"/moved", access.Request{}},
		{"/long", access.Request{}},
		{"/locked", access.Request{}},
		{"/missing", access.Request{Op: access.Delete}},
		{"/locked", access.Request{Op: access.Delete}},
		{"/missing", access.Request{List: true}},
		{"/no-head", access.Request{Op: access.Stat}},
	} {
		var connections atomic.Int32
		s := httptest.NewUnstartedServer(mux)
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		s.Start()
		c := &Client{Dial: dialTo(s.Listener.Addr().String())}
		for range 3 {
			req := test.req
			req.URL = url.MustParse("http://example.com" + test.path)
			if test.path == "/locked" {
				req.URL = url.MustParse("http://me:sesame@example.com" + test.path)
			}
			if req.List {
				req.URL = url.MustParse("http://example.com" + test.path + "/")
			}
			r, err := c.Do(t.Context(), &req)
			if err == nil {
				r.Body.Close()
			}
			if isRefused := test.path != "/no-head"; (err != nil) != isRefused {
				t.Errorf("%s: %v", test.path, err)
			}
		}
		if n := connections.Load(); n != 1 {
			t.Errorf("%v %s (list: %v): three requests made %d connections, want 1", test.req.Op, test.path, test.req.List, n)
		}
		c.CloseIdleConnections()
		s.Close()
	}
}

// The client does not wait long for the rest of an error that comes slowly, or never ends. With a
// Tap it waits longer, and the Tap sees a rest that comes soon.
func TestSlowRefusal(t *testing.T) {
	for _, test := range []struct {
		name  string
		piece string
		ctx   func(context.Context) context.Context
		want  time.Duration
	}{
		{"slow", "x", func(ctx context.Context) context.Context { return ctx }, drainTime},
		{"slow, with a Tap", "x", withTap, seenTime},
		{"endless", strings.Repeat("x", 4096), func(ctx context.Context) context.Context { return ctx }, 0},
		{"endless, with a Tap", strings.Repeat("x", 4096), withTap, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &Client{Idle: time.Minute, Dial: server(func(conn net.Conn) {
					_, _ = conn.Read(make([]byte, 4096))
					_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 100000000\r\n\r\n")
					for {
						if _, err := io.WriteString(conn, test.piece); err != nil {
							return
						}
						if len(test.piece) == 1 {
							time.Sleep(30 * time.Millisecond)
						}
					}
				})}
				defer c.CloseIdleConnections()
				start := time.Now()
				_, err := c.Do(test.ctx(t.Context()), &access.Request{URL: url.MustParse("http://h/x")})
				if took := time.Since(start); !errors.Is(err, fs.ErrNotExist) || took != test.want {
					t.Errorf("%v after %v, want after %v", err, took, test.want)
				}
				time.Sleep(time.Second) // the server notices
			})
		})
	}
}

// withTap returns a context with a Tap that discards all bytes.
func withTap(ctx context.Context) context.Context { return engine.WithTap(ctx, noTap{}) }

type noTap struct{}

func (noTap) Exchange() engine.Exchange { return noTap{} }
func (noTap) Sent([]byte)               {}
func (noTap) Received([]byte)           {}
func (noTap) Hide(...string)            {}
func (noTap) End(error) error           { return nil }

// A user may need more time to type a password than the server keeps the connection. The request
// with the password does not use that connection.
func TestSlowLogin(t *testing.T) {
	serve := func(conn net.Conn) {
		in := bufio.NewReader(conn)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if r.Header.Get("Authorization") == "" {
			if r.Header.Get("Expect") == "" {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 3\r\n\r\nno\n")
			time.Sleep(20 * time.Millisecond)
			return
		}
		if r.Header.Get("Expect") != "" {
			_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(conn, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
	}
	login := func(context.Context, access.Challenge) (access.Credentials, error) {
		time.Sleep(40 * time.Millisecond)
		return access.Credentials{User: "u", Password: "p"}, nil
	}
	for _, test := range []access.Request{
		{Op: access.Put, URL: url.MustParse("http://h/x"), Size: 5},
		{Op: access.Put, URL: url.MustParse("http://me@h/x"), Size: 5},
		{Op: access.Append, URL: url.MustParse("http://h/x"), Size: 5},
		{Op: access.Append, URL: url.MustParse("http://me@h/x"), Size: 5},
		{Op: access.Delete, URL: url.MustParse("http://h/x")},
		{Op: access.MakeDir, URL: url.MustParse("http://h/x/")},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{Dial: server(serve)}
			req := test
			req.Login = login
			if req.Size > 0 {
				req.Body = strings.NewReader("hello")
			}
			start := time.Now()
			r, err := c.Do(t.Context(), &req)
			if err != nil {
				t.Errorf("%v %v: %v", req.Op, req.URL, err)
			} else {
				r.Body.Close()
			}
			if took := time.Since(start); took < 40*time.Millisecond {
				t.Errorf("%v %v: the login was not asked for: it took %v", req.Op, req.URL, took)
			}
			c.CloseIdleConnections()
			time.Sleep(time.Second) // the server ends
		})
	}
}

// listen runs serve for each connection to an address of loopback, until the test ends.
func listen(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
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
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return l.Addr().String()
}

// The cookies in the response to a login are kept, and the request with the login has the cookies
// of the 401.
func TestCookiesOfLogin(t *testing.T) {
	var sent []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			http.SetCookie(w, &http.Cookie{Name: "first", Value: "1"})
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		sent = append(sent, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "2"})
	}))
	defer s.Close()
	c := &Client{Dial: dialTo(s.Listener.Addr().String())}
	defer c.CloseIdleConnections()
	cookies := &access.Cookies{}
	for range 2 {
		r, err := c.Do(t.Context(), &access.Request{
			URL: url.MustParse("http://me@example.com/x"), Cookies: cookies,
			Login: func(context.Context, access.Challenge) (access.Credentials, error) {
				return access.Credentials{User: "me", Password: "sesame"}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	if got := strings.Join(sent, ", "); got != "first=1, first=1; session=2" {
		t.Errorf("the cookies were %q", got)
	}
}

// An upload that the server breaks off fails with a temporary error, whichever of the writes and
// reads notices it.
func TestBrokenUpload(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		switch r, err := http.ReadRequest(in); {
		case err != nil:
		case r.Method == http.MethodOptions:
			_, _ = io.WriteString(conn, "HTTP/1.1 405 No WebDAV\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		default:
			_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
			_, _ = io.CopyN(io.Discard, in, 1000)
		}
	})
	c := &Client{Dial: dialTo(address)}
	defer c.CloseIdleConnections()
	for range 20 {
		body := bytes.NewReader(make([]byte, 8<<20))
		_, err := c.Do(t.Context(), &access.Request{Op: access.Put, URL: url.MustParse("http://example.com/x"), Size: body.Size(), Body: body})
		if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, access.ErrProtocol) {
			t.Fatalf("the error is %v", err)
		}
	}
}
