package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"locus/demo"
)

// Resources that visitors open through the gateway are recorded, without the visitors' secrets.
// After the servers have stopped, they are served from the archive.
func TestServeArchive(t *testing.T) {
	const secret = "sesame-4711"
	var asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		user, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/page", http.StatusFound)
		case r.URL.Path == "/private" && (user != "ada" || password != secret):
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("Set-Cookie", "session="+secret)
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>page</title>the page at ", r.URL.Path)
		}
	}))
	defer web.Close()
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, Files: os.DirFS("testdata")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var gopher string
	for _, service := range d.Services() {
		if service.Scheme == "gopher" {
			gopher = service.Addr
		}
	}
	file := filepath.Join(t.TempDir(), "today.warc.gz")
	s := startServe(t, "--no-cache", "--warc", file)
	targets := []string{web.URL + "/page", web.URL + "/old", "gopher://" + gopher + "/1/"}
	live := make(map[string]string)
	for _, target := range targets {
		status, body := ask(t, nil, s.at+"/"+target, nil)
		if status != http.StatusOK {
			t.Fatalf("%s: %d, %.200q", target, status, body)
		}
		live[target] = body
	}
	if status, body := ask(t, nil, s.at+"/"+strings.Replace(web.URL, "//", "//ada@", 1)+"/private", func(r *http.Request) { r.SetBasicAuth("ada", secret) }); status != http.StatusOK {
		t.Errorf("a page with a password = %d, %.200q", status, body)
	}
	if status := s.stop(); status != 0 {
		t.Fatalf("serve --warc ends with %d: %s", status, s.printed())
	}
	if text := unzip(t, file); strings.Contains(text, secret) || !strings.Contains(text, "Authorization: ***\r\n") || !strings.Contains(text, "Set-Cookie: ***\r\n") {
		t.Errorf("the archive has the secret: %v; or it has no record of the login", strings.Contains(text, secret))
	}
	web.Close()
	d.Close()
	before := asked.Load()

	s = startServe(t, "--from-warc", file)
	for _, target := range targets {
		if status, body := ask(t, nil, s.at+"/"+target, nil); status != http.StatusOK || !strings.Contains(body, "page") && target != targets[2] || target == targets[0] && body != live[target] {
			t.Errorf("%s from the archive = %d, %.300q; from the server it was %.300q", target, status, body, live[target])
		}
	}
	if status, body := ask(t, nil, s.at+"/"+web.URL+"/unheard", nil); status != http.StatusNotFound || !strings.Contains(body, "not in the archive") {
		t.Errorf("a page that was not recorded = %d, %.300q", status, body)
	}
	if status, body := ask(t, proxyThrough(t, s.at, ""), web.URL+"/page", nil); status != http.StatusOK || !strings.Contains(body, "the page at /page") {
		t.Errorf("a page through the proxy = %d, %.300q", status, body)
	}
	if asked.Load() != before {
		t.Error("serve --from-warc asked the server")
	}
}

// unzip returns the text of a gzip file.
func unzip(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
