package mail

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A remoteConn is a connection to remote, whose input is in Reader. It discards its output.
type remoteConn struct {
	net.Conn
	io.Reader
	remote net.TCPAddr
}

func (c *remoteConn) Read(p []byte) (int, error)  { return c.Reader.Read(p) }
func (c *remoteConn) Write(p []byte) (int, error) { return len(p), nil }
func (c *remoteConn) RemoteAddr() net.Addr        { return &c.remote }

func (c *remoteConn) SetReadDeadline(time.Time) error  { return nil }
func (c *remoteConn) SetWriteDeadline(time.Time) error { return nil }

// A password is sent unencrypted only to this machine, or if that is allowed.
func TestCleartext(t *testing.T) {
	for _, test := range []struct {
		remote   string
		security access.Security
		want     bool // allowed
	}{
		{"192.0.2.1", access.OpportunisticTLS, false},
		{"192.0.2.1", access.RequireTLS, false},
		{"192.0.2.1", access.NeverTLS, true},
		{"127.0.0.1", access.OpportunisticTLS, true},
		{"127.0.0.1", access.RequireTLS, false},
		{"::1", access.OpportunisticTLS, true},
		{"::ffff:127.0.0.1", access.OpportunisticTLS, true},
		{"2001:db8::1", access.OpportunisticTLS, false},
	} {
		remote := net.TCPAddr{IP: net.ParseIP(test.remote), Port: 587}
		for _, user := range []string{"", "ada"} {
			conn := wire.Dialer{Security: test.security}.Wrap(context.Background(), &remoteConn{Reader: strings.NewReader("220 hello\r\n250 h\r\n"), remote: remote})
			smtp := &smtpConn{SMTP: SMTP{User: user, Security: test.security}, conn: conn, replies: reply.NewConn(conn)}
			want := test.want || user == "" && test.security != access.RequireTLS
			if err := smtp.hello(); (err == nil) != want {
				t.Errorf("hello of %q to %s, TLS %v: %v", user, test.remote, test.security, err)
			}
		}
	}
}

// The default ports are the ports that IANA assigns.
func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		port       uint16
		implicit   bool
		imap, smtp string
	}{
		{0, false, "h:143", "h:587"}, {0, true, "h:993", "h:465"}, {1, false, "h:1", "h:1"}, {143, true, "h:143", "h:143"},
	} {
		imap, smtp := IMAP{Host: "h", Port: test.port, Implicit: test.implicit}.address(), SMTP{Host: "h", Port: test.port, Implicit: test.implicit}.address()
		if imap != test.imap || smtp != test.smtp {
			t.Errorf("port %d, implicit %v is %s and %s, want %s and %s", test.port, test.implicit, imap, smtp, test.imap, test.smtp)
		}
	}
	if got := (IMAP{Host: "2001:db8::1"}).address(); got != "[2001:db8::1]:143" {
		t.Errorf("an address of IPv6 is %s", got)
	}
}
