package prospero

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

const (
	maxText      = 1250    // bytes of text in a packet of the client
	maxPackets   = 16      // of a request: one window, so that all can be sent at once
	maxDatagram  = 1 << 16 // bytes
	maxRedirects = 20      // in one exchange

	listenAt     = 3                // the transmission from which replies may come from any address
	restartAfter = 15 * time.Second // of nothing but acknowledgements
	maxRestarts  = 3
)

// An exchange sends a request and receives its reply, packet by packet.
type exchange struct {
	client  Client
	ctx     context.Context
	address string // where the request was sent first

	conn     *wire.Conn
	open     *unconnected // the socket of conn, if replies may come from any address; else nil
	hasHeard bool         // a packet of this exchange has arrived

	id       uint16
	request  [][]byte // the packets
	received int      // how many of them the server has
	reply    message

	timer      timer
	due        time.Time // when to send again
	sent       int       // transmissions since the last progress
	isWaiting  bool      // the server asked for more time
	windowEnd  int       // the packet after which the server waits; 0 if it does not wait
	hasAskedAt time.Time // when a gap was last reported to the server
	gapDue     time.Time // when to report one; zero if there is none

	restarts  int
	startedAt time.Time // of the request, with this id
	redirects int
}

// do sends a request to address and returns the reply.
func (c Client) do(ctx context.Context, address, request string) ([]byte, error) {
	x, err := c.start(ctx, address, request)
	if err != nil {
		return nil, err
	}
	defer x.close()
	var reply []byte
	for {
		text, err := x.next()
		if err != nil {
			return reply, ended(err)
		}
		if reply = append(reply, text...); len(reply) > x.reply.limit {
			return nil, tooLong(x.reply.limit)
		}
	}
}

// ended returns nil for io.EOF.
func ended(err error) error {
	if access.IsEnd(err) {
		return nil
	}
	return err
}

// start sends a request to address. Read the reply with next, and close the exchange.
func (c Client) start(ctx context.Context, address, request string) (*exchange, error) {
	if len(request) > maxPackets*maxText {
		return nil, fmt.Errorf("a request of %d bytes, the limit is %d", len(request), maxPackets*maxText)
	}
	x := &exchange{client: c, ctx: ctx, address: address, request: split(request), reply: message{limit: c.maxReply()}}
	if c.trips != nil && c.trips.address == address {
		x.timer = c.trips.timer
	}
	err := x.connect(address)
	if err == nil {
		err = x.begin()
	}
	if err != nil {
		x.close()
		return nil, x.cause(err)
	}
	return x, nil
}

// maxReply returns MaxReply, or its default.
func (c Client) maxReply() int {
	if c.MaxReply < 0 {
		return math.MaxInt
	}
	return cmp.Or(c.MaxReply, 16<<20)
}

// trips keep what is known about the network to a server, during one access.
type trips struct {
	address string
	timer   timer
}

// close closes the socket. An exchange that was not read to its end is given up; the
// server stops after a window.
func (x *exchange) close() {
	if x.conn == nil {
		return
	}
	if t := x.client.trips; t != nil && x.redirects == 0 {
		x.timer.sentAgain()
		t.address, t.timer = x.address, x.timer
	}
	x.conn.Close()
}

// cause returns the reason why the context ended, or err if it has not.
func (x *exchange) cause(err error) error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	return err
}

func split(request string) [][]byte {
	var packets [][]byte
	for len(request) > maxText {
		packets = append(packets, []byte(request[:maxText]))
		request = request[maxText:]
	}
	return append(packets, []byte(request))
}

// begin sends the whole request with a new id.
func (x *exchange) begin() error {
	x.id, x.received = uint16(1+rand.IntN(1<<16-1)), 0
	now := time.Now()
	x.startedAt = now
	x.timer.isReplying = false
	x.timer.sent(now)
	x.restartTimer(now)
	return x.send()
}

var datagrams = sync.Pool{New: func() any { return new([maxDatagram]byte) }}

// next waits for more of the reply, and returns it. It is valid until the next call. The
// error is io.EOF after the last part. If the context has no deadline, next waits for
// at most Timeout.
func (x *exchange) next() ([]byte, error) {
	buf := datagrams.Get().(*[maxDatagram]byte)
	defer datagrams.Put(buf)
	x.conn.RestartIdle() // the caller may have paused
	end := x.deadline()
	for {
		if text := x.reply.take(); len(text) > 0 {
			return text, nil
		}
		if x.reply.isComplete() {
			return nil, io.EOF
		}
		if err := x.step(buf[:], end); err != nil {
			return nil, x.cause(err)
		}
	}
}

// deadline returns when next gives up; zero if the context has a deadline itself.
func (x *exchange) deadline() time.Time {
	if _, has := x.ctx.Deadline(); has {
		return time.Time{}
	}
	return time.Now().Add(x.client.timeout())
}

// step receives a datagram, or sends again.
func (x *exchange) step(buf []byte, end time.Time) error {
	n, err := x.read(buf, end)
	switch {
	case err == nil:
		return x.receive(buf[:n])
	case !isRetryTime(err):
		return x.explainIdle(err)
	}
	switch now := time.Now(); {
	case hasPassed(end, now):
		return context.DeadlineExceeded
	case hasPassed(x.gapDue, now):
		return x.reportGap()
	}
	return x.retry()
}

