package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// mostGathered is how many octets an answer has at most that leaves in one piece
// with its head.
const mostGathered = 8 << 10

var gatherers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, mostGathered+4<<10) }}

// A gathering is a client's connection that can hold back what is written until
// there is all of it: net/http sends a head and more than 4 KiB in two pieces, each
// of which costs a system call and wakes the client.
//
// Only who answers the request gathers and sends; over TLS nothing is gathered, as
// that may write by itself.
type gathering struct {
	*net.TCPConn
	held *bufio.Writer // nil: nothing is held back
}

// gather holds back what is written from now on. The caller calls send.
func (c *gathering) gather() {
	if c.held == nil {
		c.held = gatherers.Get().(*bufio.Writer)
		c.held.Reset(c.TCPConn)
	}
}

// send writes what was held back. From now on nothing is. If that fails it ends the
// connection: nothing is to come behind the gap.
func (c *gathering) send() error {
	if c == nil || c.held == nil {
		return nil
	}
	held := c.held
	c.held = nil
	err := held.Flush()
	held.Reset(nil)
	gatherers.Put(held)
	if err != nil {
		c.Close()
	}
	return err
}

func (c *gathering) Write(p []byte) (int, error) {
	if c.held != nil {
		return c.held.Write(p)
	}
	return c.TCPConn.Write(p)
}

// ReadFrom is for what is too much to be held back.
func (c *gathering) ReadFrom(r io.Reader) (int64, error) {
	if err := c.send(); err != nil {
		return 0, err
	}
	return c.TCPConn.ReadFrom(r)
}

// gatheringListener is a listener whose connections can gather.
type gatheringListener struct{ net.Listener }

func (l gatheringListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &gathering{TCPConn: tcp}, err
	}
	return c, err
}

type gatheringKey struct{}

// withGathering is the ConnContext of a server.
func withGathering(ctx context.Context, c net.Conn) context.Context {
	if g, ok := c.(*gathering); ok {
		return context.WithValue(ctx, gatheringKey{}, g)
	}
	return ctx
}

// gatheringOf returns the connection that r came on; nil if it cannot gather.
func gatheringOf(r *http.Request) *gathering {
	g, _ := r.Context().Value(gatheringKey{}).(*gathering)
	return g
}

// isSmall reports whether an answer with this header has few octets.
func isSmall(h http.Header) bool {
	length := h["Content-Length"]
	if len(length) != 1 {
		return false
	}
	n, err := strconv.Atoi(length[0])
	return err == nil && n <= mostGathered
}
