package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// writeUsers writes a file of users for --auth.
func writeUsers(t *testing.T, logins ...string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("# who may come\n\n")
	for _, login := range logins {
		user, password, _ := strings.Cut(login, ":")
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s:%s\n", user, hash)
	}
	name := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A visitor says who they are; the password goes nowhere else.
func TestServeAuth(t *testing.T) {
	var got sync.Map // the header of the last request
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store("header", r.Header.Clone())
		io.WriteString(w, "from the origin")
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--auth", writeUsers(t, "ada:correct horse", "bob:x"))
	for _, tt := range []struct {
		login string
		want  int
	}{
		{"ada:correct horse", 200},
		{"ada:correct horse", 200},
		{"bob:x", 200},
		{"ada:x", 401},
		{"ada:", 401},
		{"eve:correct horse", 401},
		{":", 401},
		{"", 401},
	} {
		status, body := ask(t, nil, s.at+"/"+origin.URL+"/", func(r *http.Request) {
			if user, password, ok := strings.Cut(tt.login, ":"); ok {
				r.SetBasicAuth(user, password)
			}
		})
		if status != tt.want || (body == "from the origin") != (tt.want == 200) {
			t.Errorf("as %q: %d, %q, want %d", tt.login, status, body, tt.want)
		}
		want := tt.want
		if want == 401 {
			want = 407
		}
		if status, _ := ask(t, proxyThrough(t, s.at, tt.login), origin.URL+"/", nil); status != want {
			t.Errorf("through the proxy as %q: %d, want %d", tt.login, status, want)
		}
	}
	proxied := proxyThrough(t, s.at, "ada:correct horse")
	if status, _ := ask(t, proxied, origin.URL+"/", func(r *http.Request) { r.SetBasicAuth("me", "at the origin") }); status != 200 {
		t.Errorf("with a login at the origin: %d", status)
	}
	header, _ := got.Load("header")
	if h := header.(http.Header); h.Get("Proxy-Authorization") != "" || h.Get("Authorization") == "" {
		t.Errorf("the origin got %v", h)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d", status)
	}
	if log := s.printed(); strings.Contains(log, "correct") || !strings.Contains(log, "user=ada") {
		t.Errorf("the log has a password, or no user:\n%s", log)
	}
}

// Whoever listens on the way learns passwords: its user is told.
func TestServeAuthUnencrypted(t *testing.T) {
	users := writeUsers(t, "ada:sesame")
	for _, tt := range []struct {
		args []string
		want bool // a warning
	}{
		{[]string{"--auth", users}, false},
		{[]string{"--auth", users, "--policy", "public", "--listen", "0.0.0.0:0"}, true},
		{[]string{"--policy", "public", "--listen", "0.0.0.0:0"}, false},
	} {
		s := startServe(t, append(tt.args, "--no-cache")...)
		if warned := strings.Contains(s.printed(), "unencrypted: use --acme"); warned != tt.want {
			t.Errorf("%q prints %q", tt.args, s.printed())
		}
	}
}

// What a visitor says of themselves is no password for a server.
func TestServeAuthIsNotForwarded(t *testing.T) {
	var asked atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			t.Errorf("the origin got %q", r.Header.Get("Authorization"))
		}
		asked.Add(1)
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--auth", writeUsers(t, "ada:secret"))
	status, _ := ask(t, nil, s.at+"/"+strings.Replace(origin.URL, "//", "//u@", 1)+"/", func(r *http.Request) { r.SetBasicAuth("ada", "secret") })
	if status != http.StatusForbidden {
		t.Errorf("%d, want 403: the browser would give its password for the gateway again", status)
	}
	if asked.Load() == 0 {
		t.Error("the origin was not asked")
	}
}
