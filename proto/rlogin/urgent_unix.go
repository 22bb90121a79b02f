//go:build unix && !aix && !solaris

package rlogin

import (
	"errors"
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// newUrgentConn returns conn as a connection that receives urgent data inline. Urgent data is
// lost if conn is not a *net.TCPConn, or if the socket option cannot be set.
func newUrgentConn(conn net.Conn) *urgentConn {
	w := &urgentConn{Conn: conn}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return w
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return w
	}
	var optErr error
	err = raw.Control(func(fd uintptr) {
		optErr = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_OOBINLINE, 1)
	})
	if err != nil || optErr != nil {
		return w
	}
	w.receive = func(p []byte) (n int, urgent bool, err error) {
		var readErr error
		err = raw.Read(func(fd uintptr) (done bool) {
			n, urgent, readErr = receive(int(fd), p)
			return !errors.Is(readErr, unix.EAGAIN)
		})
		switch {
		case err != nil:
			return 0, false, err
		case readErr != nil:
			return 0, false, &net.OpError{Op: "read", Net: "tcp", Source: conn.LocalAddr(), Addr: conn.RemoteAddr(), Err: readErr}
		case n == 0:
			return 0, false, io.EOF
		}
		return n, urgent, nil
	}
	return w
}

// receive reads into p from the socket fd without waiting, and stops before an urgent byte. urgent
// reports whether the first byte read is urgent. n is 0 at the end of the data. receive peeks at
// the first byte before it asks for the urgent mark, because data that arrive later then cannot
// change the answer.
func receive(fd int, p []byte) (n int, urgent bool, err error) {
	retry := func(do func() (int, error)) (int, error) {
		for {
			if n, err := do(); !errors.Is(err, unix.EINTR) {
				return max(n, 0), err
			}
		}
	}
	n, err = retry(func() (int, error) {
		n, _, err := unix.Recvfrom(fd, p[:1], unix.MSG_PEEK)
		return n, err
	})
	if n == 0 || err != nil {
		return 0, false, err
	}
	mark, err := unix.IoctlGetInt(fd, unix.SIOCATMARK)
	urgent = err == nil && mark != 0
	n, err = retry(func() (int, error) { return unix.Read(fd, p) })
	return n, urgent, err
}
