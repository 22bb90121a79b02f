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

func (s *session) closePassive() {
	if s.passive != nil {
		s.passive.Close()
		s.passive = nil
	}
}

// listen opens a port for a data connection, at the address of the control connection.
func (s *session) listen() (netip.AddrPort, bool) {
	s.closePassive()
	l, err := s.Listen("tcp", net.JoinHostPort(serve.Host(s.ctrl.LocalAddr()), "0"))
	if err != nil {
		s.reply(425, "No port can be opened.")
		return netip.AddrPort{}, false
	}
	addr, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		l.Close()
		s.reply(425, "No port can be opened.")
		return netip.AddrPort{}, false
	}
	s.passive = l
	return addr, true
}

func (s *session) cmdPasv(string) {
	if s.epsvOnly {
		s.reply(501, "You said EPSV ALL.")
		return
	}
	addr, ok := s.listen()
	if !ok {
		return
	}
	if !addr.Addr().Unmap().Is4() {
		s.closePassive()
		s.reply(425, "PASV is for IPv4 only: use EPSV.")
		return
	}
	ip, port := addr.Addr().Unmap().As4(), addr.Port()
	s.reply(227, fmt.Sprintf("Entering Passive Mode (%d,%d,%d,%d,%d,%d).", ip[0], ip[1], ip[2], ip[3], port>>8, port&255))
}

// cmdEpsv opens a port in the network of the control connection (RFC 2428 §3).
func (s *session) cmdEpsv(arg string) {
	protocol := "2"
	if local, err := netip.ParseAddr(serve.Host(s.ctrl.LocalAddr())); err != nil || local.Unmap().Is4() {
		protocol = "1"
	}
	switch strings.ToUpper(arg) {
	case "", protocol:
	case "ALL":
		s.epsvOnly = true
		s.reply(200, "EPSV only, then.")
		return
	default:
		s.reply(522, "Network protocol not supported, use ("+protocol+")")
		return
	}
	if addr, ok := s.listen(); ok {
		s.reply(229, fmt.Sprintf("Entering Extended Passive Mode (|||%d|)", addr.Port()))
	}
}

func (s *session) cmdAbor(string) {
	s.closePassive()
	s.reply(226, "There is nothing to abort.")
}

func (s *session) cmdRetr(arg string) {
	f, info := s.open(arg)
	if f == nil {
		return
	}
	defer f.Close()
	if _, err := io.CopyN(io.Discard, f, s.rest); err != nil {
		s.reply(554, "The file is shorter than that.")
		return
	}
	s.transfer(info.Name(), f)
}

// transfer sends r over a data connection. Meanwhile it obeys ABOR (RFC 959 §4.1.3) and
// queues a few other commands.
func (s *session) transfer(what string, r io.Reader) {
	l := s.passive
	s.passive = nil
	if l == nil {
		s.reply(425, "Use EPSV or PASV first.")
		return
	}
	defer l.Close()
	s.reply(150, "Here comes "+what+".")
	if err := s.ctrl.SetReadDeadline(time.Time{}); err != nil {
		s.quit = true
		return
	}

	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.send(ctx, l, r) }()
	aborted, err := s.during(cancel, done)
	switch {
	case err == nil:
		s.reply(226, "That was all.")
	case errors.Is(err, errNoData):
		s.reply(425, "You did not open the data connection.")
	case aborted:
		s.reply(426, "Broken off, as you wish.")
	default:
		s.reply(426, "Broken off: the data connection failed.")
	}
	if aborted {
		s.reply(226, "Aborted.")
	}
}

// during waits for the result of the transfer on done. It cancels the transfer if the
// client sends ABOR or disconnects.
func (s *session) during(cancel func(), done <-chan error) (aborted bool, err error) {
	lines := s.lines
	for {
		select {
		case err := <-done:
			return aborted, err
		case in, ok := <-lines:
			switch {
			case !ok || in.err != nil:
				s.quit = true
				cancel()
				lines = nil
			case strings.EqualFold(strings.TrimSpace(in.line), "ABOR"):
				s.Log.Line(in.line)
				aborted = true
				cancel()
			default:
				s.held = append(s.held, in.line)
			}
			if len(s.held) == mostHeld {
				lines = nil
			}
		}
	}
}

// send accepts the data connection and sends r. It stops when ctx is done.
func (s *session) send(ctx context.Context, l net.Listener, r io.Reader) error {
	c, err := s.accept(ctx, l)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if _, err := io.Copy(serve.WithIdle(c, idle), r); err != nil {
		return err
	}
	return c.Close()
}

// accept returns the first connection from the client's address; it closes others.
func (s *session) accept(ctx context.Context, l net.Listener) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	peer := serve.Host(s.ctrl.RemoteAddr())
	for {
		c, err := l.Accept()
		if err != nil {
			return nil, errNoData
		}
		if serve.Host(c.RemoteAddr()) == peer {
			return c, nil
		}
		c.Close()
	}
}

// An ascii reads r with CR LF for each LF that has no CR before it (RFC 959 §3.1.1.1).
type ascii struct {
	r    *bufio.Reader
	last byte // the last byte returned
}

func newASCII(r io.Reader) *ascii { return &ascii{r: bufio.NewReader(r)} }

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
