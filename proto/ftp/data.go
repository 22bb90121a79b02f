package ftp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// transfer sends a transfer command, starting at offset. It returns the data
// connection and the first reply. If that is 2yz, no other reply follows. In
// passive mode it connects before the command; in active mode the server
// connects after it.
func (s *session) transfer(command string, offset int64) (data *wire.Conn, first access.Reply, err error) {
	var listener net.Listener
	if s.client.Listen == nil {
		data, err = s.dialPassive()
	} else {
		listener, err = s.listenActive()
	}
	if err != nil {
		return nil, first, err
	}
	if listener != nil {
		defer listener.Close()
	}
	if first, err = s.startTransfer(command, offset); err == nil {
		if listener != nil {
			data, err = s.accept(listener)
		}
		if err == nil && s.conn.IsTLS() && !s.clearData {
			err = secureData(data)
		}
		if err != nil {
			s.broken = true // the transfer continues, or ends, without us
		}
	}
	if err != nil && data != nil {
		data.Close()
	}
	return data, first, err
}

func (s *session) startTransfer(command string, offset int64) (access.Reply, error) {
	if offset > 0 {
		r, err := s.do("REST " + strconv.FormatInt(offset, 10))
		if err != nil {
			return r, err
		}
		if r.Code != 350 {
			return r, s.replies.Refused(r, errors.ErrUnsupported)
		}
	}
	first, err := s.sendTransfer(command)
	if err == nil && first.Code == 532 && s.client.Account != "" && !s.accountSent {
		if err := s.sendAccount(); err != nil {
			return first, err
		}
		return s.startTransfer(command, offset)
	}
	// QUIRK: servers answer 226 at once, without a 150, if there is little to
	// send.
	if err == nil && first.Code/100 != 2 {
		err = s.expect(first, 1)
	}
	if err != nil && offset > 0 {
		s.broken = true // REST may apply to the next transfer
	}
	return first, err
}

// sendTransfer sends a transfer command and returns its first reply. The
// pending queries go out with it, and the EPSV of the next transfer if the
// server takes that. Each saves a round trip.
func (s *session) sendTransfer(command string) (access.Reply, error) {
	s.transferCount++
	before, early := s.pendingQueries, s.sendsEPSVEarly()
	s.pendingQueries = nil
	commands := append(commandsOf(before), command)
	if early {
		commands = append(commands, "EPSV")
	}
	if err := s.send(commands...); err != nil {
		return access.Reply{}, err
	}
	if err := s.readReplies(before); err != nil {
		return access.Reply{}, err
	}
	s.epsvPending = early
	return s.read()
}

// sendsEPSVEarly reports whether the EPSV of the next transfer is sent with
// this one.
//
// QUIRK: vsftpd reads that EPSV after the transfer. Other servers read commands
// during a transfer, and proftpd then refuses EPSV.
func (s *session) sendsEPSVEarly() bool {
	return s.vsftpd && !s.noEPSV && s.client.Listen == nil && s.transferCount > 1
}

// dialPassive connects for data. It dials the host of the control connection,
// whatever host the server names.
func (s *session) dialPassive() (*wire.Conn, error) {
	if err := s.readPendingEPSV(); err != nil {
		return nil, err
	}
	if port := s.nextDataPort; port != 0 {
		s.nextDataPort = 0
		if conn, err := s.dialData(port); err == nil || s.ctx.Err() != nil {
			return conn, err
		} // that port is closed: the connection was idle too long
	}
	port, err := s.askPort()
	if err != nil {
		return nil, err
	}
	return s.dialData(port)
}

// dataContext returns the context of data connections, which no Tap sees: what goes over
// them is the resource itself.
func (s *session) dataContext() context.Context { return access.WithTap(s.ctx, nil) }

func (s *session) dialData(port uint16) (*wire.Conn, error) {
	address := net.JoinHostPort(s.dataHost(), strconv.Itoa(int(port)))
	conn, err := s.dataDialer.DialTCP(s.dataContext(), address)
	if err != nil {
		return nil, fmt.Errorf("no data connection: %w", err)
	}
	return conn, nil
}

// askPort asks for a port with EPSV (RFC 2428 §3), else PASV.
func (s *session) askPort() (uint16, error) {
	if !s.noEPSV {
		r, err := s.do("EPSV")
		if err != nil {
			return 0, err
		}
		if r.Code == 229 {
			return s.checkPort(r, parseEPSV(r.Text))
		}
		s.noEPSV = true
	}
	r, err := s.do("PASV")
	if err != nil {
		return 0, err
	}
	if r.Code != 227 {
		return 0, s.refusal(r)
	}
	return s.checkPort(r, parsePASV(r.Text))
}

