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

// A passage is how the data connection of a transfer will come about: it is
// there already, or the server makes it once the command has been sent.
type passage struct {
	conn     *wire.Conn   // nil in active mode
	listener net.Listener // nil in passive mode
}

func (p passage) close() {
	if p.conn != nil {
		p.conn.Close()
	}
	if p.listener != nil {
		p.listener.Close()
	}
}

// transfer sends a command that moves data, from offset on, and returns the data
// connection and the first reply. If that is 2yz no other comes at the end.
func (s *session) transfer(command string, offset int64) (data *wire.Conn, first access.Reply, err error) {
	p, err := s.passage()
	if err != nil {
		return nil, first, err
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if first, err = s.order(command, offset); err != nil {
		return nil, first, err
	}
	data, err = s.through(p)
	if err != nil {
		s.spoilt = true // the transfer goes on, or ends, without us
	}
	return data, first, err
}

// order sends the command of a transfer.
func (s *session) order(command string, offset int64) (access.Reply, error) {
	if offset > 0 {
		r, err := s.do("REST " + strconv.FormatInt(offset, 10))
		if err != nil {
			return r, err
		}
		if r.Code != 350 {
			return r, s.replies.Refused(r, errors.ErrUnsupported)
		}
	}
	first, err := s.launch(command)
	if err == nil && first.Code == 532 && s.client.Account != "" && !s.accounted {
		if err := s.account(); err != nil {
			return first, err
		}
		return s.order(command, offset)
	}
	// QUIRK: servers answer 226 at once, without a 150 before, when there is
	// little to send.
	if err == nil && first.Code/100 != 2 {
		err = s.expect(first, 1)
	}
	if err != nil && offset > 0 {
		s.spoilt = true // the next transfer might begin there
	}
	return first, err
}

// launch sends the command of a transfer with the queries that wait to be sent
// before it, and returns the first reply to it. The EPSV of the next transfer goes
// out with them if the server takes that. Each saves a round trip.
func (s *session) launch(command string) (access.Reply, error) {
	s.transfers++
	before, early := s.before, s.sendsEPSVEarly()
	s.before = nil
	commands := append(commandsOf(before), command)
	if err := s.ready(commands...); err != nil {
		return access.Reply{}, err
	}
	if early {
		commands = append(commands, "EPSV")
	}
	if err := s.send(commands...); err != nil {
		return access.Reply{}, err
	}
	if err := s.answers(before); err != nil {
		return access.Reply{}, err
	}
	s.epsvPending = early
	return s.read()
}

// sendsEPSVEarly reports whether the EPSV of the next transfer goes out with the
// command of this one.
//
// QUIRK: vsftpd reads that EPSV when the transfer has ended. Others read commands
// during a transfer, and proftpd then refuses EPSV.
func (s *session) sendsEPSVEarly() bool {
	return s.vsftpd && !s.noEPSV && s.client.Listen == nil && s.transfers > 1
}

// passage prepares a data connection.
func (s *session) passage() (passage, error) {
	if s.client.Listen != nil {
		l, err := s.active()
		return passage{listener: l}, err
	}
	conn, err := s.passive()
	return passage{conn: conn}, err
}

// through completes a data connection.
func (s *session) through(p passage) (*wire.Conn, error) {
	conn := p.conn
	if conn == nil {
		var err error
		if conn, err = s.accept(p.listener); err != nil {
			return nil, err
		}
	}
	if err := s.secureData(conn); err != nil {
		conn.Close()
		return nil, s.why(err)
	}
	return conn, nil
}

// passive connects for data, to the host of the control connection whatever the
// server says.
func (s *session) passive() (*wire.Conn, error) {
	if err := s.settle(); err != nil {
		return nil, err
	}
	if port := s.port; port != 0 {
		s.port = 0
		if conn, err := s.dialData(port); err == nil || s.ctx.Err() != nil {
			return conn, err
		} // that port is no longer open: the connection has been idle
	}
	port, err := s.askPort()
	if err != nil {
		return nil, err
	}
	return s.dialData(port)
}

func (s *session) dialData(port uint16) (*wire.Conn, error) {
	address := net.JoinHostPort(s.dataHost(), strconv.Itoa(int(port)))
	conn, err := s.data.DialTCP(s.ctx, address)
	if err != nil {
		return nil, fmt.Errorf("no data connection: %w", err)
	}
	if known := s.req.Known; known == nil || known.Size < 0 || known.Size > small {
		keepAlive(conn)
	}
	return conn, nil
}

// small is how many octets a file has that comes at once or not at all: to have its
// connection kept alive costs as much as to read it.
const small = 64 << 10

// askPort asks for a port: EPSV (RFC 2428 §3) or else PASV.
func (s *session) askPort() (uint16, error) {
	if !s.noEPSV {
		r, err := s.do("EPSV")
		if err != nil {
			return 0, err
		}
		if r.Code == 229 {
			return s.portIn(r, extendedPort)
		}
		if err := s.live(r); err != nil {
			return 0, err
		}
		s.noEPSV = true
	}
	r, err := s.do("PASV")
	if err != nil {
		return 0, err
	}
	if r.Code != 227 {
		return 0, s.refused(r)
	}
	return s.portIn(r, passivePort)
}

func (s *session) portIn(r access.Reply, read func(string) (uint16, bool)) (uint16, error) {
	port, ok := read(r.Text)
	if !ok {
		return 0, s.replies.Refused(r, errNoPort)
	}
	return port, nil
}

// dataHost returns the host that the control connection leads to.
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

// extendedPort reads the port in "Entering Extended Passive Mode (|||6446|)".
// Any printable octet may stand for "|".
func extendedPort(text string) (port uint16, ok bool) {
	_, rest, found := strings.Cut(text, "(")
	if !found || rest == "" {
		return 0, false
	}
	fields := strings.Split(rest, rest[:1])
	if len(fields) < 5 {
		return 0, false
	}
	return dataPort(fields[3])
}

// passiveForm is the address in a reply to PASV.
var passiveForm = regexp.MustCompile(`\d{1,3}(?:,\d{1,3}){3},(\d{1,3}),(\d{1,3})`)

// passivePort reads the port in "Entering Passive Mode (127,0,0,1,143,157)".
//
// QUIRK: RFC 959 does not say where in the text the numbers are, nor that there
// are parentheses (RFC 1123 §4.1.2.6).
func passivePort(text string) (port uint16, ok bool) {
	m := passiveForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	high, errHigh := strconv.ParseUint(m[1], 10, 8)
	low, errLow := strconv.ParseUint(m[2], 10, 8)
	port = uint16(high<<8 | low)
	return port, errHigh == nil && errLow == nil && port > 1023
}

func dataPort(digits string) (port uint16, ok bool) {
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), err == nil && n > 1023
}

