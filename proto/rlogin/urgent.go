package rlogin

import "net"

// An urgentConn is a connection that receives urgent data inline.
type urgentConn struct {
	net.Conn
	receive  func(p []byte) (n int, isUrgent bool, err error) // nil: urgent data is lost
	isUrgent bool                                             // the first byte of the last Read was urgent
}

// Read stops before urgent data. Only one goroutine may call it.
func (w *urgentConn) Read(p []byte) (n int, err error) {
	if w.receive == nil || len(p) == 0 {
		return w.Conn.Read(p)
	}
	n, w.isUrgent, err = w.receive(p)
	w.isUrgent = w.isUrgent && n > 0
	return n, err
}
