package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/archive"
	"locus/proto/web"
	"locus/server"
	"locus/url"
)

// shop is a site with features that browsers use: compressed pages, redirects, cookies and forms.
func shop(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/old":
		http.Redirect(w, r, "/page", http.StatusFound)
	case "/packed":
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "a packed page")
		z.Close()
	case "/form":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, "sent: %s", body)
	case "/page", "/%2f/a%20b":
		w.Header().Set("Set-Cookie", "session=sesame-4711")
		w.Header().Set("X-Custom", "kept")
		fmt.Fprintf(w, "the page at %s", r.RequestURI)
	default:
		http.NotFound(w, r)
	}
}

// A reply is a response to a proxy's client.
type reply struct {
	status int
	header http.Header
	body   string
}

// through sends one request through a proxy, as a browser does. It neither follows redirects nor
// decompresses the body.
func through(t *testing.T, client *http.Client, method, target, body string) (reply, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("Cookie", "session=sesame-4711")
	resp, err := client.Transport.RoundTrip(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(text)}, err
}

// The requests of a browser that uses the gateway as its proxy are recorded. Later the browser gets
// the responses from the archive.
func TestServeArchiveProxy(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(shop))
	defer site.Close()
	file := filepath.Join(t.TempDir(), "today.warc.gz")
	s := startServe(t, "--no-cache", "--warc", file)
	client := proxyThrough(t, s.at, "")
	paths := []string{"/page", "/old", "/packed", "/none", "/%2f/a%20b?x&y=%41"}
	live := make(map[string]reply)
	for _, path := range paths {
		got, err := through(t, client, "GET", site.URL+path, "")
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		live[path] = got
	}
	if live["/old"].status != http.StatusFound || live["/packed"].body[:2] != "\x1f\x8b" || live["/page"].header.Get("Set-Cookie") != "session=sesame-4711" {
		t.Errorf("the response through the proxy is %v, want it unchanged", live)
	}
	for range 3 {
		if got, err := through(t, client, "POST", site.URL+"/form", "name=Ada"); err != nil || got.body != "sent: name=Ada" {
			t.Errorf("a form through the proxy = %v, %v", got, err)
		}
	}
	if got, err := through(t, client, "GET", strings.Replace(site.URL, "http:", "https:", 1)+"/", ""); err == nil {
		t.Errorf("https without --proxy-ca = %v, want an error", got)
	}
	if status := s.stop(); status != 0 {
		t.Fatalf("serve --warc ends with %d: %s", status, s.printed())
	}
	text := unzip(t, file)
	for _, want := range []string{"GET /page HTTP/1.1\r\n", "POST /form HTTP/1.1\r\n", "name=Ada", "Cookie: ***\r\n", "Set-Cookie: ***\r\n", "GET /%2f/a%20b?x&y=%41 HTTP/1.1\r\n", "X-Custom: kept\r\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the archive does not contain %q", want)
		}
	}
	if strings.Contains(text, "sesame") {
		t.Error("the archive contains the cookie")
	}
	site.Close()

	s = startServe(t, "--from-warc", file)
	client = proxyThrough(t, s.at, "")
	for _, path := range paths {
		got, err := through(t, client, "GET", site.URL+path, "")
		want := live[path]
		if err != nil || got.status != want.status || got.body != want.body {
			t.Errorf("%s from the archive: %d, %.80q, %v, want %d, %.80q", path, got.status, got.body, err, want.status, want.body)
		}
		for _, name := range []string{"X-Custom", "Location", "Content-Type", "Content-Encoding"} {
			if got.header.Get(name) != want.header.Get(name) {
				t.Errorf("%s from the archive: %s is %q, want %q", path, name, got.header.Get(name), want.header.Get(name))
			}
		}
		if got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s from the archive: the cookie %q, want it hidden", path, got.header.Get("Set-Cookie"))
		}
	}
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"HEAD", "/page", 200},
		{"GET", "/unheard", 404},
		{"GET", "/form", 404}, // only the response to the POST was recorded
		{"POST", "/form", 501},
		{"DELETE", "/page", 501},
	} {
		got, err := through(t, client, test.method, site.URL+test.path, "")
		if err != nil || got.status != test.status {
			t.Errorf("%s %s: %d, %.200q, %v, want %d", test.method, test.path, got.status, got.body, err, test.status)
		}
	}
}

