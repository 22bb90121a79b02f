package locus

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"syscall"

	"locus/internal/errno"
)

// Servers of rlogin and of some RPC programs accept only these ports, because only root may
// use them.
const leastLowPort, mostLowPort = 512, 1023

// DialLow returns a function that connects over TCP from a local port from 512 to 1023, as
// rlogin.Client needs it. It tries them in a random order until one is free. It uses a copy
// of d with another LocalAddr. On many systems only root may use these ports; the error for
// other users wraps fs.ErrPermission.
func DialLow(d net.Dialer) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		for _, i := range rand.Perm(mostLowPort - leastLowPort + 1) {
			d := d
			d.LocalAddr = &net.TCPAddr{Port: leastLowPort + i}
			conn, err := d.DialContext(ctx, network, address)
			if !isTaken(err) {
				return conn, err
			}
		}
		return nil, errors.New("every port from 512 to 1023 is in use")
	}
}

// isTaken reports whether err says that a port is in use.
func isTaken(err error) bool {
	return errno.Is(err, syscall.EADDRINUSE) || errno.Is(err, syscall.EADDRNOTAVAIL)
}
