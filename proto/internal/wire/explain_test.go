package wire_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"locus/proto/internal/wire"
)

func TestPlain(t *testing.T) {
	refused := &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}
	at := func(address string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)) }
	other := errors.New("blocked")
	for _, test := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Addr: at("192.0.2.1:21"), Err: refused}, "connection refused (192.0.2.1:21)"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: refused}, "connection refused"},
		{&net.OpError{Op: "read", Net: "udp", Err: &os.SyscallError{Syscall: "read", Err: syscall.ECONNREFUSED}}, "connection refused"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "h", Server: "192.0.2.53:53", IsNotFound: true, Err: "no such host"}}, "no such host"},
		{&net.DNSError{Name: "h", Server: "192.0.2.53:53", IsTimeout: true, Err: "i/o timeout"}, "the name server does not answer"},
		{&net.DNSError{Name: "h", Err: "server misbehaving"}, "server misbehaving"},
		{&net.DNSError{Name: "proxy", IsNotFound: true}, "no such host (proxy)"},
		{other, "blocked"},
		{fmt.Errorf("through the proxy p: %w", &net.DNSError{Name: "h", IsNotFound: true, Err: "no such host"}), "through the proxy p: lookup h: no such host"},
		{&net.OpError{Op: "socks connect", Net: "tcp", Err: other}, "socks connect tcp: blocked"},
	} {
		got := wire.Plain(test.err, "h:21")
		if got.Error() != test.want || !errors.Is(got, test.err) {
			t.Errorf("Plain(%v) = %v, want %q", test.err, got, test.want)
		}
	}
	if got := wire.Plain(&net.OpError{Op: "dial", Addr: at("192.0.2.1:21"), Err: refused}, "192.0.2.1:21"); got.Error() != "connection refused" || !errors.Is(got, syscall.ECONNREFUSED) {
		t.Errorf("Plain = %v, want no address, as it is known", got)
	}
}
