package cleartext_test

import (
	"errors"
	"net"
	"testing"

	"locus/access"
	"locus/proto/internal/cleartext"
)

// An end is the address of the other side of a connection.
type end struct {
	net.Conn
	address string
}

func (e end) RemoteAddr() net.Addr { return e }
func (e end) Network() string      { return "tcp" }
func (e end) String() string       { return e.address }

func TestIsLocal(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:25": true, "127.9.9.9:1": true, "[::1]:25": true, "[::ffff:127.0.0.1]:25": true,
		"192.0.2.1:25": false, "[2001:db8::1]:25": false, "[::ffff:192.0.2.1]:25": false, "0.0.0.0:25": false,
		"pipe": false, "": false, "localhost:25": false,
	} {
		if got := cleartext.IsLocal(end{address: address}); got != want {
			t.Errorf("IsLocal(%q) = %v, want %v", address, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	err := cleartext.Refused("do this")
	if !errors.Is(err, cleartext.ErrPassword) || access.Hint(err) != "do this" || err.Error() != cleartext.ErrPassword.Error() {
		t.Errorf("Refused = %v, hint %q", err, access.Hint(err))
	}
}
