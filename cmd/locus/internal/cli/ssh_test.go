package cli

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"locus/access"
	"locus/proto/sftp"
)

// A line of the known hosts trusts one host, although the name of a host in a URL may have the characters of a pattern
// or of a list.
func TestKnownHostLine(t *testing.T) {
	key, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	for _, test := range []struct{ address, other string }{
		{"h:22", "i:22"},
		{"h:2222", "h:22"},
		{"[2001:db8::1]:22", "[2001:db8::2]:22"},
		{"*:22", "h:22"},
		{"*:2222", "h:2222"},
		{"a,h:22", "h:22"},
		{"?:22", "h:22"},
		{"!h:22", "h:22"},
		{"#h:22", "h:22"},
		{"@h:22", "h:22"},
		{"g h:22", "h:22"},
	} {
		file := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(file, []byte(knownHostLine(sftp.HostKey{Address: test.address, Key: key})+"\n"), 0o600); err != nil {
			t.Fatalf("write %q: %v", file, err)
		}
		isKnown, err := knownhosts.New(file)
		if err != nil {
			t.Errorf("the line for %q: %v", test.address, err)
			continue
		}
		if err := isKnown(test.address, &net.TCPAddr{IP: net.IPv4zero}, key); err != nil {
			t.Errorf("the line for %q does not trust it: %v", test.address, err)
		}
		if err := isKnown(test.other, &net.TCPAddr{IP: net.IPv4zero}, key); err == nil {
			t.Errorf("the line for %q trusts %q", test.address, test.other)
		}
	}
}

// A key that others can read is refused with one warning, however many connections ask for the keys.
func TestReadableKeyWarning(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes on Windows")
	}
	home := t.TempDir()
	e := newEnv(home, map[string]string{"HOME": home})
	messages, err := os.Create(filepath.Join(home, "messages"))
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	e.Stderr = messages
	file := filepath.Join(home, ".ssh", "id_ed25519")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil { //nolint:gosec // others can read it, as the test says
		t.Fatal(err)
	}
	u := &sshUser{env: e}
	for range 3 {
		if keys, err := u.keys(t.Context(), "h", "ada"); len(keys) > 0 || err != nil {
			t.Errorf("keys = %v, %v, want none", keys, err)
		}
	}
	said, err := os.ReadFile(messages.Name())
	if n := strings.Count(string(said), "others can read it"); n != 1 || err != nil {
		t.Errorf("%d warnings, %v, want one:\n%s", n, err, said)
	}
}

// A key file is used if only its user can read it, and if its public key is known before its passphrase: from the file
// itself, or from the file .pub beside a key in the old format.
func TestFileKey(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	marshal := func(passphrase string) string {
		block, err := ssh.MarshalPrivateKey(private, "")
		if passphrase != "" {
			block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(block))
	}
	old := &pem.Block{ // as OpenSSL writes it
		Type: "EC PRIVATE KEY", Bytes: make([]byte, 48),
		Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC," + strings.Repeat("0", 32)},
	}
	oldText, publicText := string(pem.EncodeToMemory(old)), string(ssh.MarshalAuthorizedKey(own))
	for _, test := range []struct {
		name  string
		files map[string]string
		want  bool   // there is a key
		why   string // a part of the error of fileKey; "" without an error
		sign  string // a part of the error of Sign; "" without an error
	}{
		{"no file", nil, false, "", ""},
		{"a plain key", map[string]string{"k": marshal("")}, true, "", ""},
		{"an empty file", map[string]string{"k": ""}, false, "no key found", ""},
		{"another text", map[string]string{"k": "ssh-ed25519 AAAA\n"}, false, "no key found", ""},
		{"a public key", map[string]string{"k": publicText}, false, "no key found", ""},
		{"an encrypted key", map[string]string{"k": marshal("sesame")}, true, "", "is encrypted, and there is no terminal"},
		{"an old key", map[string]string{"k": oldText, "k.pub": publicText}, true, "", "is encrypted, and there is no terminal"},
		{"an old key alone", map[string]string{"k": oldText}, false, "k.pub: ", ""},
		{"an old key beside another text", map[string]string{"k": oldText, "k.pub": "x"}, false, "no key found", ""},
	} {
		home := t.TempDir()
		e := newEnv(home, map[string]string{"HOME": home})
		if e.Stdin, err = os.Open(os.DevNull); err != nil {
			t.Fatal(err)
		}
		defer e.Stdin.Close()
		if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range test.files {
			if err := os.WriteFile(filepath.Join(home, ".ssh", name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		u := &sshUser{env: e, unlocked: map[string]ssh.Signer{}}
		key, err := u.fileKey(t.Context(), "k")
		if (key != nil) != test.want || (err != nil) != (test.why != "") || err != nil && !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: fileKey = %v, %v, want a key: %v, an error with %q", test.name, key, err, test.want, test.why)
		}
		if key == nil {
			continue
		}
		if !isSameKey(key.PublicKey(), own) {
			t.Errorf("%s: fileKey has another public key", test.name)
		}
		signature, err := key.Sign(rand.Reader, []byte("data"))
		switch {
		case test.sign != "" && (!errors.Is(err, access.ErrPassword) || !strings.Contains(err.Error(), test.sign)):
			t.Errorf("%s: Sign = %v, want an error with %q", test.name, err, test.sign)
		case test.sign == "" && (err != nil || own.Verify([]byte("data"), signature) != nil):
			t.Errorf("%s: Sign = %v, want a valid signature", test.name, err)
		}
	}
}

// Without a home folder, locus finds neither keys nor known hosts, and does not store a key that the user trusts.
func TestWithoutHome(t *testing.T) {
	t.Parallel()
	u := &sshUser{env: newEnv(t.TempDir(), nil)}
	if key, err := u.fileKey(t.Context(), "id_ed25519"); key != nil || err != nil {
		t.Errorf("fileKey = %v, %v, want no key", key, err)
	}
	if err := u.addKnownHost("h ssh-ed25519 AAAA"); err != nil {
		t.Errorf("addKnownHost = %v, want nil", err)
	}
}