// With --proxy-ca the browser can also use https to read the archive. Only the user can read the
// key of that authority.
func TestServeArchiveHTTPS(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(shop))
	defer site.Close()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w, err := archive.Create(root, "site.warc.gz", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine := &web.Client{Dial: new(net.Dialer).DialContext, TLS: site.Client().Transport.(*http.Transport).TLSClientConfig}
	for _, path := range []string{"/page", "/packed", "/old"} {
		r, err := w.Record(engine).Do(t.Context(), &access.Request{URL: url.MustParse(site.URL + path)})
		if err != nil {
			continue // a redirect
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	engine.CloseIdleConnections()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	site.Close()

	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(dir, "ca.pem")
	args := []string{"--from-warc", filepath.Join(dir, "site.warc.gz"), "--proxy-ca", ca, "--allow-port", port}
	s := startServe(t, args...)
	authority, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(authority), "PRIVATE KEY") || strings.Count(string(authority), "BEGIN CERTIFICATE") != 1 {
		t.Errorf("%s contains more than a certificate:\n%s", ca, authority)
	}
	key := filepath.Join(dir, "ca-key.pem")
	if text, err := os.ReadFile(key); err != nil || !strings.HasPrefix(string(text), "-----BEGIN PRIVATE KEY-----\n") {
		t.Errorf("the file of the key: %v", err)
	}
	if info, err := os.Stat(key); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key has the mode %v, %v, want -rw-------", info, err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	client := proxyThrough(t, s.at, "")
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	for path, want := range map[string]string{"/page": "200 the page at /page", "/old": "302 ", "/unheard": "404 "} {
		got, err := through(t, client, "GET", site.URL+path, "")
		if text := fmt.Sprint(got.status, " ", got.body); err != nil || !strings.HasPrefix(text, want) {
			t.Errorf("%s: %.200s, %v, want %s", path, text, err, want)
		}
	}
	plain := strings.Replace(site.URL, "https:", "http:", 1)
	if got, err := through(t, client, "GET", plain+"/page", ""); err != nil || got.body != "the page at /page" {
		t.Errorf("/page by http = %v, %v", got, err)
	}
	if status := s.stop(); status != 0 {
		t.Fatalf("serve ends with %d: %s", status, s.printed())
	}
	s = startServe(t, args...)
	if again, err := os.ReadFile(ca); err != nil || !bytes.Equal(again, authority) {
		t.Errorf("the second start of serve changes the authority: %v", err)
	}
	// A client that does not trust the authority gets no response.
	stranger := proxyThrough(t, s.at, "")
	stranger.Transport.(*http.Transport).TLSClientConfig = nil
	var unknown x509.UnknownAuthorityError
	if got, err := through(t, stranger, "GET", site.URL+"/page", ""); !errors.As(err, &unknown) {
		t.Errorf("a client that does not trust the authority gets %v, %v", got, err)
	}
}

// Files that are not a safe authority are refused before the gateway serves, and stay unchanged.
func TestServeAuthorityRefused(t *testing.T) {
	authority, err := server.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	keyPEM, err := authority.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	certificate, key := string(authority.PEM()), string(keyPEM)
	for _, test := range []struct {
		name             string
		certificate, key string // "": the file does not exist
		mode             os.FileMode
		want             string
	}{
		{"others can read the key", certificate, key, 0o640, "ca-key.pem: others can read it or change it\nlocus: hint: chmod 600 "},
		{"the key is in the certificate", certificate + key, "", 0, "also has the private key\nlocus: hint: move the key into "},
		{"the key is in both", certificate + key, key, 0o600, "also has the private key\nlocus: hint: move the key into "},
		{"no key", certificate, "", 0, "no such file or directory\nlocus: hint: remove both "},
		{"no certificate", "", key, 0o600, "no such file or directory\nlocus: hint: remove both "},
		{"no PEM", "x", "y", 0o600, "failed to find any PEM data in certificate input"},
	} {
		if runtime.GOOS == "windows" && test.mode == 0o640 {
			continue // Windows has no such modes
		}
		dir := t.TempDir()
		ca, keyName := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "ca-key.pem")
		for name, text := range map[string]string{ca: test.certificate, keyName: test.key} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if test.key != "" {
			if err := os.Chmod(keyName, test.mode); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		printed, err := os.Create(filepath.Join(dir, "printed"))
		if err != nil {
			t.Fatal(err)
		}
		defer printed.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		args := []string{"locus", "serve", "--listen", "127.0.0.1:0", "--warc", filepath.Join(dir, "new.warc.gz"), "--proxy-ca", ca}
		status := program().Run(ctx, testEnv(nil, printed, printed), args)
		text, err := os.ReadFile(printed.Name())
		if status != 2 || err != nil || !strings.Contains(string(text), test.want) || strings.Contains(string(text), "the gateway is at") {
			t.Errorf("%s: serve ends with %d: %s, %v, want %q", test.name, status, text, err, test.want)
		}
		if now, _ := os.ReadFile(ca); string(now) != test.certificate {
			t.Errorf("%s: the certificate is now %q", test.name, now)
		}
		if now, _ := os.ReadFile(keyName); string(now) != test.key {
			t.Errorf("%s: the key is now %q", test.name, now)
		}
	}
}
