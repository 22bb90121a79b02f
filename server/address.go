package server

import (
	"net"
	"net/netip"
)

// IsLoopback reports whether at, the address of a listener, is an IP address of loopback with a port. Only programs
// on this machine can reach such a listener.
func IsLoopback(at net.Addr) bool {
	addr, err := netip.ParseAddrPort(at.String())
	return err == nil && addr.Addr().Unmap().IsLoopback()
}
