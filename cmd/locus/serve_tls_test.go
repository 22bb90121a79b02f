package main

import (
	"crypto/tls"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"locus/internal/certtest"
)

// With --client-ca, the gateway serves over TLS only clients with a certificate. It uses HTTP/2 if
// it is not a proxy for the web.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	pair, roots := certtest.New(t, "127.0.0.1")
	certtest.Write(t, dir, pair)
	client := func(certificates ...tls.Certificate) *http.Client {
		return &http.Client{Transport: &http.Transport{
			ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certificates, MinVersion: tls.VersionTLS12},
		}}
	}
	for _, test := range []struct{ scheme, want string }{
		{"--scheme=ftp", "HTTP/2.0"},
		{"--scheme=http", "HTTP/1.1"},
		{"--scheme=https", "HTTP/1.1"},
		{"--no-cache", "HTTP/1.1"}, // every scheme
	} {
		s := startServe(t, "--no-cache", "--tls-cert", file("cert.pem"), "--tls-key", file("key.pem"), "--client-ca", file("cert.pem"), test.scheme)
		if !strings.HasPrefix(s.at, "https://") {
			t.Fatalf("serve with TLS is at %s", s.at)
		}
		answer, err := client(pair).Get(s.at + "/")
		if err != nil {
			t.Fatalf("%s: %v", test.scheme, err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 || answer.Proto != test.want {
			t.Errorf("%s: %s %s, want 200 by %s", test.scheme, answer.Proto, answer.Status, test.want)
		}
		if answer, err := client().Get(s.at + "/"); err == nil {
			answer.Body.Close()
			t.Errorf("%s without a certificate = %s", test.scheme, answer.Status)
		}
	}
}
