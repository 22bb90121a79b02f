package prospero

import (
	"cmp"
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
	// A request is sent at 0, 4, 12 and 28 s. It fails at 60 s.
	firstTimeout = 4 * time.Second // doubled for each retry
	maxRetries   = 3

	maxText      = 1250    // bytes of text in a packet of the client
	maxPackets   = 16      // of a request: one window, so that all can be sent at once
	maxDatagram  = 1 << 16 // bytes
	maxRedirects = 20      // in one exchange
)

// An exchange sends a request and collects its reply.
type exchange struct {
	client Client
	ctx    context.Context

	conn        *wire.Conn
	unconnected bool // the reply may come from any address
	hasHeard    bool // a packet of this exchange has arrived

	id       uint16
	request  [][]byte // the packets
	received int      // how many of them the server has
	reply    message

	retries
	redirects int
}

// retries say when a request is sent again.
type retries struct {
	timeout   time.Duration
	isWaiting bool      // the server asked for more time
	sent      int       // how often the request was sent since the last progress
	due       time.Time // of the next retry
}

// do sends a request to address and returns the reply.
func (c Client) do(ctx context.Context, address, request string) ([]byte, error) {
	if len(request) > maxPackets*maxText {
		return nil, fmt.Errorf("a request of %d bytes, the limit is %d", len(request), maxPackets*maxText)
	}
	x := &exchange{
		client: c, ctx: ctx,
		id: uint16(1 + rand.IntN(1<<16-1)), request: split(request),
		reply: message{limit: cmp.Or(max(c.MaxReply, 0), 16<<20)},
	}
	text, err := x.connectAndRun(address)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return text, err
}

func (x *exchange) connectAndRun(address string) ([]byte, error) {
	if err := x.connect(address); err != nil {
		return nil, err
	}
	defer func() { x.conn.Close() }() // a redirect replaces x.conn
	return x.run()
}

func split(request string) [][]byte {
	var packets [][]byte
	for len(request) > maxText {
		packets = append(packets, []byte(request[:maxText]))
		request = request[maxText:]
	}
	return append(packets, []byte(request))
}

// connect makes address the peer.
func (x *exchange) connect(address string) error {
	conn, err := x.dialer().DialUDP(x.ctx, address)
	if err != nil {
		return err
	}
	if x.unconnected {
		if conn, err = x.disconnect(conn); err != nil {
			return err
		}
	}
	x.setConn(conn)
	return nil
}

func (x *exchange) dialer() wire.Dialer {
	c := x.client
	return wire.Dialer{Dial: c.Dial, TLS: c.TLS, Security: c.Security, Idle: c.Idle}
}

func (x *exchange) setConn(conn *wire.Conn) {
	if x.conn != nil {
		x.conn.Close()
	}
	x.conn = conn
}

