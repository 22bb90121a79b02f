package sftp_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"locus/access"
	"locus/proto/sftp"
	"locus/url"
)

// known returns the function KnownHosts for the text of a file.
func known(t testing.TB, text string) func() (ssh.HostKeyCallback, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("write %q: %v", file, err)
	}
	return func() (ssh.HostKeyCallback, error) { return knownhosts.New(file) }
}

// keyText returns a key as a line of known_hosts has it.
func keyText(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// certified returns a key of a host with a certificate that authority has signed.
func certified(t testing.TB, host, authority ssh.Signer) ssh.Signer {
	t.Helper()
	cert := &ssh.Certificate{
		Key: host.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"h"}, ValidBefore: ssh.CertTimeInfinity,
	}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatalf("sign a certificate: %v", err)
	}
	signer, err := ssh.NewCertSigner(cert, host)
	if err != nil {
		t.Fatalf("make a signer: %v", err)
	}
	return signer
}

// The known hosts decide whether the key of a server is trusted.
func TestHostKey(t *testing.T) {
	// attack: Another machine answers in the place of an SSH server | a changed or revoked key is refused, with both
	// fingerprints, and so is an unknown key unless a person trusts it; no user, key or password is sent
	host, other, authority := newKey(t), newKey(t), newKey(t)
	own, changed := keyText(host.PublicKey()), keyText(other.PublicKey())
	seen := "ssh-ed25519 " + ssh.FingerprintSHA256(host.PublicKey())
	was := "ssh-ed25519 " + ssh.FingerprintSHA256(other.PublicKey())
	key := sftp.HostKey{Key: host.PublicKey()}
	md5 := strings.ReplaceAll(ssh.FingerprintLegacyMD5(host.PublicKey()), ":", "-")
	const unknown, mismatch, revoked = "the key of h:22 is unknown: ", "the key of h:22 has changed: it was ", "the key of h:22 is revoked: "
	for _, test := range []struct {
		name    string
		known   string // the file of known hosts
		param   string // of the URL
		want    string // the error; "" means a success
		certify ssh.Signer
	}{
		{"known", "h " + own, "", "", nil},
		{"hashed name", knownhosts.HashHostname("h") + " " + own, "", "", nil},
		{"pattern", "*,!g " + own, "", "", nil},
		{"several keys", "h " + changed + "\nh " + own, "", "", nil},
		{"another port", "[h]:2222 " + own, "", unknown + seen, nil},
		{"unknown", "g " + own, "", unknown + seen, nil},
		{"no file", "", "", unknown + seen, nil},
		{"changed", "h " + changed, "", mismatch + was, nil},
		{"two other keys", "h " + changed + "\nh " + keyText(authority.PublicKey()), "", "), ssh-ed25519 " + ssh.FingerprintSHA256(authority.PublicKey()) + " (", nil},
		{"revoked", "@revoked * " + own + "\nh " + own, "", revoked + seen, nil},
		{"authority", "@cert-authority h " + keyText(authority.PublicKey()), "", "", authority},
		{"authority of another host", "@cert-authority g " + keyText(authority.PublicKey()), "", unknown + seen, authority},
		{"another authority", "@cert-authority h " + changed, "", unknown + seen, authority},
		{"authority of a host without certificate", "# a comment\n\n \t@cert-authority\th " + changed, "", unknown + seen, nil},
		{"authority of all hosts", "@cert-authority * " + changed, "", unknown + seen, nil},
		{"two lines of an authority", "@cert-authority * " + changed + "\n@cert-authority h " + changed, "", unknown + seen, nil},
		{"authority and another key", "@cert-authority * " + keyText(authority.PublicKey()) + "\nh " + changed, "", mismatch + was + " (", nil},
		{"authority of another host and another key", "@cert-authority g " + changed + "\nh " + changed, "", mismatch + was + " (", nil},
		{"authority and a fingerprint", "@cert-authority * " + changed, key.Parameter(), "", nil},
		{"certificate of a known key", "h " + own, "", "", authority},
		{"revoked authority", "@cert-authority h " + keyText(authority.PublicKey()) + "\n@revoked * " + keyText(authority.PublicKey()), "", revoked + seen, authority},
		{"revoked authority of a known key", "h " + own + "\n@revoked * " + keyText(authority.PublicKey()), "", revoked + seen, authority},
		{"fingerprint", "", key.Parameter(), "", nil},
		{"fingerprint of the draft", "", "ssh-ed25519-" + md5, "", nil},
		{"fingerprint of ssh-keygen", "", url.Escape(ssh.FingerprintSHA256(host.PublicKey()), url.Set{}), "", nil},
		{"fingerprint alone", "", md5, "", nil},
		{"another fingerprint", "h " + own, "ssh-ed25519-" + md5[:len(md5)-1], mismatch + "ssh-ed25519-" + md5[:len(md5)-1], nil},
		{"fingerprint of another type", "h " + own, "ssh-rsa-" + md5, mismatch + "ssh-rsa-" + md5, nil},
		{"fingerprint of a changed key", "h " + changed, key.Parameter(), mismatch + was, nil},
		{"fingerprint of a revoked key", "@revoked * " + own, key.Parameter(), revoked + seen, nil},
	} {
		s := &server{Host: host}
		if test.certify != nil {
			s.Host = certified(t, host, test.certify)
		}
		start(t, s)
		c := s.client()
		c.KnownHosts = known(t, test.known+"\n")
		u := "sftp://ada@h/~/"
		if test.param != "" {
			u = "sftp://ada;fingerprint=" + test.param + "@h/~/"
		}
		_, err := titles(t, c, u)
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || !errors.Is(err, fs.ErrPermission)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if logins := s.loggedIn(); logins > 0 && test.want != "" {
			t.Errorf("%s: the client logs in at a server that it does not trust", test.name)
		}
		if strings.HasPrefix(test.want, mismatch) && !strings.Contains(err.Error(), "is "+seen) {
			t.Errorf("%s: %v, want both fingerprints", test.name, err)
		}
		if mentions := strings.Contains(access.Hint(err), "ssh-keygen"); strings.HasPrefix(test.want, mismatch) && mentions != !strings.Contains(err.Error(), " in the URL ") {
			t.Errorf("%s: the hint %q names the wrong place of the expected key", test.name, access.Hint(err))
		}
		if strings.HasPrefix(test.want, unknown) && !strings.Contains(access.Hint(err), key.Parameter()) {
			t.Errorf("%s: the hint %q does not have the fingerprint for the URL", test.name, access.Hint(err))
		}
	}
}

