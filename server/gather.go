package server

import (
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// maxGathered is the greatest length of a response, with its header, that a gatherConn sends at once.
const maxGathered = 16 << 10

// gathered are the buffers of gatherConns.
var gathered = sync.Pool{New: func() any { return new([maxGathered]byte) }}

// gatherTime is how long a gatherConn keeps bytes. A slow handler must not keep its client waiting.
const gatherTime = 20 * time.Millisecond

// A gatherConn is a connection of a client that can send a short response with one system call. net/http
// needs two: one for the header with the first bytes of the body, and one for the rest. The client would
// also wake up twice.
type gatherConn struct {
	net.Conn

	mu    sync.Mutex
	held  *[maxGathered]byte // the first n bytes are not sent yet; nil if Write sends at once
	n     int
	err   error       // the error of sending after gatherTime
	timer *time.Timer // calls releaseLate after gatherTime; nil before the first hold
}

// hold makes Write keep bytes until release, until there are too many, or for gatherTime.
func (c *gatherConn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		return
	}
	c.held, c.n = gathered.Get().(*[maxGathered]byte), 0
	if c.timer == nil {
		c.timer = time.AfterFunc(gatherTime, c.releaseLate)
	} else {
		c.timer.Reset(gatherTime)
	}
}

// Write sends p or, after hold, keeps p while there is room. If bytes that it kept earlier cannot be sent, Write
// returns that error and does not send p.
func (c *gatherConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil && len(p) <= maxGathered-c.n {
		c.n += copy(c.held[c.n:], p)
		return len(p), nil
	}
	if err := c.send(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// release sends the bytes that Write has kept. Then Write sends at once, until the next hold. If the bytes were
// already sent, because gatherTime has passed, release returns the error of that. If hold was not called before,
// release returns nil.
func (c *gatherConn) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send()
}

// releaseLate sends the bytes that Write has kept. The timer calls it when gatherTime has passed since hold. The
// next Write or release returns its error.
func (c *gatherConn) releaseLate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = c.send()
}

// send sends the bytes that Write has kept, and ends the effect of hold. If releaseLate has failed, send only
// returns its error. The caller holds mu.
func (c *gatherConn) send() error {
	if c.held == nil || c.err != nil {
		return c.err
	}
	c.timer.Stop()
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
