package cli

import (
	"testing"

	"locus/cmd/locus/internal/flags"
	"locus/internal/certtest"
	"locus/url"
)

// The certificate of --cert is for the servers that the arguments name, and for no other server.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own, _ := certtest.New(t)
	certtest.Write(t, dir, own)
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
	own, _ := certtest.New(t)
	certtest.Write(t, dir, own)
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
