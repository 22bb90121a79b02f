package errno_test

import (
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"locus/internal/errno"
)

// Is recognizes the errors of the system for an address in use, and for a refused
// connection.
func TestIs(t *testing.T) {
	l := listen(t)
	addr := l.Addr().String()
	if _, err := net.Listen("tcp", addr); !errno.Is(err, syscall.EADDRINUSE) {
		t.Errorf("an address in use: %v", err)
	}
	l.Close()
	if _, err := net.Dial("tcp", addr); !errno.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a refused connection: %v", err)
	}
	if errno.Is(nil, syscall.ECONNRESET) {
		t.Error("no error is ECONNRESET")
	}
}

// Is recognizes the error of a reset connection.
func TestIsReset(t *testing.T) {
	l := listen(t)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	server.Close() // resets the connection
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errno.Is(fmt.Errorf("read: %w", err), syscall.ECONNRESET) || errno.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a reset connection: %v", err)
	}
}

// listen returns a listener on loopback. It is closed when the test ends.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}
