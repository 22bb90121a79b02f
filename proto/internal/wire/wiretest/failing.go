package wiretest

import (
	"context"
	"errors"
	"net"
	"sync"

	"locus/proto"
)

// FailWrites returns a Dial like dial, whose connections fail in Write with a connection reset after they have sent
// limit bytes. Read still works, because the answer of a server may arrive before the reset. The channel is closed when
// the first Write fails.
func FailWrites(dial proto.Dial, limit int) (failing proto.Dial, failed <-chan struct{}) {
	c := make(chan struct{})
	fail := sync.OnceFunc(func() { close(c) })
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &failingConn{Conn: conn, left: limit, fail: fail}, nil
	}, c
}

// A failingConn is a connection whose Write fails after left bytes.
type failingConn struct {
	net.Conn
	left int
	fail func() // is called when Write fails
}

// Write sends at most left bytes of p. If p has more bytes, or the server has closed the connection, the error is a
// connection reset.
func (c *failingConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p[:min(len(p), c.left)])
	c.left -= n
	if err == nil && n == len(p) {
		return n, nil
	}
	c.fail()
	return n, &net.OpError{Op: "write", Net: "tcp", Err: errors.New("connection reset by peer")}
}
