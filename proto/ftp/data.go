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
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// transfer sends a transfer command that starts at offset. It returns the data connection and the first reply. The
// caller closes data, unless there is an error. If the first reply is 2yz, no other reply follows. In passive mode
// transfer connects before the command; in active mode the server connects after it. In passive mode TLS starts on the
// data connection while the reply is awaited.
//
// QUIRK: ftp-srv sends its first reply after the TLS handshake, other servers before it.
func (b *boundConn) transfer(command string, offset int64) (data *wire.Conn, first access.Reply, err error) {
	var listener net.Listener
	if b.client.Listen == nil {
		data, err = b.dialPassive()
	} else {
		listener, err = b.listenActive()
	}
	if err != nil {
		return nil, first, err
	}
	if listener != nil {
		defer listener.Close()
	}
	wantsTLS := b.conn.IsTLS() && !b.clearData
	secured := make(chan error, 1)
	startsEarly := wantsTLS && data != nil
	if startsEarly {
		go func() { secured <- secureData(data) }()
	}
	if first, err = b.startTransfer(command, offset); err == nil {
		if listener != nil {
			data, err = b.accept(listener)
		}
		switch {
		case startsEarly:
			err = <-secured
		case err == nil && wantsTLS:
			err = secureData(data)
		}
		if err != nil {
			b.broken = true // the server may still send replies about the transfer
		}
	} else if startsEarly {
		data.Close() // ends secureData
		<-secured    //nolint:errcheck // Close has ended the handshake
	}
	if err != nil && data != nil {
		data.Close()
	}
	return data, first, err
}

// startTransfer sends REST if offset is positive, and the transfer command. It returns the first
// reply, and an error unless that is 1yz or 2yz. It sends ACCT and tries again if the server asks for
// an account.
func (b *boundConn) startTransfer(command string, offset int64) (access.Reply, error) {
	if offset > 0 {
		r, err := b.do("REST " + strconv.FormatInt(offset, 10))
		if err != nil {
			return r, err
		}
		if r.Code != 350 {
			return r, b.replies.Refused(r, errors.ErrUnsupported)
		}
	}
	first, err := b.sendTransfer(command)
	if err == nil && first.Code == 532 && b.client.Account != "" && !b.accountSent {
		if err := b.sendAccount(); err != nil {
			return first, err
		}
		return b.startTransfer(command, offset)
	}
	// QUIRK: servers answer 226 at once, without a 150, if the data are short.
	if err == nil && first.Code/100 != 2 {
		err = b.expect(first, 1)
	}
	if err != nil && offset > 0 {
		b.broken = true // REST may apply to the next transfer
	}
	return first, err
}

// sendTransfer sends a transfer command and returns its first reply. In the same write it sends the
// pending queries, and the EPSV of the next transfer if the server accepts that. Each saves a round
// trip.
func (b *boundConn) sendTransfer(command string) (access.Reply, error) {
	b.transferCount++
	before, commands := b.pendingQueries, append(commandsOf(b.pendingQueries), command)
	b.pendingQueries = nil
	early := b.sendsEPSVEarly() && fitsSegment(append(commands, "EPSV"))
	if early {
		commands = append(commands, "EPSV")
	}
	if err := b.send(commands...); err != nil {
		return access.Reply{}, err
	}
	if early {
		b.queued = []query{{"EPSV", b.keepPort}}
	}
	if err := b.readReplies(before); err != nil {
		return access.Reply{}, err
	}
	first, err := b.read()
	if err == nil && len(commands) > 1 && first.Code/100 == 2 { // the reply to another command
		err = b.outOfOrder(first)
	}
	return first, err
}

// sendsEPSVEarly reports whether the EPSV of the next transfer may be sent together with the current
// transfer command. The first transfer of a connection may be the only one.
func (b *boundConn) sendsEPSVEarly() bool {
	return b.pipelines && !b.noEPSV && b.client.Listen == nil && b.transferCount > 1
}

// dialPassive connects for data. It dials the host of the control connection, and ignores the host
// in the server's reply. It uses the port of an early EPSV if there is one; if that port is closed,
// it asks for another. If a port of EPSV cannot be reached and Client.Passive is EPSVThenPASV, it
// asks with PASV, and no longer uses EPSV on this connection. If the server refuses PASV too,
// dialPassive returns the error of the first attempt.
func (b *boundConn) dialPassive() (*wire.Conn, error) {
	if err := b.readQueued(); err != nil {
		return nil, err
	}
	if port := b.nextDataPort; port != 0 {
		b.nextDataPort = 0
		if conn, err := b.dialData(port); err == nil || b.ctx.Err() != nil {
			return conn, err
		} // the server has closed that port because the connection was idle too long
	}
	port, err := b.askPort()
	if err != nil {
		return nil, err
	}
	conn, err := b.dialData(port)
	if err == nil || b.ctx.Err() != nil || b.noEPSV || b.client.Passive != EPSVThenPASV {
		return conn, err
	}
	b.noEPSV = true
	port, pasvErr := b.askPort()
	if pasvErr == nil {
		conn, pasvErr = b.dialData(port)
	}
	if _, refused := errors.AsType[*engine.Refusal](pasvErr); refused {
		return nil, err
	}
	return conn, pasvErr
}

// dataContext returns the context of data connections. It hides them from the request's Tap and
// from its Connected function, because their bytes are the resource itself.
func (b *boundConn) dataContext() context.Context {
	return access.WithConnected(engine.WithTap(b.ctx, nil), nil)
}

