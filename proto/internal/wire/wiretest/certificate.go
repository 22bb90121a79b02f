package wiretest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"testing"
	"time"
)

// Certificate returns the configuration of a TLS server with a new certificate for a host, and the configuration of a
// client that trusts it. The server sends no session tickets, because a pipe has no buffer for them.
func Certificate(t testing.TB, host string) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("generate a key: %v", err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotAfter: time.Now().AddDate(100, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatalf("create a certificate for %q: %v", host, err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("parse the certificate for %q: %v", host, err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	own := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	server = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true}
	return server, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}
