//go:build !unix || aix || solaris

package rlogin

import "net"

// newWire gives a connection whose urgent data nobody sees.
func newWire(conn net.Conn) *urgentConn { return &urgentConn{Conn: conn} }
