package cli

import (
	"crypto/ed25519"
	"net"
	"os"
	"path/filepath"
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
