package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// If a download fails, get tries the mirrors that the server named in Link (RFC 6249), but only if
// a digest can tell whether they have the same bytes.
func TestGetMirrors(t *testing.T) {
	const text = "the whole file"
	sum := sha256.Sum256([]byte(text))
	var asked atomic.Int64
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/evil" {
			fmt.Fprint(w, "other bytes...")
			return
		}
		fmt.Fprint(w, text)
	}))
	defer mirror.Close()
	metalink := fmt.Sprintf(`<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="other"><url>http://h/</url></file>`+
		`<file name="f g"><hash type="sha-256">%x</hash><url>%s/f</url></file></metalink>`, sum, mirror.URL)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	for _, test := range []struct {
		name, link, digest string
		moved              bool
		isWhole            bool
		asked              int64
		says               string
	}{
		{"a mirror", "<M/f>; rel=duplicate", digest, false, true, 1, "; trying M/f"},
		{"an evil one first", "<M/f>; rel=duplicate; pri=2, <M/evil>; rel=duplicate; pri=1", digest, false, true, 2, "the digest does not match"},
		{"only an evil one", "<M/evil>; rel=duplicate", digest, false, false, 1, "the digest does not match"},
		{"no digest", "<M/f>; rel=duplicate", "", false, false, 0, ""},
		{"a Metalink", "</meta>; rel=describedby; type=\"application/metalink4+xml\"", "", false, true, 1, ""},
		{"no Metalink", "</none>; rel=describedby; type=\"application/metalink4+xml\"", "", false, false, 0, "read the Metalink S/none: "},
		{"a redirect", "<M/f>; rel=duplicate", digest, true, true, 1, "; trying M/f"},
	} {
		asked.Store(0)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/meta":
				fmt.Fprint(w, metalink)
				return
			case r.URL.Path != "/f g" && r.URL.Path != "/broken":
				http.NotFound(w, r)
				return
			case r.URL.Path == "/f g":
				w.Header().Set("Link", strings.ReplaceAll(test.link, "M", mirror.URL))
			}
			if test.moved && r.URL.Path == "/f g" {
				w.Header().Set("Digest", strings.ReplaceAll(test.digest, ":", ""))
				http.Redirect(w, r, "/broken", http.StatusFound)
				return
			}
			if test.digest != "" && !test.moved {
				w.Header().Set("Repr-Digest", test.digest)
			}
			w.Header().Set("Content-Length", "14")
			fmt.Fprint(w, "the")
		}))
		dir := t.TempDir()
		status, _, complaints := runHere(t, "", "get", "--no-proxy", "--retries", "0", "--output-dir", dir, server.URL+"/f%20g")
		got, err := os.ReadFile(filepath.Join(dir, "f g"))
		if (status == 0) != test.isWhole || test.isWhole && string(got) != text || !test.isWhole && err == nil || asked.Load() != test.asked {
			t.Errorf("%s: get ended with %d, the file is %q, %v, after %d requests to the mirror; %s", test.name, status, got, err, asked.Load(), complaints)
		}
		says := strings.NewReplacer("M/", mirror.URL+"/", "S/", server.URL+"/").Replace(test.says)
		if !strings.Contains(complaints, says) {
			t.Errorf("%s: get writes %q, want %q", test.name, complaints, says)
		}
		server.Close()
	}
}

// A mirror that a server names does not get the user's password, and reading a Metalink obeys the
// time limit of a file.
func TestGetMirrorsAreStrangers(t *testing.T) {
	const text = "the whole file"
	sum := sha256.Sum256([]byte(text))
	var logins atomic.Int64
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			logins.Add(1)
			fmt.Fprint(w, text)
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer mirror.Close()
	ended := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/meta":
			<-ended // the server never answers
			return
		case "/slow":
			w.Header().Set("Link", `</meta>; rel=describedby; type="application/metalink4+xml"`)
			w.Header().Set("Content-Length", "14")
			return
		}
		w.Header().Set("Link", strings.Replace("<"+mirror.URL+"/f>; rel=duplicate", "http://", "http://someone@", 1))
		w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
		w.Header().Set("Content-Length", "14")
		fmt.Fprint(w, "the")
	}))
	defer server.Close()
	defer close(ended)
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"get", "--no-proxy", "--retries", "0", "--idle", "5m", "--max-time", "1s", "--password-file", secret, "--output-dir", dir}
	status, _, complaints := runHere(t, "", append(args, server.URL+"/f")...)
	if status == 0 || logins.Load() > 0 || !strings.Contains(complaints, "; trying ") {
		t.Errorf("get ended with %d, and the mirror got %d logins; %s", status, logins.Load(), complaints)
	}
	began := time.Now()
	status, _, complaints = runHere(t, "", append(args, server.URL+"/slow")...)
	if took := time.Since(began); status == 0 || took > time.Minute || !strings.Contains(complaints, "read the Metalink") {
		t.Errorf("get with a silent Metalink ended with %d after %v; %s", status, took, complaints)
	}
}
