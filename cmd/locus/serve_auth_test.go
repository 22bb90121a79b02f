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

// A visitor logs in at the gateway, and the password is not sent to other servers.
func TestServeAuth(t *testing.T) {
	var got sync.Map // the header of the last request
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store("header", r.Header.Clone())
		io.WriteString(w, "from the origin")
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--auth", writeUsers(t, "ada:correct horse", "bob:x"))
	for _, test := range []struct {
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
			if user, password, ok := strings.Cut(test.login, ":"); ok {
				r.SetBasicAuth(user, password)
			}
		})
		if status != test.want || (body == "from the origin") != (test.want == 200) {
			t.Errorf("as %q: %d, %q, want %d", test.login, status, body, test.want)
		}
		want := test.want
		if want == 401 {
			want = 407
		}
		if status, _ := ask(t, proxyThrough(t, s.at, test.login), origin.URL+"/", nil); status != want {
			t.Errorf("a request through the proxy as %q = %d, want %d", test.login, status, want)
		}
	}
	proxied := proxyThrough(t, s.at, "ada:correct horse")
	if status, _ := ask(t, proxied, origin.URL+"/", func(r *http.Request) { r.SetBasicAuth("me", "at the origin") }); status != 200 {
		t.Errorf("a request with a login at the origin = %d, want 200", status)
	}
	header, _ := got.Load("header")
	if h := header.(http.Header); h.Get("Proxy-Authorization") != "" || h.Get("Authorization") == "" {
		t.Errorf("the origin got the header %v", h)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d", status)
	}
	if log := s.printed(); strings.Contains(log, "correct") || !strings.Contains(log, "user=ada") {
		t.Errorf("the log has a password, or does not have the user:\n%s", log)
	}
}

// serve warns that an eavesdropper can read passwords that are sent to it without TLS.
func TestServeAuthUnencrypted(t *testing.T) {
	users := writeUsers(t, "ada:sesame")
	for _, test := range []struct {
		args []string
		want bool // serve prints a warning
	}{
		{[]string{"--auth", users}, false},
		{[]string{"--auth", users, "--policy", "public", "--listen", "0.0.0.0:0"}, true},
		{[]string{"--policy", "public", "--listen", "0.0.0.0:0"}, false},
	} {
		s := startServe(t, append(test.args, "--no-cache")...)
		if warned := strings.Contains(s.printed(), "without encryption: use --acme"); warned != test.want {
			t.Errorf("serve %q prints %q", test.args, s.printed())
		}
	}
}

// The login at the gateway is not forwarded to a server.
func TestServeAuthIsNotForwarded(t *testing.T) {
	var asked atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			t.Errorf("the origin got the login %q", r.Header.Get("Authorization"))
		}
		asked.Add(1)
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer origin.Close()
	s := startServe(t, "--no-cache", "--auth", writeUsers(t, "ada:secret"))
	status, _ := ask(t, nil, s.at+"/"+strings.Replace(origin.URL, "//", "//u@", 1)+"/", func(r *http.Request) { r.SetBasicAuth("ada", "secret") })
	if status != http.StatusForbidden {
		t.Errorf("a 401 of the origin becomes %d, want 403, because the browser would send its password for the gateway", status)
	}
	if asked.Load() == 0 {
		t.Error("the origin got no request")
	}
}
