package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The login of an http URL is sent at once, as curl sends it. Logins from other sources are sent
// when the server asks.
func TestHTTPLogin(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		mu.Lock()
		sent = append(sent, user+":"+password)
		mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	netrc := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(netrc, []byte("machine 127.0.0.1 login bob password sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		url  string
		want []string
	}{
		{"http://ada:secret@" + host + "/", []string{"ada:secret"}},
		{"http://ada:@" + host + "/", []string{"ada:"}},
		{"http://bob@" + host + "/", []string{":", "bob:sesame"}},
		{"http://" + host + "/", []string{":", "bob:sesame"}},
	} {
		sent = nil
		status, _, stderr := runHere(t, "", "get", "--netrc-file", netrc, test.url)
		if status != 0 || !slices.Equal(sent, test.want) {
			t.Errorf("get %s sends %q, want %q (status %d, %s)", test.url, sent, test.want, status, stderr)
		}
	}
}
