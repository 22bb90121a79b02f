//go:build !unix || aix || solaris

package rlogin

import "net"

// newUrgentConn returns a connection that loses urgent data, because this
// system cannot report it.
func newUrgentConn(conn net.Conn) *urgentConn { return &urgentConn{Conn: conn} }
