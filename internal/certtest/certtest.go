// Package certtest makes TLS certificates for tests.
package certtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// New returns a new certificate for hosts, which are names and IP addresses, and a pool that trusts it. The certificate
// is its own authority, and servers and clients may use it. It is valid until 2100, and also in the bubbles of package
// synctest, whose clock starts in 2000. Without hosts the certificate is valid for no host.
func New(t testing.TB, hosts ...string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("generate a key: %v", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(1999, time.January, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC),
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	if len(hosts) > 0 {
		template.Subject = pkix.Name{CommonName: hosts[0]}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatalf("create a certificate for %q: %v", hosts, err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("parse the certificate for %q: %v", hosts, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// Configs returns the configuration of a TLS server with a new certificate for hosts, and the configuration of a client
// that trusts it. The server sends no session tickets, because a pipe has no buffer for them.
func Configs(t testing.TB, hosts ...string) (server, client *tls.Config) {
	t.Helper()
	own, roots := New(t, hosts...)
	server = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true}
	return server, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// PEM returns the first certificate of c and its key in PEM.
func PEM(t testing.TB, c tls.Certificate) (certificate, key []byte) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatalf("encode the key: %v", err)
	}
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// Write writes the first certificate of c to the file cert.pem in dir, its key to key.pem, and both to both.pem.
func Write(t testing.TB, dir string, c tls.Certificate) {
	t.Helper()
	certificate, key := PEM(t, c)
	for name, text := range map[string][]byte{"cert.pem": certificate, "key.pem": key, "both.pem": bytes.Join([][]byte{certificate, key}, nil)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatalf("write the certificate: %v", err)
		}
	}
}
