package cli

import (
	"crypto/ed25519"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

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
