package ftpd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

var errNoData = errors.New("no data connection")

// closePassive closes the port for a data connection, if one is open.
func (c *conn) closePassive() {
	if c.passive != nil {
		c.passive.Close()
		c.passive = nil
	}
}

// listen opens a port for a data connection, at the address of the control connection, and returns
// its address. It closes the port that was open before. If it cannot open a port, it replies 425
// and returns false.
func (c *conn) listen() (netip.AddrPort, bool) {
	c.closePassive()
	l, err := c.Listen("tcp", net.JoinHostPort(serve.Host(c.ctrl.LocalAddr()), "0"))
	if err != nil {
		c.reply(425, "No port can be opened.")
		return netip.AddrPort{}, false
	}
	addr, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		l.Close()
		c.reply(425, "No port can be opened.")
		return netip.AddrPort{}, false
	}
	c.passive = l
	return addr, true
}

// cmdPasv opens a port for a data connection over IPv4, and replies with its address. After EPSV ALL,
// and over IPv6, it replies with an error.
func (c *conn) cmdPasv(string) {
	if c.epsvOnly {
		c.reply(501, "You said EPSV ALL.")
		return
	}
	addr, ok := c.listen()
	if !ok {
		return
	}
	if !addr.Addr().Unmap().Is4() {
		c.closePassive()
		c.reply(425, "PASV is for IPv4 only: use EPSV.")
		return
	}
	ip, port := addr.Addr().Unmap().As4(), addr.Port()
	c.reply(227, fmt.Sprintf("Entering Passive Mode (%d,%d,%d,%d,%d,%d).", ip[0], ip[1], ip[2], ip[3], port>>8, port&255))
}

// cmdEpsv opens a port for a data connection in the network of the control connection, and replies
// with its number (RFC 2428 §3). For EPSV ALL it only makes the server refuse PASV.
func (c *conn) cmdEpsv(arg string) {
	protocol := "2"
	if local, err := netip.ParseAddr(serve.Host(c.ctrl.LocalAddr())); err != nil || local.Unmap().Is4() {
		protocol = "1"
	}
	switch strings.ToUpper(arg) {
	case "", protocol:
	case "ALL":
		c.epsvOnly = true
		c.reply(200, "EPSV only, then.")
		return
	default:
		c.reply(522, "Network protocol not supported, use ("+protocol+")")
		return
	}
	if addr, ok := c.listen(); ok {
		c.reply(229, fmt.Sprintf("Entering Extended Passive Mode (|||%d|)", addr.Port()))
	}
}

// cmdAbor answers ABOR outside a transfer: it closes the port for a data connection.
func (c *conn) cmdAbor(string) {
	c.closePassive()
	c.reply(226, "There is nothing to abort.")
}

// cmdRetr sends a file, from the offset of REST on.
func (c *conn) cmdRetr(arg string) {
	f, info := c.open(arg)
	if f == nil {
		return
	}
	defer f.Close()
	if _, err := io.CopyN(io.Discard, f, c.rest); err != nil {
		c.reply(554, "The file is shorter than that.")
		return
	}
	c.transfer(info.Name(), f)
}

// transfer sends r over a data connection, and the replies before and after it. what names r in the
// reply. If no port for a data connection is open, it only replies 425. During the transfer it
// obeys ABOR (RFC 959 §4.1.3), and holds other commands back for later.
func (c *conn) transfer(what string, r io.Reader) {
	l := c.passive
	c.passive = nil
	if l == nil {
		c.reply(425, "Use EPSV or PASV first.")
		return
	}
	defer l.Close()
	c.reply(150, "Here comes "+what+".")
	if err := c.ctrl.SetReadDeadline(time.Time{}); err != nil {
		c.quit = true
		return
	}

	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	done := make(chan error, 1)
	from := &source{Reader: r}
	go func() { done <- c.send(ctx, l, from) }()
	aborted, err := c.waitForTransfer(cancel, done)
	switch {
	case err == nil:
		c.reply(226, "That was all.")
	case errors.Is(err, errNoData):
		c.reply(425, "You did not open the data connection.")
	case aborted:
		c.reply(426, "Broken off, as you wish.")
	case from.err != nil:
		c.reply(451, "Broken off: the file cannot be read.")
	default:
		c.reply(426, "Broken off: the data connection failed.")
	}
	if aborted {
		c.reply(226, "Aborted.")
	}
}

// waitForTransfer waits for the result of the transfer on done, and returns it as err. It cancels
// the transfer if the client sends ABOR or disconnects. aborted is true after ABOR; a disconnection
// sets c.quit. It keeps other commands in c.held.
func (c *conn) waitForTransfer(cancel func(), done <-chan error) (aborted bool, err error) {
	lines := c.lines
	for {
		select {
		case err := <-done:
			return aborted, err
		case in, ok := <-lines:
			switch {
			case !ok || in.err != nil:
				c.quit = true
				cancel()
				lines = nil
			case strings.EqualFold(strings.TrimSpace(in.line), "ABOR"):
				c.Log.Line(in.line)
				aborted = true
				cancel()
			default:
				c.held = append(c.held, in.line)
			}
			if len(c.held) == mostHeld {
				lines = nil
			}
		}
	}
}

// send accepts the data connection at l, sends r and closes the connection. It stops when ctx is
// done. The error is errNoData if the client does not connect.
func (c *conn) send(ctx context.Context, l net.Listener, r io.Reader) error {
	data, err := c.accept(ctx, l)
	if err != nil {
		return err
	}
	defer data.Close()
	defer context.AfterFunc(ctx, func() { data.Close() })()
	if _, err := io.Copy(serve.WithIdle(data, idle), r); err != nil {
		return err
	}
	return data.Close()
}

// accept returns the first connection at l from the client's address. It closes connections from
// other addresses, because they may come from strangers. The error is errNoData if the client does
// not connect within idle, or before ctx is done.
func (c *conn) accept(ctx context.Context, l net.Listener) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	peer := serve.Host(c.ctrl.RemoteAddr())
	for {
		data, err := l.Accept()
		if err != nil {
			return nil, errNoData
		}
		if serve.Host(data.RemoteAddr()) == peer {
			return data, nil
		}
		data.Close()
	}
}

// A source keeps the error of its Reader, so that transfer can tell it from an error of the data
// connection.
type source struct {
	io.Reader
	err error // not io.EOF
}

// Read reads from the Reader and stores its error.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != io.EOF {
		s.err = err
	}
	return n, err
}

// An ascii reads r, with CR LF for each LF that does not follow a CR (RFC 959 §3.1.1.1).
type ascii struct {
	r    *bufio.Reader
	last byte // the last byte returned
}

// newASCII returns an ascii that reads r.
func newASCII(r io.Reader) *ascii { return &ascii{r: bufio.NewReader(r)} }

// Read reads from r, and puts a CR before each LF that does not follow a CR.
func (a *ascii) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		c, err := a.r.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		if c == '\n' && a.last != '\r' {
			if err := a.r.UnreadByte(); err != nil {
				return n, err
			}
			c = '\r'
		}
		p[n], a.last = c, c
		n++
	}
	return n, nil
}
