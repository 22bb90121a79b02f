package server

import (
	"net"
	"net/http"
	"strconv"
	"sync"
)

// maxGathered is the greatest length of a response, with its header, that a gatherConn sends at once.
const maxGathered = 16 << 10

// gathered are the buffers of gatherConns.
var gathered = sync.Pool{New: func() any { return new([maxGathered]byte) }}

// A gatherConn is a connection of a client that can send a short response with one system call. net/http
// needs two: one for the header with the first bytes of the body, and one for the rest. The client would
// also wake up twice. Like the buffers of net/http, a gatherConn delays the bytes of a slow handler that does
// not flush.
//
// Between hold and release, only one goroutine may call Write.
type gatherConn struct {
	net.Conn
	held *[maxGathered]byte // the first n bytes are not sent yet; nil if Write sends at once
	n    int
}

// hold makes Write keep bytes until release, or until there are too many.
func (c *gatherConn) hold() {
	if c.held == nil {
		c.held, c.n = gathered.Get().(*[maxGathered]byte), 0
	}
}

// Write sends p, or keeps it after hold.
func (c *gatherConn) Write(p []byte) (int, error) {
	if c.held != nil && len(p) <= maxGathered-c.n {
		c.n += copy(c.held[c.n:], p)
		return len(p), nil
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// release sends the bytes that Write has kept. Then Write sends at once, until the next hold. If hold was not called
// before, release returns nil.
func (c *gatherConn) release() error {
	if c.held == nil {
		return nil
	}
	held, n := c.held, c.n
	c.held = nil
	defer gathered.Put(held)
	if n == 0 {
		return nil
	}
	_, err := c.Conn.Write(held[:n])
	return err
}

// isShort reports whether a response with the header h has a known length and may fit into a gatherConn.
func isShort(h http.Header) bool {
	n, err := strconv.Atoi(h.Get("Content-Length"))
	return err == nil && n < maxGathered
}
