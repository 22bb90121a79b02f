package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// If a password was not sent because a certificate is not trusted, the hint first says how to trust
// the certificate, and then how to send the password without TLS.
func TestHintForUntrustedFTP(t *testing.T) {
	untrusted := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	got := Hint(access.WithRemedy(untrusted, access.AllowCleartext{Protocol: "ftp"}))
	trust, clear := strings.Index(got, "SSL_CERT_FILE"), strings.Index(got, "--ftp-no-tls")
	if trust < 0 || clear < trust {
		t.Errorf("the hint for an untrusted certificate is %q", got)
	}
	if got := Hint(access.WithRemedy(errors.New("no handshake"), access.AllowCleartext{Protocol: "ftp"})); strings.Contains(got, "SSL_CERT_FILE") || !strings.Contains(got, "--ftp-no-tls") {
		t.Errorf("without a certificate the hint is %q", got)
	}
}

func TestHintAtPasswords(t *testing.T) {
	for err, want := range map[error]string{
		access.ErrLogin:    "check the user name and the password",
		access.ErrPassword: "run this on a terminal to be asked for the password, or give it in --password-file FILE, LOCUS_PASSWORD or .netrc",
	} {
		if got := Hint(engine.Fail("get", url.MustParse("ftp://ada@h/"), err)); got != want {
			t.Errorf("Hint(%v) = %q, want %q", err, got, want)
		}
	}
}