// dialData opens a data connection to a port of dataHost.
func (b *boundConn) dialData(port uint16) (*wire.Conn, error) {
	address := net.JoinHostPort(b.dataHost(), strconv.Itoa(int(port)))
	conn, err := b.dataDialer.DialTCP(b.dataContext(), address)
	if err != nil {
		return nil, fmt.Errorf("no data connection: %w", err)
	}
	return conn, nil
}

// askPort asks for a data port with EPSV (RFC 2428 §3), or with PASV if the server refuses EPSV.
// Client.Passive may forbid either.
func (b *boundConn) askPort() (uint16, error) {
	if !b.noEPSV {
		r, err := b.do("EPSV")
		if err != nil {
			return 0, err
		}
		if r.Code == 229 {
			return b.checkPort(r, parseEPSV(r.Text))
		}
		if b.client.Passive == OnlyEPSV {
			return 0, b.refusal(r)
		}
		b.noEPSV = true
	}
	r, err := b.do("PASV")
	if err != nil {
		return 0, err
	}
	if r.Code != 227 {
		return 0, b.refusal(r)
	}
	return b.checkPort(r, parsePASV(r.Text))
}

// checkPort returns port, which a caller has parsed from r. The error is errNoPort if port is below 1024, because such
// ports belong to other services, or because r has no port and port is 0.
func (b *boundConn) checkPort(r access.Reply, port uint16) (uint16, error) {
	if port < 1024 {
		return 0, b.replies.Refused(r, errNoPort)
	}
	return port, nil
}

// dataHost returns the host at the other end of the control connection: its IP address if
// RemoteAddr has one, else the host of the URL.
func (b *boundConn) dataHost() string {
	if peer, ok := addrPort(b.conn.RemoteAddr()); ok {
		return peer.Addr().String()
	}
	return b.view.Host.Name
}

// addrPort returns the IP address and port of addr. ok is false if addr is nil or has no IP address.
func addrPort(addr net.Addr) (a netip.AddrPort, ok bool) {
	if addr == nil {
		return netip.AddrPort{}, false
	}
	a, err := netip.ParseAddrPort(addr.String())
	return a, err == nil
}

// parseEPSV returns the port in "Entering Extended Passive Mode (|||6446|)". Any printable byte may
// replace "|". It returns 0 if text has no port.
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

// pasvPattern matches the address and the port in a reply to PASV.
var pasvPattern = regexp.MustCompile(`\d{1,3}(?:,\d{1,3}){3},(\d{1,3}),(\d{1,3})`)

// parsePASV returns the port in "Entering Passive Mode (127,0,0,1,143,157)". It returns 0 if text
// has no port.
//
// QUIRK: RFC 959 does not say where in the text the numbers are, or that they are in parentheses
// (RFC 1123 §4.1.2.6).
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

// listenActive listens for data at the local address of the control connection. It sends its address to the server with
// EPRT (RFC 2428 §2), or with PORT if the server refuses EPRT. The caller closes the listener.
func (b *boundConn) listenActive() (net.Listener, error) {
	local, ok := addrPort(b.conn.LocalAddr())
	if !ok {
		return nil, engine.Reason("active mode: the local address is unknown", errors.ErrUnsupported)
	}
	l, err := b.client.Listen(b.ctx, "tcp", netip.AddrPortFrom(local.Addr(), 0).String())
	if err != nil {
		return nil, fmt.Errorf("active mode: %w", err)
	}
	if err := b.sendAddress(l.Addr()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// sendAddress sends the address at which the client listens, with EPRT. If the server refuses that, it sends PORT,
// which can express IPv4 only.
func (b *boundConn) sendAddress(to net.Addr) error {
	at, ok := addrPort(to)
	if !ok {
		return fmt.Errorf("active mode: the address %q cannot be sent: %w", to, errors.ErrUnsupported)
	}
	ip := at.Addr().Unmap().WithZone("")
	family := 2
	if ip.Is4() {
		family = 1
	}
	r, err := b.do(fmt.Sprintf("EPRT |%d|%s|%d|", family, ip, at.Port()))
	if err != nil || reply.Is(r, 2) || !ip.Is4() {
		return errors.Join(err, b.expect(r, 2))
	}
	ip4 := ip.As4()
	return b.doExpect(2, fmt.Sprintf("PORT %d,%d,%d,%d,%d,%d", ip4[0], ip4[1], ip4[2], ip4[3], at.Port()>>8, at.Port()&255))
}

// accept waits until the server connects to l, but at most for the idle limit. It closes connections from other hosts
// and goes on waiting.
func (b *boundConn) accept(l net.Listener) (*wire.Conn, error) {
	limit := b.dataDialer.IdleLimit()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	server, _ := addrPort(b.conn.RemoteAddr())
	for {
		conn, err := l.Accept()
		if err != nil && b.ctx.Err() == nil && ctx.Err() != nil {
			return nil, &wire.IdleError{Did: "opened no data connection", Limit: limit}
		}
		if err != nil {
			return nil, fmt.Errorf("the server opened no data connection: %w", b.cause(err))
		}
		if from, ok := addrPort(conn.RemoteAddr()); ok && from.Addr().Unmap() == server.Addr().Unmap() {
			return b.dataDialer.Wrap(b.dataContext(), conn), nil
		}
		conn.Close()
	}
}
