package certs_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/certs"
	"locus/server"
)

func TestKeyFile(t *testing.T) {
	for certificate, want := range map[string]string{"ca.pem": "ca-key.pem", "/a.b/ca": "/a.b/ca-key", "d/rootCA.pem": "d/rootCA-key.pem", "a.b.crt": "a.b-key.crt"} {
		if got := certs.KeyFile(certificate); got != want {
			t.Errorf("KeyFile(%q) = %q, want %q", certificate, got, want)
		}
	}
}

// If neither file exists, OpenAuthority makes both, and the next call reads them. Only the user can
// read the key.
func TestOpenAuthority(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	made, isNew, err := certs.OpenAuthority(file)
	if err != nil || !isNew {
		t.Fatalf("isNew: %v, %v", isNew, err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(text, made.PEM()) || bytes.Contains(text, []byte("PRIVATE KEY")) {
		t.Errorf("the certificate is %s, %v", text, err)
	}
	info, err := os.Stat(certs.KeyFile(file))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key has the mode %v, %v, want -rw-------", info, err)
	}
	again, isNew, err := certs.OpenAuthority(file)
	if err != nil || isNew || !bytes.Equal(again.PEM(), made.PEM()) {
		t.Errorf("the second OpenAuthority = %v, %v", isNew, err)
	}
	if _, isNew, err := certs.OpenAuthority(filepath.Join(t.TempDir(), "none", "ca.pem")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, certs.ErrIncomplete) || isNew {
		t.Errorf("OpenAuthority without the folder = %v, %v", isNew, err)
	}
}

// Files that are not a safe authority are refused, and stay unchanged.
func TestOpenAuthorityRefused(t *testing.T) {
	authority, err := server.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	keyPEM, err := authority.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	certificate, key := string(authority.PEM()), string(keyPEM)
	for _, test := range []struct {
		name             string
		certificate, key string // "": the file does not exist
		mode             os.FileMode
		want             error
		text             string
	}{
		{"others can read the key", certificate, key, 0o640, certs.ErrExposed, "others can read it"},
		{"others can change the key", certificate, key, 0o602, certs.ErrExposed, "others can read it"},
		{"the key is in the certificate", certificate + key, "", 0, server.ErrKeyInCertificate, "also has the private key"},
		{"the key is in both", certificate + key, key, 0o600, server.ErrKeyInCertificate, "also has the private key"},
		{"no key", certificate, "", 0, certs.ErrIncomplete, "ca-key.pem: "},
		{"no certificate", "", key, 0o600, certs.ErrIncomplete, "ca.pem: "},
		{"no PEM", "x", "y", 0o600, certs.ErrInvalid, "failed to find any PEM data in certificate input"},
		{"no PEM that others can read", "x", "y", 0o644, certs.ErrExposed, "others can read it"},
	} {
		if runtime.GOOS == "windows" && test.mode&0o077 != 0 {
			continue // Windows has no such modes
		}
		file := filepath.Join(t.TempDir(), "ca.pem")
		for name, text := range map[string]string{file: test.certificate, certs.KeyFile(file): test.key} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if test.key != "" {
			if err := os.Chmod(certs.KeyFile(file), test.mode); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		a, isNew, err := certs.OpenAuthority(file)
		if a != nil || isNew || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: OpenAuthority = %v, isNew %v, want %v with %q", test.name, err, isNew, test.want, test.text)
		}
		if errors.Is(test.want, certs.ErrIncomplete) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: OpenAuthority = %v, want also fs.ErrNotExist", test.name, err)
		}
		if now, _ := os.ReadFile(file); string(now) != test.certificate {
			t.Errorf("%s: the certificate is now %q", test.name, now)
		}
		if now, _ := os.ReadFile(certs.KeyFile(file)); string(now) != test.key {
			t.Errorf("%s: the key is now %q", test.name, now)
		}
	}
}

// A host that is not listed gets no certificate, and the authority is not asked for one. The
// authority can test the host by the protocol acme-tls/1.
func TestACME(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "acme")
	config, err := certs.ACME{Hosts: []string{"gate.example.org"}, Folder: folder, Directory: "http://127.0.0.1:1/"}.TLS()
	if err != nil {
		t.Fatal(err)
	}
	if config.MinVersion != tls.VersionTLS12 || !slices.Equal(config.NextProtos, []string{"acme-tls/1"}) {
		t.Errorf("the configuration has the minimal version %x and the protocols %q", config.MinVersion, config.NextProtos)
	}
	_, err = config.GetCertificate(&tls.ClientHelloInfo{ServerName: "other.example.org"})
	if err == nil || !strings.Contains(err.Error(), "not configured") {
		t.Errorf("the certificate of another host = %v", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a request for another host made the folder: %v", err)
	}
}
