package demo

import (
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/internal/lossy"
)

// Faults are faults between the servers and their clients, to test how clients behave. The zero
// Faults are no faults.
type Faults struct {
	Loss    float64       // share of datagrams that are lost in each direction, from 0 to 1
	Reorder float64       // share of datagrams that arrive after later ones, from 0 to 1
	Slow    time.Duration // pause before each datagram or piece of a stream that a server sends
	SwapID  bool          // the prospero server swaps the bytes of the connection id in packets that it sends again
	Cut     int64         // number of bytes from a server after which each TCP connection is closed; 0: never
}

// ParseFaults parses a list such as "loss=0.2,reorder=0.2,slow=200ms,swap-id,cut=3000000". It
// returns the zero Faults for "". The error quotes the wrong element of the list.
func ParseFaults(text string) (Faults, error) {
	var f Faults
	if text == "" {
		return f, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, hasValue := strings.Cut(part, "=")
		if err := f.set(name, value, hasValue); err != nil {
			return Faults{}, fmt.Errorf("%q: %w", part, err)
		}
	}
	return f, nil
}

// set sets the fault called name, such as "loss", to the value that value describes. hasValue says
// whether the list has a "=" after the name. The error says which names or values are wanted.
func (f *Faults) set(name, value string, hasValue bool) (err error) {
	switch name {
	case "loss":
		f.Loss, err = parseShare(value)
	case "reorder":
		f.Reorder, err = parseShare(value)
	case "slow":
		if f.Slow, err = time.ParseDuration(value); err != nil || f.Slow <= 0 {
			return errors.New("it must be a duration, such as 200ms")
		}
	case "swap-id":
		if hasValue {
			return errors.New("swap-id has no value")
		}
		f.SwapID = true
	case "cut":
		if f.Cut, err = strconv.ParseInt(value, 10, 64); err != nil || f.Cut <= 0 {
			return errors.New("it must be a number of bytes, such as 3000000")
		}
	default:
		return errors.New("it must be loss, reorder, slow, swap-id or cut")
	}
	return err
}

// parseShare parses a number from 0 to 1.
func parseShare(text string) (float64, error) {
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(share) || share < 0 || share > 1 {
		return 0, errors.New("it must be a number from 0 to 1, such as 0.2")
	}
	return share, nil
}

// listener returns a listener that uses l and gives its connections the faults of streams, Slow and
// Cut. It returns l itself if both are zero.
func (f Faults) listener(l net.Listener) net.Listener {
	if f.Slow == 0 && f.Cut == 0 {
		return l
	}
	return faultyListener{l, f}
}

type faultyListener struct {
	net.Listener
	faults Faults
}

// Accept returns the next connection, wrapped in a faultyConn.
func (l faultyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	f := &faultyConn{Conn: c, pause: newPause(l.faults.Slow), left: math.MaxInt64}
	if l.faults.Cut > 0 {
		f.left = l.faults.Cut
	}
	return f, nil
}

// A faultyConn is a connection of a server that is slow, or closes early.
type faultyConn struct {
	net.Conn
	pause *pause
	mu    sync.Mutex
	left  int64 // bytes until the connection closes
}

var errCut = errors.New("the connection is cut, as Faults.Cut says")

// Write sends p after a pause. Faults.Cut limits the bytes of all Writes to the connection
// together: the Write that exceeds the limit sends only the bytes up to it, closes the connection
// and returns errCut.
func (c *faultyConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pause.wait()
	n, err := c.Conn.Write(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if err == nil && n < len(p) {
		c.Close()
		err = errCut
	}
	return n, err
}

// CloseWrite closes the writing side. The error is errors.ErrUnsupported if the connection cannot
// do that.
func (c *faultyConn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (c *faultyConn) Close() error {
	c.pause.end()
	return c.Conn.Close()
}

// packets returns a PacketConn that uses c and has the faults of datagrams: Loss, Reorder and Slow.
// It returns c itself if all three are zero.
func (f Faults) packets(c net.PacketConn) net.PacketConn {
	if f.Slow == 0 && f.Loss == 0 && f.Reorder == 0 {
		return c
	}
	n := lossy.Network{Loss: f.Loss, Reorder: f.Reorder}
	return &faultyPackets{PacketConn: c, out: lossy.NewLink(n), in: lossy.NewLink(lossy.Network{Seed: 1, Loss: f.Loss}), pause: newPause(f.Slow)}
}

// A faultyPackets loses and delays datagrams.
type faultyPackets struct {
	net.PacketConn
	out, in *lossy.Link
	pause   *pause
}

// ReadFrom returns the next datagram that is not lost.
func (c *faultyPackets) ReadFrom(p []byte) (n int, from net.Addr, err error) {
	for {
		n, from, err = c.PacketConn.ReadFrom(p)
		if err != nil {
			return n, from, err
		}
		arrived := false
		c.in.Pass(p[:n], func([]byte) { arrived = true })
		if arrived {
			return n, from, nil
		}
	}
}

// WriteTo sends p after a pause, unless p is to be lost. It may send p later than the datagrams
// that follow. It always reports success.
func (c *faultyPackets) WriteTo(p []byte, to net.Addr) (int, error) {
	c.pause.wait()
	c.out.Pass(p, func(d []byte) { _, _ = c.PacketConn.WriteTo(d, to) })
	return len(p), nil
}

func (c *faultyPackets) Close() error {
	c.pause.end()
	return c.PacketConn.Close()
}

// A pause makes its callers wait for a duration, until end is called.
type pause struct {
	duration time.Duration
	ended    chan struct{}
	once     sync.Once
}

// newPause returns a pause of the duration d. A pause of 0 never waits.
func newPause(d time.Duration) *pause { return &pause{duration: d, ended: make(chan struct{})} }

// wait waits for the duration of the pause, or until the connection is closed.
func (p *pause) wait() {
	if p.duration == 0 {
		return
	}
	select {
	case <-time.After(p.duration):
	case <-p.ended:
	}
}

// end ends the waiting, of present and of later callers.
func (p *pause) end() { p.once.Do(func() { close(p.ended) }) }