// The case of a host name does not matter, so that a link with another case cannot make a known server an unknown one.
func TestHostKeyCase(t *testing.T) {
	s := start(t, &server{})
	for _, test := range []struct {
		key  ssh.Signer
		want string
	}{
		{s.Host, ""},
		{newKey(t), "the key of h:22 has changed: "},
	} {
		c := s.client()
		c.KnownHosts = known(t, "h "+keyText(test.key.PublicKey())+"\n")
		c.Trust = func(_ context.Context, key sftp.HostKey) error {
			t.Errorf("with the error %q wanted, the client asks for trust in %s", test.want, key.Address)
			return nil
		}
		_, err := titles(t, c, "sftp://ada@H/~/")
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("list with H in the URL and h in the file: %v, want %q", err, test.want)
		}
	}
}

// Trust is asked only for unknown keys, and its error refuses the server.
func TestTrust(t *testing.T) {
	host := newKey(t)
	refusal := errors.New("no, said the person")
	for _, test := range []struct {
		name, known string
		answer      error
		wantAsked   bool
		want        error
	}{
		{"yes", "", nil, true, nil},
		{"no", "", refusal, true, refusal},
		{"known", "h " + keyText(host.PublicKey()), refusal, false, nil},
		{"authority", "@cert-authority * " + keyText(newKey(t).PublicKey()), nil, true, nil},
		{"changed", "h " + keyText(newKey(t).PublicKey()), nil, false, fs.ErrPermission},
		{"revoked", "@revoked h " + keyText(host.PublicKey()), nil, false, fs.ErrPermission},
	} {
		s := start(t, &server{Host: host})
		c := s.client()
		c.KnownHosts = known(t, test.known+"\n")
		asked := ""
		c.Trust = func(_ context.Context, key sftp.HostKey) error {
			asked = fmt.Sprint(key.Address, " ", key)
			return test.answer
		}
		_, err := titles(t, c, "sftp://ada@h/~/")
		if (err == nil) != (test.want == nil) || !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		want := ""
		if test.wantAsked {
			want = "h:22 ssh-ed25519 " + ssh.FingerprintSHA256(host.PublicKey())
		}
		if asked != want {
			t.Errorf("%s: asked for %q, want %q", test.name, asked, want)
		}
	}
}

