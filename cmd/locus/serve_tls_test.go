package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// With --client-ca, the gateway serves over TLS only clients with a certificate. It uses HTTP/2 if
// it is not a proxy for the web.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	pair := selfSigned(t, file("cert.pem"), file("key.pem"))
	roots := x509.NewCertPool()
	text, err := os.ReadFile(file("cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots.AppendCertsFromPEM(text)
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

// selfSigned writes a certificate for 127.0.0.1 and its key. The certificate is also a client
// certificate and an authority.
func selfSigned(t *testing.T, certFile, keyFile string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name, kind string
		content    []byte
	}{{certFile, "CERTIFICATE", cert}, {keyFile, "PRIVATE KEY", private}} {
		if err := os.WriteFile(f.name, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.content}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key}
}
