package server_test

import (
	"net"
	"net/netip"
	"testing"

	"locus/server"
)

func TestIsLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:1738": true, "127.8.8.8:1": true, "[::1]:1738": true, "[::ffff:127.0.0.1]:1738": true,
		"0.0.0.0:1738": false, "[::]:1738": false, "192.0.2.1:1738": false, "[2001:db8::1]:1": false,
	} {
		if got := server.IsLoopback(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))); got != want {
			t.Errorf("IsLoopback(%s) = %v, want %v", address, got, want)
		}
	}
	if server.IsLoopback(&net.UnixAddr{Name: "socket", Net: "unix"}) {
		t.Error("IsLoopback of a Unix socket = true, want false")
	}
}
