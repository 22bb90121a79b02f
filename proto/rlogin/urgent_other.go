//go:build !unix || aix || solaris

package rlogin

import "net"

// newWire returns a connection that loses urgent data.
func newWire(conn net.Conn) *urgentConn { return &urgentConn{Conn: conn} }