// checkPort fails if the port in a reply is missing or below 1024. Those belong
// to other services.
func (s *session) checkPort(r access.Reply, port uint16) (uint16, error) {
	if port < 1024 {
		return 0, s.replies.Refused(r, errNoPort)
	}
	return port, nil
}

// dataHost returns the host at the other end of the control connection.
func (s *session) dataHost() string {
	if peer, ok := addrPort(s.conn.RemoteAddr()); ok {
		return peer.Addr().String()
	}
	return s.view.Host.Name
}

func addrPort(addr net.Addr) (netip.AddrPort, bool) {
	if addr == nil {
		return netip.AddrPort{}, false
	}
	a, err := netip.ParseAddrPort(addr.String())
	return a, err == nil
}

// parseEPSV reads the port in "Entering Extended Passive Mode (|||6446|)". Any
// printable byte may replace "|". It returns 0 if there is none.
func parseEPSV(text string) uint16 {
	_, rest, _ := strings.Cut(text, "(")
	if rest == "" {
		return 0
	}
	fields := strings.Split(rest, rest[:1])
	if len(fields) < 5 {
		return 0
	}
	port, err := strconv.ParseUint(fields[3], 10, 16)
	if err != nil {
		return 0
	}
	return uint16(port)
}

// pasvPattern is the address in a reply to PASV.
var pasvPattern = regexp.MustCompile(`\d{1,3}(?:,\d{1,3}){3},(\d{1,3}),(\d{1,3})`)

// parsePASV reads the port in "Entering Passive Mode (127,0,0,1,143,157)". It
// returns 0 if there is none.
//
// QUIRK: RFC 959 does not say where in the text the numbers are, or that they
// are in parentheses (RFC 1123 §4.1.2.6).
func parsePASV(text string) uint16 {
	m := pasvPattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	high, errHigh := strconv.ParseUint(m[1], 10, 8)
	low, errLow := strconv.ParseUint(m[2], 10, 8)
	if errHigh != nil || errLow != nil {
		return 0
	}
	return uint16(high<<8 | low)
}

// listenActive listens for data at the local address of the control connection.
// It sends the address to the server with EPRT (RFC 2428 §2), else PORT.
func (s *session) listenActive() (net.Listener, error) {
	local, ok := addrPort(s.conn.LocalAddr())
	if !ok {
		return nil, access.Reason("active mode: the local address is unknown", errors.ErrUnsupported)
	}
	l, err := s.client.Listen(s.ctx, "tcp", netip.AddrPortFrom(local.Addr(), 0).String())
	if err != nil {
		return nil, fmt.Errorf("active mode: %w", err)
	}
	if err := s.sendAddress(l.Addr()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (s *session) sendAddress(to net.Addr) error {
	at, ok := addrPort(to)
	if !ok {
		return fmt.Errorf("active mode: the address %q cannot be sent: %w", to, errors.ErrUnsupported)
	}
	ip := at.Addr().Unmap().WithZone("")
	family := 2
	if ip.Is4() {
		family = 1
	}
	r, err := s.do(fmt.Sprintf("EPRT |%d|%s|%d|", family, ip, at.Port()))
	if err != nil || reply.Is(r, 2) || !ip.Is4() {
		return errors.Join(err, s.expect(r, 2))
	}
	b := ip.As4()
	return s.doExpect(2, fmt.Sprintf("PORT %d,%d,%d,%d,%d,%d", b[0], b[1], b[2], b[3], at.Port()>>8, at.Port()&255))
}

// accept waits for the server to connect, up to the idle limit. It closes
// connections from other hosts.
func (s *session) accept(l net.Listener) (*wire.Conn, error) {
	limit := s.dataDialer.IdleLimit()
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	server, _ := addrPort(s.conn.RemoteAddr())
	for {
		conn, err := l.Accept()
		if err != nil && s.ctx.Err() == nil && ctx.Err() != nil {
			return nil, &wire.IdleError{Did: "opened no data connection", Limit: limit}
		}
		if err != nil {
			return nil, fmt.Errorf("the server opened no data connection: %w", s.cause(err))
		}
		if from, ok := addrPort(conn.RemoteAddr()); ok && from.Addr().Unmap() == server.Addr().Unmap() {
			return s.dataDialer.Wrap(s.dataContext(), conn), nil
		}
		conn.Close()
	}
}
