package prospero

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

const (
	firstTimeout = 4 * time.Second // doubled with each of
	retries      = 3               // so that a request is sent at 0, 4, 12 and 28 s, and given up at 60 s

	maxText      = 1250    // octets of text in a packet that is sent
	maxPackets   = 16      // of a request: one window, so that all may be sent at once
	maxDatagram  = 1 << 16 // octets
	maxRedirects = 20      // in one exchange
)

// An exchange is a request and its reply.
type exchange struct {
	client Client
	ctx    context.Context

	conn  *wire.Conn
	loose bool // the reply may come from anywhere
	heard bool // something came that was meant for us

	id       uint16
	request  [][]byte // its packets
	received int      // packets of it that the server has
	reply    message

	timeout   time.Duration
	waiting   bool // the server has said how long
	sent      int  // transmissions without progress
	due       time.Time
	redirects int
}

// do sends a request to address and returns the reply, in the time that ctx has
// left.
func (c Client) do(ctx context.Context, address, request string) ([]byte, error) {
	if len(request) > maxPackets*maxText {
		return nil, fmt.Errorf("a request of %d octets, of which %d are sent at most", len(request), maxPackets*maxText)
	}
	x := &exchange{
		client: c, ctx: ctx,
		id: uint16(1 + rand.IntN(1<<16-1)), request: split(request),
		reply: message{most: c.mostOctets()},
	}
	text, err := x.converse(address)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return text, err
}

func (x *exchange) converse(address string) ([]byte, error) {
	if err := x.connect(address); err != nil {
		return nil, err
	}
	defer func() { x.conn.Close() }() // the last one
	return x.run()
}

// split divides a request into packets.
func split(request string) [][]byte {
	var packets [][]byte
	for len(request) > maxText {
		packets = append(packets, []byte(request[:maxText]))
		request = request[maxText:]
	}
	return append(packets, []byte(request))
}

// connect makes address the one that is asked from now on.
func (x *exchange) connect(address string) error {
	conn, err := x.dialer().DialUDP(x.ctx, address)
	if err != nil {
		return err
	}
	if x.loose {
		if conn, err = x.loosen(conn); err != nil {
			return err
		}
	}
	x.use(conn)
	return nil
}

func (x *exchange) dialer() wire.Dialer {
	c := x.client
	return wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
}

// use continues with conn.
func (x *exchange) use(conn *wire.Conn) {
	if x.conn != nil {
		x.conn.Close()
	}
	x.conn = conn
}

// run sends the request and reads until the reply is complete.
func (x *exchange) run() ([]byte, error) {
	x.progress()
	if err := x.send(); err != nil {
		return nil, err
	}
	buf := make([]byte, maxDatagram)
	for !x.reply.complete() {
		n, err := x.read(buf)
		if x.isDue(err) {
			err = x.again()
		} else if err == nil {
			err = x.take(buf[:n])
		}
		if err != nil {
			return nil, err
		}
	}
	return x.reply.text, nil
}

func (x *exchange) read(buf []byte) (int, error) {
	if err := x.conn.SetReadDeadline(x.due); err != nil {
		return 0, err
	}
	n, err := x.conn.Read(buf)
	return n, wire.Plain(err, x.conn.RemoteAddr().String())
}

// isDue reports whether err says that it is time to send again. The idle limit is
// another timeout: it ends the exchange.
func (x *exchange) isDue(err error) bool {
	late, ok := errors.AsType[net.Error](err)
	_, idle := errors.AsType[*wire.IdleError](err)
	return ok && late.Timeout() && !idle
}

// progress starts the clock anew.
func (x *exchange) progress() {
	x.waiting = false
	x.expect(firstTimeout)
	x.conn.SetIdle(x.dialer().IdleLimit())
}

// wait lets the server be silent for so long, besides the idle limit.
func (x *exchange) wait(pause time.Duration) {
	x.expect(max(firstTimeout, pause))
	x.waiting = true
	x.conn.SetIdle(pause + x.dialer().IdleLimit())
}

func (x *exchange) expect(within time.Duration) {
	x.timeout, x.sent, x.due = within, 1, time.Now().Add(within)
}

// send sends what the server does not have of the request. If it has all, an
// acknowledgement asks it to go on.
func (x *exchange) send() error {
	if x.received >= len(x.request) {
		return x.acknowledge()
	}
	for i := x.received; i < len(x.request); i++ {
		p := packet{id: x.id, number: i + 1, total: len(x.request), received: x.reply.received, text: x.request[i]}
		if _, err := x.conn.Write(p.datagram()); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) acknowledge() error {
	_, err := x.conn.Write(packet{id: x.id, received: x.reply.received}.datagram())
	return err
}

// again repeats the request when the time for an answer is over.
func (x *exchange) again() error {
	if x.sent > retries {
		silence := &wire.IdleError{Did: "sent nothing", Limit: time.Since(x.conn.Heard()).Round(time.Second)}
		return fmt.Errorf("%w to %d transmissions: %w", errSilence, x.sent, silence)
	}
	if err := x.listen(); err != nil {
		return err
	}
	x.sent++
	x.timeout *= 2
	x.due = time.Now().Add(x.timeout)
	return x.send()
}

// take reads a datagram. One that is not for this exchange, or makes no sense,
// is left out.
func (x *exchange) take(datagram []byte) error {
	p, err := parsePacket(datagram)
	switch {
	case errors.Is(err, errForeign) && !x.heard:
		return foreign(datagram)
	case err != nil || p.id != x.id:
		return nil //nolint:nilerr // it is left out
	}
	x.heard = true
	if p.received > len(x.request) {
		return nil
	}
	x.received = max(x.received, p.received)
	switch p.option {
	case optionRefused:
		return errConnection
	case optionReset:
		x.received = p.received
	case optionRedirect, optionMoved:
		return x.redirect(p.to)
	}
	return x.deliver(p)
}

// deliver takes the part of the message that p is, and does what p asks for.
func (x *exchange) deliver(p packet) error {
	if p.number > 0 {
		advanced, err := x.reply.add(p)
		if err != nil {
			return err
		}
		if advanced {
			x.progress()
		}
	}
	switch {
	case p.wait > 0:
		x.wait(time.Duration(p.wait) * time.Second)
	case p.wait == 0 && x.waiting:
		x.progress()
	}
	if p.number > 0 && p.flags&flagAck != 0 {
		return x.acknowledge()
	}
	return nil
}

// foreign returns what a server says that speaks no ARDP, if it is text.
func foreign(datagram []byte) error {
	return refusal(string(datagram[:min(len(datagram), maxError)]), errForeign)
}

// redirect goes on at another address. The server that sends there does not
// choose freely: the port is not one below 1024 that may be another protocol's,
// and this machine is only meant by a server on it.
func (x *exchange) redirect(to netip.AddrPort) error {
	x.redirects++
	switch addr := to.Addr(); {
	case x.redirects > maxRedirects:
		return fmt.Errorf("%w: more than %d", access.ErrRedirect, maxRedirects)
	case !mayAsk(to.Port()), addr.IsUnspecified(), addr.IsMulticast(), addr.IsLoopback() && !x.conn.IsLocal():
		return fmt.Errorf("%w: to %s", access.ErrRedirect, to)
	}
	if err := x.connect(to.String()); err != nil {
		return err
	}
	x.progress()
	return x.send()
}

// mayAsk reports whether a server may send its visitors to a port.
//
// QUIRK: 191 is the port of servers of 1994 that ran with privileges.
func mayAsk(port uint16) bool { return port == 191 || port > 1023 }
