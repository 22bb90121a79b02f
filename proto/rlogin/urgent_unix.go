//go:build unix && !aix && !solaris

package rlogin

import (
	"errors"
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// newWire lets urgent data come inline, if conn is one of TCP.
func newWire(conn net.Conn) *urgentConn {
	w := &urgentConn{Conn: conn}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return w
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return w
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_OOBINLINE, 1)
	})
	if err != nil || refused != nil {
		return w
	}
	w.receive = func(p []byte) (n int, urgent bool, err error) {
		var failed error
		err = raw.Read(func(fd uintptr) (done bool) {
			n, urgent, failed = receive(int(fd), p)
			return !errors.Is(failed, unix.EAGAIN)
		})
		switch {
		case err != nil:
			return 0, false, err
		case failed != nil:
			return 0, false, &net.OpError{Op: "read", Net: "tcp", Source: conn.LocalAddr(), Addr: conn.RemoteAddr(), Err: failed}
		case n == 0:
			return 0, false, io.EOF
		}
		return n, urgent, nil
	}
	return w
}

// receive reads what has arrived, but not past an urgent octet that is not the
// first. Whether that is urgent is asked when it is there, and before it is
// taken: what comes later is behind it.
func receive(fd int, p []byte) (n int, urgent bool, err error) {
	again := func(do func() (int, error)) (int, error) {
		for {
			if n, err := do(); !errors.Is(err, unix.EINTR) {
				return max(n, 0), err
			}
		}
	}
	n, err = again(func() (int, error) {
		n, _, err := unix.Recvfrom(fd, p[:1], unix.MSG_PEEK)
		return n, err
	})
	if n == 0 || err != nil {
		return 0, false, err
	}
	mark, err := unix.IoctlGetInt(fd, unix.SIOCATMARK)
	urgent = err == nil && mark != 0
	n, err = again(func() (int, error) { return unix.Read(fd, p) })
	return n, urgent, err
}
