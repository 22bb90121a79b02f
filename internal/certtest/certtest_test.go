package certtest_test

import (
	"crypto/tls"
	"crypto/x509"
	"path/filepath"
	"testing"
	"testing/synctest"

	"locus/internal/certtest"
)

// A certificate is valid for its hosts, for servers and clients, and at the time of a bubble.
func TestNew(t *testing.T) {
	own, roots := certtest.New(t, "h.example", "127.0.0.1", "::1")
	leaf, err := x509.ParseCertificate(own.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	verify := func(t *testing.T) {
		for _, test := range []struct {
			host    string
			isValid bool
		}{
			{"h.example", true},
			{"127.0.0.1", true},
			{"[::1]", true},
			{"other.example", false},
			{"127.0.0.2", false},
		} {
			for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
				_, err := leaf.Verify(x509.VerifyOptions{DNSName: test.host, Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}})
				if (err == nil) != test.isValid {
					t.Errorf("Verify(%q) for the usage %d = %v, want valid: %v", test.host, usage, err, test.isValid)
				}
			}
		}
	}
	verify(t)
	synctest.Test(t, verify)
}

// The files of Write are a pair for a server, and both.pem is one without a second file.
func TestWrite(t *testing.T) {
	own, _ := certtest.New(t)
	dir := t.TempDir()
	certtest.Write(t, dir, own)
	for _, test := range []struct{ certificate, key string }{
		{"cert.pem", "key.pem"},
		{"both.pem", "both.pem"},
	} {
		got, err := tls.LoadX509KeyPair(filepath.Join(dir, test.certificate), filepath.Join(dir, test.key))
		if err != nil || string(got.Certificate[0]) != string(own.Certificate[0]) {
			t.Errorf("LoadX509KeyPair(%q, %q) gives another certificate, or %v", test.certificate, test.key, err)
		}
	}
}
