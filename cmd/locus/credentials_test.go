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

// A user name and a password in an http URL are sent at once, as curl does. Those
// from elsewhere are sent when the server asks.
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
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{"http://ada:secret@" + host + "/", []string{"ada:secret"}},
		{"http://ada:@" + host + "/", []string{"ada:"}},
		{"http://bob@" + host + "/", []string{":", "bob:sesame"}},
		{"http://" + host + "/", []string{":", "bob:sesame"}},
	} {
		sent = nil
		status, _, stderr := runHere(t, "", "get", "--netrc-file", netrc, tt.url)
		if status != 0 || !slices.Equal(sent, tt.want) {
			t.Errorf("get %s sends %q, want %q (status %d, %s)", tt.url, sent, tt.want, status, stderr)
		}
	}
}

// Only a password that is secret gets a warning (RFC 1738 §6).
func TestPasswordWarning(t *testing.T) {
	const (
		history = "in the history of the shell and in the list of processes; without it, locus asks for it"
		network = "on the network, because "
	)
	for _, tt := range []struct{ args, want string }{
		{"http://h/ ftp://u@h/ mailto:u:p@h file -", ""},
		{"ftp://u:@h/ ftp://anonymous:me@example.org@h/ ftp://ftp:x@h/", ""},
		{"https://u:secret@h/a", "warning: others may see the password of https://u:xxxxx@h/a " + history},
		{"URL:telnet://u:secret@h/", "warning: others may see the password of telnet://u:xxxxx@h/ " + history},
		{"x http://u:secret@h/ ftp://u:other@h/", "warning: others may see the password of http://u:xxxxx@h/ " + network + "http does not encrypt it, " + history},
		{"FTP://u:secret@h/", "warning: others may see the password of FTP://u:xxxxx@h/ " + network + "ftp does not encrypt it, " + history},
	} {
		if got := passwordWarning(strings.Fields(tt.args)); got != tt.want {
			t.Errorf("passwordWarning(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}
