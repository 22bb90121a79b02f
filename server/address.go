package server

import (
	"net"
	"net/netip"
)

// IsLoopback reports whether only this machine can reach an address of a listener: an IP address
// and a port.
func IsLoopback(at net.Addr) bool {
	addr, err := netip.ParseAddrPort(at.String())
	return err == nil && addr.Addr().Unmap().IsLoopback()
}