func hasPassed(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

func (x *exchange) read(buf []byte, end time.Time) (int, error) {
	at := earliest(x.due, x.gapDue, end)
	if err := x.conn.SetReadDeadline(at); err != nil {
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

// explainIdle adds to an idle timeout how often the client has asked.
func (x *exchange) explainIdle(err error) error {
	if _, idle := errors.AsType[*wire.IdleError](err); idle {
		return fmt.Errorf("%w to %d transmissions: %w", errSilence, x.sent, err)
	}
	return err
}

// restartTimer starts to wait for the reply to what is sent now.
func (x *exchange) restartTimer(now time.Time) {
	x.sent, x.due = 1, now.Add(x.timer.timeout())
	if x.isWaiting {
		x.isWaiting = false
		x.conn.SetIdle(x.dialer().IdleLimit())
	}
}

// wait gives the server this much time before the request is sent again. It extends
// the idle time by the same.
func (x *exchange) wait(pause time.Duration) {
	now := time.Now()
	x.timer.sentAgain()
	x.timer.progress(now)
	x.isWaiting = true
	x.sent, x.due = 1, now.Add(max(x.timer.timeout(), pause))
	x.conn.SetIdle(pause + x.dialer().IdleLimit())
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

// retry sends again what the server has not replied to.
func (x *exchange) retry() error {
	now := time.Now()
	if x.isIgnored() && now.Sub(x.startedAt) >= restartAfter {
		return x.restart()
	}
	x.timer.backOff()
	x.timer.sentAgain()
	x.due = now.Add(x.timer.timeout())
	if x.sent++; x.sent >= listenAt {
		if err := x.listenToAll(); err != nil {
			return err
		}
	}
	return x.send()
}

// isIgnored reports whether the server has acknowledged the whole request, and
// has sent nothing else. It may have had no room for the request.
func (x *exchange) isIgnored() bool {
	return x.received >= len(x.request) && x.reply.received == 0 && len(x.reply.later) == 0 && !x.isWaiting
}

// restart sends the request as a new one.
func (x *exchange) restart() error {
	if x.restarts++; x.restarts > maxRestarts {
		return fmt.Errorf("%w, only acknowledgements, to %d requests: %w", errSilence, x.restarts, access.ErrTemporary)
	}
	return x.begin()
}

// receive handles a datagram. It ignores invalid datagrams and those of other
// exchanges.
func (x *exchange) receive(datagram []byte) error {
	p, err := parsePacket(datagram)
	switch {
	case errors.Is(err, errNotARDP) && !x.hasHeard && x.isOfPeer():
		return notARDP(datagram)
	case err != nil || !x.isOwn(p):
		return nil //nolint:nilerr // ignored
	}
	x.hasHeard = true
	if p.received > len(x.request) {
		return nil
	}
	if p.received > x.received {
		x.timer.progress(time.Now())
		x.received = p.received
	}
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

// isOwn reports whether a packet belongs to the exchange.
//
// QUIRK: the server of 1994 swaps the two bytes of the id on little-endian machines, in
// packets after the first window and in all that it sends again.
func (x *exchange) isOwn(p packet) bool {
	if p.id == x.id {
		return true
	}
	return p.id == bits.ReverseBytes16(x.id) && x.isOfPeer()
}

// isOfPeer reports whether the last datagram came from the host of the server.
func (x *exchange) isOfPeer() bool { return x.open == nil || x.open.isOfPeer() }

// deliver adds the text of a packet to the reply, and does what its flags
// request.
func (x *exchange) deliver(p packet) error {
	if p.number > 0 {
		before := x.reply.received
		isNew, err := x.reply.add(p)
		if err != nil {
			return err
		}
		if isNew {
			x.timer.isReplying = true
			x.timer.progress(time.Now())
		}
		if x.reply.received > before {
			x.restartTimer(time.Now())
		}
	}
	switch {
	case p.wait > 0:
		x.wait(time.Duration(p.wait) * time.Second)
	case p.wait == 0 && x.isWaiting:
		x.restartTimer(time.Now())
	}
	return x.reportProgress(p)
}

// reportProgress acknowledges the server's packets if it waits for that, or if one of
// them is lost: then it need not wait for the timer.
func (x *exchange) reportProgress(p packet) error {
	if p.number > 0 && p.flags&flagAck != 0 {
		x.windowEnd = max(x.windowEnd, p.number)
	}
	now := time.Now()
	switch {
	case x.windowEnd > 0 && x.reply.received >= x.windowEnd:
		x.windowEnd = 0
		x.timer.sent(now)
		return x.acknowledge()
	case x.reply.hasGap() && now.Sub(x.hasAskedAt) > x.timer.smoothed:
		x.timer.sentAgain()
		x.hasAskedAt = now
		return x.acknowledge()
	case x.windowEnd > 0 && x.gapDue.IsZero(): // what is missing may still come
		x.gapDue = now.Add(x.timer.reordering())
	}
	return nil
}

// reportGap tells the server what is missing, when it is too late to be only reordered.
func (x *exchange) reportGap() error {
	x.gapDue = time.Time{}
	if x.windowEnd == 0 || x.reply.received >= x.windowEnd {
		return nil
	}
	x.timer.sentAgain()
	return x.acknowledge()
}

// earliest returns the earliest of some times that are not zero.
func earliest(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if !t.IsZero() && t.Before(first) {
			first = t
		}
	}
	return first
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
	x.timer = timer{}
	now := time.Now()
	x.timer.sent(now)
	x.restartTimer(now)
	return x.send()
}

// isAllowedPort reports whether a server may redirect to a port.
//
// QUIRK: 191 is the port of privileged servers of 1994.
func isAllowedPort(port uint16) bool { return port == 191 || port > 1023 }
