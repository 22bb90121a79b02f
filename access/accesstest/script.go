package accesstest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// A Script has the steps of a server on one connection. After the last step the server
// closes it.
type Script []Step

// A Step is one step of a script. If it returns an error the test fails and the
// connection is closed; [io.EOF] ends the script without an error.
type Step func(*Conn) error

// A Conn is the server's end of a scripted connection. It receives bytes as soon as the
// client sends them, so a Write of the client never blocks.
type Conn struct {
	*bufio.Reader // the bytes of the client, and [io.EOF] after it has closed
	conn          net.Conn

	mu       sync.Mutex
	arrived  *sync.Cond
	received []byte // all that the client sent
	read     int    // how much of it the Reader has
	ended    bool   // the client has closed, or the server has
}

// newConn returns the server's end of a connection. The caller starts pump.
func newConn(conn net.Conn) *Conn {
	c := &Conn{conn: conn}
	c.arrived = sync.NewCond(&c.mu)
	c.Reader = bufio.NewReader(readerFunc(c.readReceived))
	return c
}

// pump receives the bytes of the client until the connection is closed.
func (c *Conn) pump() {
	buf := make([]byte, 4096)
	for {
		n, err := c.conn.Read(buf)
		c.mu.Lock()
		c.received = append(c.received, buf[:n]...)
		c.ended = err != nil
		c.arrived.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// readReceived is the Read method under c.Reader. It waits until the client has sent bytes that
// were not read. It returns io.EOF after the connection is closed and all bytes are read.
func (c *Conn) readReceived(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.read == len(c.received) {
		if c.ended {
			return 0, io.EOF
		}
		c.arrived.Wait()
	}
	n := copy(p, c.received[c.read:])
	c.read += n
	return n, nil
}

// Write sends bytes to the client. It fails with [io.EOF] if the client has
// closed the connection.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.conn.Write(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.EOF
	}
	return n, err
}

// sent returns all bytes that the client has sent so far.
func (c *Conn) sent() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.received)
}

// Expect is the step in which the client sends exactly text.
func Expect(text string) Step {
	return func(c *Conn) error {
		got := make([]byte, len(text))
		n, err := io.ReadFull(c, got)
		if err != nil || string(got) != text {
			return fmt.Errorf("the client sent %q, want %q", got[:n], text)
		}
		return nil
	}
}

// Send is the step in which the server sends text. If the client has closed
// the connection the script ends there.
func Send(text string) Step {
	return func(c *Conn) error {
		_, err := io.WriteString(c, text)
		return err
	}
}

// SendBytes is the step in which the server sends text byte by byte, as a network may.
func SendBytes(text string) Step {
	return func(c *Conn) error {
		for i := range len(text) {
			if _, err := io.WriteString(c, text[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
}

// SendForever is the step in which the server sends text again and again, until
// the client closes the connection.
func SendForever(text string) Step {
	chunk := []byte(strings.Repeat(text, 1+32<<10/len(text)))
	return func(c *Conn) error {
		for {
			if _, err := c.Write(chunk); err != nil {
				return err
			}
		}
	}
}

// Stall is the step in which the server stays silent until the client closes the
// connection.
func Stall() Step {
	return func(c *Conn) error {
		_, err := io.Copy(io.Discard, c)
		return err
	}
}

// Converse is the step in which the server answers each line of the client, without its
// CR LF, by calling reply. It ends when reply returns false or the client closes.
func Converse(reply func(line string) (answer string, more bool)) Step {
	return func(c *Conn) error {
		for {
			line, err := c.ReadString('\n')
			if err != nil {
				return err
			}
			answer, more := reply(strings.TrimRight(line, "\r\n"))
			if _, err := io.WriteString(c, answer); err != nil || !more {
				return err
			}
		}
	}
}