// A server may exchange keys again at any time, also after the request that has logged in. Trust is asked only once.
func TestKeyExchanges(t *testing.T) {
	s := &server{}
	s.Config.RekeyThreshold = 256 // bytes
	start(t, s)
	put(t, s.client(), map[string]string{"sftp://ada@h/~/a": strings.Repeat("a", 10_000)})
	logins, asked := s.loggedIn(), 0
	c := s.client()
	c.KnownHosts, c.Pool = nil, new(sftp.Pool)
	t.Cleanup(func() { c.Pool.Close() })
	c.Trust = func(context.Context, sftp.HostKey) error {
		asked++
		return nil
	}
	for range 3 {
		if got, err := get(t, c, "sftp://ada@h/~/a"); err != nil || len(got) != 10_000 {
			t.Fatalf("get %d bytes, %v, want 10000", len(got), err)
		}
	}
	if logins = s.loggedIn() - logins; asked != 1 || logins != 1 {
		t.Errorf("%d logins ask for trust %d times, want one login that asks once", logins, asked)
	}
}

// The client asks for the type of a key that it knows, if a server has keys of several types.
func TestHostKeyType(t *testing.T) {
	s := &server{Host: newKey(t)}
	ecdsa := newECDSA(t)
	s.Config.AddHostKey(ecdsa)
	start(t, s)
	for _, key := range []ssh.Signer{s.Host, ecdsa} {
		c := s.client()
		c.KnownHosts = known(t, "h "+keyText(key.PublicKey())+"\n")
		if _, err := titles(t, c, "sftp://ada@h/~/"); err != nil {
			t.Errorf("a server that is known by its key of type %s: %v", key.PublicKey().Type(), err)
		}
		c.KnownHosts = known(t, "@cert-authority * "+keyText(newKey(t).PublicKey())+"\n@cert-authority * "+keyText(newECDSA(t).PublicKey())+"\nh "+keyText(key.PublicKey())+"\n")
		if _, err := titles(t, c, "sftp://ada@h/~/"); err != nil {
			t.Errorf("a server that is known by its key of type %s, beside authorities of all types: %v", key.PublicKey().Type(), err)
		}
		c.KnownHosts = nil
		if _, err := titles(t, c, "sftp://ada;fingerprint="+(sftp.HostKey{Key: key.PublicKey()}).Parameter()+"@h/~/"); err != nil {
			t.Errorf("a fingerprint of type %s: %v", key.PublicKey().Type(), err)
		}
	}
}

// Without known hosts no server is known, and a client whose known hosts cannot be read opens nothing.
func TestNoKnownHosts(t *testing.T) {
	s := start(t, &server{})
	broken := errors.New("cannot be read")
	for _, test := range []struct {
		known func() (ssh.HostKeyCallback, error)
		want  error
	}{
		{nil, fs.ErrPermission},
		{func() (ssh.HostKeyCallback, error) { return nil, nil }, fs.ErrPermission},
		{func() (ssh.HostKeyCallback, error) { return nil, broken }, broken},
		{func() (ssh.HostKeyCallback, error) {
			return func(string, net.Addr, ssh.PublicKey) error { return broken }, nil
		}, broken},
	} {
		c := s.client()
		c.KnownHosts = test.known
		if _, err := titles(t, c, "sftp://ada@h/"); !errors.Is(err, test.want) {
			t.Errorf("error %v, want %v", err, test.want)
		}
	}
	if n := s.loggedIn(); n > 0 {
		t.Errorf("%d logins at a server that is not trusted", n)
	}
	if !slices.Equal(s.asked, nil) {
		t.Errorf("the client asks for %q", s.asked)
	}
}