// active listens for data at the address that the control connection comes
// from, and tells the server: EPRT (RFC 2428 §2) or else PORT.
func (s *session) active() (net.Listener, error) {
	local, ok := addrPort(s.conn.LocalAddr())
	if !ok {
		return nil, access.Reason("active mode: no address of our own to tell", errors.ErrUnsupported)
	}
	l, err := s.client.Listen(s.ctx, "tcp", netip.AddrPortFrom(local.Addr(), 0).String())
	if err != nil {
		return nil, fmt.Errorf("active mode: %w", err)
	}
	if err := s.invite(l.Addr()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (s *session) invite(to net.Addr) error {
	at, ok := addrPort(to)
	if !ok {
		return fmt.Errorf("active mode: %q is no address to tell: %w", to, errors.ErrUnsupported)
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
	return s.must(2, fmt.Sprintf("PORT %d,%d,%d,%d,%d,%d", b[0], b[1], b[2], b[3], at.Port()>>8, at.Port()&255))
}

// accept waits for the server to connect, for the idle limit. Other hosts that
// connect are sent away.
func (s *session) accept(l net.Listener) (*wire.Conn, error) {
	limit := s.data.IdleLimit()
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	server, _ := addrPort(s.conn.RemoteAddr())
	for {
		conn, err := l.Accept()
		if err != nil && s.ctx.Err() == nil && ctx.Err() != nil {
			return nil, &wire.IdleError{Did: "opened no data connection", Limit: limit}
		}
		if err != nil {
			return nil, fmt.Errorf("the server opens no data connection: %w", s.why(err))
		}
		if from, ok := addrPort(conn.RemoteAddr()); ok && from.Addr().Unmap() == server.Addr().Unmap() {
			return s.data.Wrap(s.ctx, conn), nil
		}
		conn.Close()
	}
}
