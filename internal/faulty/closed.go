package faulty

import (
	"net"
	"testing"
)

// Closed returns an address on loopback, a host and a port, where connections are
// refused for as long as the test runs. The port is that of one end of a
// connection: nobody else can come to listen there meanwhile, as could be at that
// of a listener that was closed.
func Closed(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	return near.LocalAddr().String()
}