// run sends the request and reads until the reply is complete.
func (x *exchange) run() ([]byte, error) {
	x.resetTimer()
	if err := x.send(); err != nil {
		return nil, err
	}
	buf := make([]byte, maxDatagram)
	for !x.reply.isComplete() {
		n, err := x.read(buf)
		if isRetryTime(err) {
			err = x.retry()
		} else if err == nil {
			err = x.receive(buf[:n])
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

// isRetryTime reports whether the read deadline has passed, so that it is time
// to send again. An idle timeout is different: it ends the exchange.
func isRetryTime(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	_, idle := errors.AsType[*wire.IdleError](err)
	return ok && timeout.Timeout() && !idle
}

// resetTimer starts the retry timer from the beginning.
func (x *exchange) resetTimer() {
	x.isWaiting = false
	x.setTimer(firstTimeout)
	x.conn.SetIdle(x.dialer().IdleLimit())
}

// wait gives the server this much time before the next retry. It extends the
// idle time by the same.
func (x *exchange) wait(pause time.Duration) {
	x.setTimer(max(firstTimeout, pause))
	x.isWaiting = true
	x.conn.SetIdle(pause + x.dialer().IdleLimit())
}

func (x *exchange) setTimer(timeout time.Duration) {
	x.timeout, x.sent, x.due = timeout, 1, time.Now().Add(timeout)
}

// send sends the packets that the server does not have yet. If it has all, send
// acknowledges its packets, so that it continues.
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

func (x *exchange) retry() error {
	if x.sent > maxRetries {
		silence := &wire.IdleError{Did: "sent nothing", Limit: time.Since(x.conn.Heard()).Round(time.Second)}
		return fmt.Errorf("%w to %d transmissions: %w", errSilence, x.sent, silence)
	}
	if err := x.listenToAll(); err != nil {
		return err
	}
	x.sent++
	x.timeout *= 2
	x.due = time.Now().Add(x.timeout)
	return x.send()
}

// receive handles a datagram. It ignores invalid datagrams and those of other
// exchanges.
func (x *exchange) receive(datagram []byte) error {
	p, err := parsePacket(datagram)
	switch {
	case errors.Is(err, errNotARDP) && !x.hasHeard:
		return notARDP(datagram)
	case err != nil || p.id != x.id:
		return nil //nolint:nilerr // ignored
	}
	x.hasHeard = true
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

// deliver adds the text of a packet to the reply, and does what its flags
// request.
func (x *exchange) deliver(p packet) error {
	if p.number > 0 {
		advanced, err := x.reply.add(p)
		if err != nil {
			return err
		}
		if advanced {
			x.resetTimer()
		}
	}
	switch {
	case p.wait > 0:
		x.wait(time.Duration(p.wait) * time.Second)
	case p.wait == 0 && x.isWaiting:
		x.resetTimer()
	}
	if p.number > 0 && p.flags&flagAck != 0 {
		return x.acknowledge()
	}
	return nil
}

// notARDP returns the error for a reply that is not ARDP. It has the reply's
// text.
func notARDP(datagram []byte) error {
	return refusal(string(datagram[:min(len(datagram), maxError)]), errNotARDP)
}

// redirect continues at another address. The port must be 191 or above 1023, so
// that a server cannot direct requests to other protocols. Only a server on this
// machine may redirect to a loopback address.
func (x *exchange) redirect(to netip.AddrPort) error {
	x.redirects++
	switch addr := to.Addr(); {
	case x.redirects > maxRedirects:
		return fmt.Errorf("%w: more than %d", access.ErrRedirect, maxRedirects)
	case !isAllowedPort(to.Port()), addr.IsUnspecified(), addr.IsMulticast(), addr.IsLoopback() && !x.conn.IsLocal():
		return fmt.Errorf("%w: to %s", access.ErrRedirect, to)
	}
	if err := x.connect(to.String()); err != nil {
		return err
	}
	x.resetTimer()
	return x.send()
}

// isAllowedPort reports whether a server may redirect to a port.
//
// QUIRK: 191 is the port of privileged servers of 1994.
func isAllowedPort(port uint16) bool { return port == 191 || port > 1023 }

// An unconnected socket sends to one address and receives from all.
type unconnected struct {
	net.PacketConn
	to net.Addr
}

func (l unconnected) Read(p []byte) (int, error) {
	n, _, err := l.ReadFrom(p)
	return n, err
}

func (l unconnected) Write(p []byte) (int, error) { return l.WriteTo(p, l.to) }

func (l unconnected) RemoteAddr() net.Addr { return l.to }

// listenToAll makes the exchange receive from any address. It does nothing if the
// client has no ListenPacket, or if the peer has sent a packet.
func (x *exchange) listenToAll() error {
	if x.hasHeard || x.unconnected || x.client.ListenPacket == nil {
		return nil
	}
	x.unconnected = true
	conn, err := x.disconnect(x.conn)
	if err != nil {
		return err
	}
	x.setConn(conn)
	return nil
}

// disconnect closes conn and returns an unconnected socket with the same peer. The
// address is allowed, because Dial has accepted it.
func (x *exchange) disconnect(conn *wire.Conn) (*wire.Conn, error) {
	defer conn.Close()
	p, err := x.client.ListenPacket(x.ctx, "udp", ":0")
	if err != nil {
		return nil, err
	}
	return x.dialer().WrapUDP(x.ctx, unconnected{p, conn.RemoteAddr()}, conn.Heard()), nil
}
