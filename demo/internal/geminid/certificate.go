package geminid

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Certificate returns the certificate of every server of this package. It is the same at each start, because clients
// remember it: the key comes from a fixed seed, and Ed25519 signs without random numbers.
func Certificate() tls.Certificate {
	seed := sha256.Sum256([]byte("the little library of locus, by gemini"))
	key := ed25519.NewKeyFromSeed(seed[:])
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "the little library of locus"},
		NotBefore:    time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2126, time.January, 1, 0, 0, 0, 0, time.UTC),
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		panic(fmt.Sprintf("geminid: the certificate cannot be made: %v", err)) // the template and the key are constant
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
