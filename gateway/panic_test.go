package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
)

// panics is a Reader that panics with a text that clients must not see.
type panics struct{}

func (panics) Read([]byte) (int, error)    { panic("an internal secret") }
func (panics) Next() (access.Entry, error) { panic("an internal secret") }
func (panics) Close() error                { return nil }

// An entryThenPanic is a listing of one entry.
type entryThenPanic struct{ given bool }

func (l *entryThenPanic) Next() (access.Entry, error) {
	if l.given {
		panic("an internal secret")
	}
	l.given = true
	return access.Entry{Title: "x", Kind: access.Object, Size: -1}, nil
}

// After a panic of the engine the response is 502, or it is aborted if it has begun.
// The log has one line with the stack.
func TestPanic(t *testing.T) {
	// attack: Input makes a handler panic | one request fails; the log has one line with the stack
	resource := func(r *access.Resource) doFunc {
		return func(_ context.Context, req *access.Request) (*access.Resource, error) {
			if req.Op != access.Get {
				return nil, engine.Unsupported(req)
			}
			got := *r
			got.URL, got.Size = req.URL, -1
			return &got, nil
		}
	}
	begun := io.NopCloser(io.MultiReader(iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 64<<10))), panics{}))
	letter := io.NopCloser(io.MultiReader(strings.NewReader("Subject: x\r\n\r\ntext\r\n"), panics{}))
	for _, test := range []struct {
		name         string
		engine       doFunc
		method, path string
		status       int
	}{
		{"Do", func(context.Context, *access.Request) (*access.Resource, error) { panic("an internal secret") }, "GET", "/ftp://h/x", 502},
		{"Stat", func(context.Context, *access.Request) (*access.Resource, error) { panic("an internal secret") }, "HEAD", "/ftp://h/x", 502},
		{"Read", resource(&access.Resource{Body: panics{}}), "GET", "/ftp://h/x", 502},
		{"Read later", resource(&access.Resource{Body: begun}), "GET", "/ftp://h/x", 0},
		{"Next", resource(&access.Resource{Body: panics{}, List: panics{}}), "GET", "/ftp://h/x", 502},
		{"Next later", resource(&access.Resource{Body: panics{}, List: &entryThenPanic{}}), "GET", "/ftp://h/x", 0},
		{"Read of a message", resource(&access.Resource{Entry: access.Entry{Type: "message/rfc822"}, Body: letter}), "GET", "/news:1@h", 502},
		{"Stat for a page", func(context.Context, *access.Request) (*access.Resource, error) { panic("an internal secret") }, "GET", "/-/about?url=ftp://h/x", 502},
		{"Web", nil, "GET", "http://h/x", 502},
	} {
		var log lines
		g := &gateway.Gateway{
			Engine: test.engine, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Web: roundTripper(func(*http.Request) (*http.Response, error) { panic("an internal secret") }),
		}
		r := httptest.NewRequest(test.method, test.path, http.NoBody)
		r.Host = "localhost"
		if strings.HasPrefix(test.path, "http:") {
			r.Host = "h"
		}
		w := httptest.NewRecorder()
		broken := false
		func() {
			defer func() {
				if v := recover(); v != nil {
					err, _ := v.(error)
					if broken = errors.Is(err, http.ErrAbortHandler); !broken {
						t.Errorf("%s: the gateway panics with %v", test.name, v)
					}
				}
			}()
			g.ServeHTTP(w, r)
		}()
		if broken != (test.status == 0) || !broken && w.Code != test.status {
			t.Errorf("%s = %d, broken off %v, want %d", test.name, w.Code, broken, test.status)
		}
		if strings.Contains(w.Body.String(), "internal secret") || strings.Contains(w.Body.String(), "goroutine") {
			t.Errorf("%s: the client is told too much:\n%s", test.name, w.Body)
		}
		if n := log.count(); n != 1 || !strings.Contains(log.String(), "stack=") || !strings.Contains(log.String(), "panic_test.go") || !strings.Contains(log.String(), "internal secret") {
			t.Errorf("%s: %d lines are logged, want one with the stack:\n%s", test.name, n, log.String())
		}
	}
}

// After a panic of a session, its page says so.
func TestPanicOfSession(t *testing.T) {
	var log lines
	f := newFake()
	g := &gateway.Gateway{Engine: resources{fakeURL: f.open}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	p := openPage(t, gatewayFor(t, g), fakeURL)
	p.await("ready")
	f.reads <- errPanic
	p.awaitEnd("because of a bug")
	f.wait(t)
	if n := log.count(); n != 1 || !strings.Contains(log.String(), "stack=") {
		t.Errorf("%d lines are logged, want one with the stack:\n%s", n, log.String())
	}
}

// lines has the lines of a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) count() int { return strings.Count(l.String(), "\n") }
