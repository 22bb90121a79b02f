package rlogin

import "net"

// An urgentConn is a connection on which urgent data come among the others.
type urgentConn struct {
	net.Conn
	receive func(p []byte) (n int, urgent bool, err error) // nil: there are none
	urgent  bool                                           // the first octet of the last Read is
}

// Read reads up to where urgent data begin. It is for one goroutine.
func (w *urgentConn) Read(p []byte) (n int, err error) {
	if w.receive == nil || len(p) == 0 {
		return w.Conn.Read(p)
	}
	n, w.urgent, err = w.receive(p)
	w.urgent = w.urgent && n > 0
	return n, err
}
