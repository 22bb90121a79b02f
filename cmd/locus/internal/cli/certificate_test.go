package cli

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"locus/cmd/locus/internal/flags"
	"locus/url"
)

// The certificate of --cert is for the servers that the arguments name, and for no other server.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCertificate(t, dir)
	e := newEnv(dir, nil)
	for _, test := range []struct {
		args, key, asked string
		want             bool
	}{
		{"gemini://h/a", "key.pem", "gemini://H:1965/b?c", true},
		{"gemini://h:1965/a", "key.pem", "gemini://h/", true},
		{"gemini://h/", "", "gemini://h/", true},
		{"gemini://h/", "key.pem", "gemini://h:7/", false},
		{"gemini://h/", "key.pem", "gemini://other/", false},
		{"gemini://h/", "key.pem", "gophers://h:1965/", false},
	} {
		o := Certificates{Cert: "cert.pem", Key: test.key}
		if test.key == "" {
			o.Cert = "both.pem"
		}
		certificate, err := e.certificate(o, []string{"words", "ftp://other/", test.args})
		if err != nil || (certificate(url.MustParse(test.asked)) != nil) != test.want {
			t.Errorf("with the argument %s, %s gets the certificate: %v, %v", test.args, test.asked, !test.want, err)
		}
	}
}

func TestCertificateMisuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCertificate(t, dir)
	e := newEnv(dir, nil)
	for _, test := range []struct {
		o        Certificates
		arg      string
		isMisuse bool
	}{
		{Certificates{Key: "key.pem"}, "gemini://h/", true},
		{Certificates{Cert: "both.pem"}, "https://h/", true},
		{Certificates{Cert: "cert.pem"}, "gemini://h/", true},
		{Certificates{Cert: "missing.pem"}, "gemini://h/", false},
		{Certificates{Cert: "cert.pem", Key: "missing.pem"}, "gemini://h/", false},
	} {
		if _, err := e.certificate(test.o, []string{test.arg}); err == nil || flags.IsMisuse(err) != test.isMisuse {
			t.Errorf("%+v for %s gives %v, want misuse: %v", test.o, test.arg, err, test.isMisuse)
		}
	}
	if certificate, err := e.certificate(Certificates{}, nil); certificate != nil || err != nil {
		t.Errorf("without flags there is a certificate, or %v", err)
	}
}

// writeCertificate writes a certificate and its key to the files cert.pem and key.pem in dir, and both to both.pem.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(nil, template, template, public, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyText := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	for name, text := range map[string][]byte{"cert.pem": certText, "key.pem": keyText, "both.pem": append(certText, keyText...)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
