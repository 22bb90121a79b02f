package web

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/url"
)

// A response that is an error, a redirect or a question for a password leaves its connection
// to the next request.
func TestReuseAfterRefusal(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/missing", http.NotFound)
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) })
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, strings.Repeat("sorry. ", 5000)) // in chunks
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
	for _, tt := range []struct {
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
			req := tt.req
			req.URL = url.MustParse("http://example.com" + tt.path)
			if tt.path == "/locked" {
				req.URL = url.MustParse("http://me:sesame@example.com" + tt.path)
			}
			if req.List {
				req.URL = url.MustParse("http://example.com" + tt.path + "/")
			}
			if r, err := c.Do(t.Context(), &req); err == nil {
				r.Body.Close()
				t.Errorf("%s: no error", tt.path)
			}
		}
		if n := connections.Load(); n != 1 {
			t.Errorf("%v %s (list: %v): three requests made %d connections, want 1", tt.req.Op, tt.path, tt.req.List, n)
		}
		c.CloseIdleConnections()
		s.Close()
	}
}

// The rest of an error that does not come holds nobody up.
func TestSlowRefusal(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "not ")
		w.(http.Flusher).Flush()
		<-release
	}))
	defer s.Close()
	defer close(release) // after Do has returned
	c := &Client{Dial: dialTo(s.Listener.Addr().String())}
	defer c.CloseIdleConnections()
	if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("http://example.com/x")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}
