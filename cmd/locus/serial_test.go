package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// Half of the certificates that FileZilla Server makes for itself have a negative serial number.
// They are parsed (RFC 5280 §4.1.2.2), and trusted like other certificates.
func TestNegativeSerialNumber(t *testing.T) {
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{negativeSerial(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).Handshake() // fails, because the client refuses the certificate
			conn.Close()
		}
	}()
	for _, scheme := range []string{"ftps", "https"} {
		status, _, stderr := runHere(t, "", "get", "--retries", "0", scheme+"://"+l.Addr().String()+"/f")
		if status != 1 || !strings.Contains(stderr, "signed by unknown authority") || !strings.Contains(stderr, "SSL_CERT_FILE") {
			t.Errorf("get of %s: status %d, %q; want an error about an untrusted certificate, and the hint", scheme, status, stderr)
		}
	}
}

// negativeSerial returns a certificate for 127.0.0.1 with the serial number -1. The library refuses
// to make one, so negativeSerial makes one with 127, changes the number, and signs it again.
func negativeSerial(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(127), Subject: pkix.Name{CommonName: "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	var cert struct {
		Signed    asn1.RawValue
		Algorithm asn1.RawValue
		Signature asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &cert); err != nil {
		t.Fatal(err)
	}
	version := []byte{0xa0, 3, 2, 1, 2} // the serial number follows
	number := bytes.Index(cert.Signed.FullBytes, version) + len(version)
	cert.Signed.FullBytes[number+2] = 0xff
	digest := sha256.Sum256(cert.Signed.FullBytes)
	signature, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	cert.Signature = asn1.BitString{Bytes: signature, BitLength: 8 * len(signature)}
	if der, err = asn1.Marshal(cert); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
