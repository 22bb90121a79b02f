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

// next returns the reply part by part. While no part is there, it calls step, which waits for
// a datagram until one of three times:
//
//	resendAt     retry sends the packets again that the server has not acknowledged, or
//	             acknowledges the server's packets again
//	reportGapAt  reportGap tells the server which packets have not arrived
//	the deadline the request fails
//
// receive takes from a datagram which packets the server has, follows a redirect, and passes
// the packet to deliver. deliver adds its text to the reply, extends the time if the server
// asks for it, and acknowledges a whole window. All of it happens in the goroutine of the
// caller of next.

const (
	maxText      = 1250    // bytes of text in a packet of the client
	maxPackets   = 16      // packets of a request: one window, so that all can be sent at once
	maxDatagram  = 1 << 16 // bytes
	maxRedirects = 20      // redirects of one request

	listenAt     = 3                // the transmission from which the reply may come from any address
	restartAfter = 15 * time.Second // how long a server may only acknowledge the request
	maxRestarts  = 3
)

// An ardpRequest sends a request over ARDP and receives its reply, packet by packet. It sends
// again whatever gets lost.
type ardpRequest struct {
	client  Client
	ctx     context.Context
	address string // where the request was sent first

	conn        *wire.Conn
	unconnected *unconnectedConn // the socket of conn if the reply may come from any address; otherwise nil
	hasReceived bool             // a packet of the reply has arrived

	id       uint16
	packets  [][]byte // the text of the packets of the request
	received int      // the server has received packets[:received]
	reply    message

	timer         timer
	resendAt      time.Time
	transmissions int           // since the last progress
	isWaiting     bool          // the server has asked for more time
	pause         time.Duration // the time that the server has asked for
	noticeStep    time.Duration // the time until the next transmission while isWaiting; at most pause
	windowEnd     int           // the packet after which the server waits for an acknowledgement; 0 if it does not wait
	askedAt       time.Time     // when a gap was last reported to the server
	reportGapAt   time.Time     // when to report a gap to the server; zero if no report is planned

	restarts  int
	startedAt time.Time // when the request was first sent with this id
	redirects int
}

// do sends a request to address and returns the whole text of the reply, of at most MaxReply
// bytes.
func (c Client) do(ctx context.Context, address, request string) ([]byte, error) {
	r, err := c.start(ctx, address, request)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var reply []byte
	for {
		text, err := r.next()
		if err != nil {
			return reply, withoutEOF(err)
		}
		if reply = append(reply, text...); len(reply) > r.reply.limit {
			return nil, tooLong(r.reply.limit)
		}
	}
}

// withoutEOF returns err, or nil if err is io.EOF.
func withoutEOF(err error) error {
	if access.IsEnd(err) {
		return nil
	}
	return err
}

// start sends request to address (host:port), and does not wait for the reply. The caller reads
// the reply with next, and must call close.
func (c Client) start(ctx context.Context, address, request string) (*ardpRequest, error) {
	if len(request) > maxPackets*maxText {
		return nil, fmt.Errorf("a request of %d bytes, the limit is %d", len(request), maxPackets*maxText)
	}
	r := &ardpRequest{client: c, ctx: ctx, address: address, packets: split(request), reply: message{limit: c.maxReply()}}
	r.timer = c.Trips.recall(address)
	err := r.connect(address)
	if err == nil {
		err = r.begin()
	}
	if err != nil {
		r.close()
		return nil, r.cause(err)
	}
	return r, nil
}

// maxReply returns MaxReply, or its default for 0. A negative MaxReply means no limit.
func (c Client) maxReply() int {
	if c.MaxReply < 0 {
		return math.MaxInt
	}
	return cmp.Or(c.MaxReply, 16<<20)
}

// close closes the socket, and remembers the round trips to the server in Trips unless the
// request was redirected. If the reply was not read to its end, the server stops after a
// window, because the client acknowledges no more packets.
func (r *ardpRequest) close() {
	if r.conn == nil {
		return
	}
	if r.redirects == 0 {
		r.client.Trips.learn(r.address, r.timer)
	}
	r.conn.Close()
}

// cause returns the cause of the context if the context is done, and err otherwise.
func (r *ardpRequest) cause(err error) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return err
}

// split splits request into the texts of its packets, of at most maxText bytes. The result has
// at least one text, which may be empty.
func split(request string) [][]byte {
	var packets [][]byte
	for len(request) > maxText {
		packets = append(packets, []byte(request[:maxText]))
		request = request[maxText:]
	}
	return append(packets, []byte(request))
}

// begin sends the whole request with a new random id. The server treats it as a new request.
func (r *ardpRequest) begin() error {
	r.id, r.received = uint16(1+rand.IntN(1<<16-1)), 0
	now := time.Now()
	r.startedAt = now
	r.timer.isReplying = false
	r.timer.recordSend(now)
	r.restartTimer(now)
	return r.send()
}

var datagrams = sync.Pool{New: func() any { return new([maxDatagram]byte) }}

// next waits for more text of the reply, and returns it. The text is valid until the next
// call. The error is io.EOF after the whole reply. If the context has no deadline, next waits
// at most the client's Timeout.
func (r *ardpRequest) next() ([]byte, error) {
	buf := datagrams.Get().(*[maxDatagram]byte)
	defer datagrams.Put(buf)
	r.conn.RestartIdle() // because the caller may have paused
	end := r.deadline()
	for {
		if text := r.reply.take(); len(text) > 0 {
			return text, nil
		}
		if r.reply.isComplete() {
			return nil, io.EOF
		}
		if err := r.step(buf[:], end); err != nil {
			return nil, r.cause(err)
		}
	}
}

// deadline returns the time when next gives up. It returns the zero time if the context has a
// deadline.
func (r *ardpRequest) deadline() time.Time {
	if _, has := r.ctx.Deadline(); has {
		return time.Time{}
	}
	return time.Now().Add(r.client.timeout())
}

// step waits for a datagram and handles it, or sends again when it is time. It returns
// context.DeadlineExceeded after end, unless end is zero.
func (r *ardpRequest) step(buf []byte, end time.Time) error {
	n, err := r.read(buf, end)
	switch {
	case err == nil:
		return r.receive(buf[:n])
	case !isReadDeadline(err):
		return r.explainIdle(err)
	}
	switch now := time.Now(); {
	case hasPassed(end, now):
		return context.DeadlineExceeded
	case hasPassed(r.reportGapAt, now):
		return r.reportGap()
	}
	return r.retry()
}

// hasPassed reports whether t is not zero and not after now.
func hasPassed(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

// read reads a datagram into buf, and returns its length. It fails with a timeout when it is
// time to send again, to report a gap, or to give up (end).
func (r *ardpRequest) read(buf []byte, end time.Time) (int, error) {
	at := earliest(r.resendAt, r.reportGapAt, end)
	if err := r.conn.SetReadDeadline(at); err != nil {
		return 0, err
	}
	n, err := r.conn.Read(buf)
	return n, wire.Plain(err, r.conn.RemoteAddr().String())
}

// isReadDeadline reports whether err means that a read deadline has passed. It is false for an
// IdleError, which means that the server was silent for too long.
func isReadDeadline(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	_, idle := errors.AsType[*wire.IdleError](err)
	return ok && timeout.Timeout() && !idle
}

// explainIdle returns err. If err is a wire.IdleError, it adds the number of transmissions.
func (r *ardpRequest) explainIdle(err error) error {
	if _, idle := errors.AsType[*wire.IdleError](err); idle {
		return fmt.Errorf("%w to %d transmissions: %w", errSilence, r.transmissions, err)
	}
	return err
}

// restartTimer sets the time to send again, for packets that are sent at now. It ends the
// extra time that the server has asked for.
func (r *ardpRequest) restartTimer(now time.Time) {
	r.transmissions, r.resendAt = 1, now.Add(r.timer.timeout())
	r.isWaiting = false
}

// The times between transmissions after the server has asked for time. Each is twice the time before.
const (
	firstNoticeStep = 3 * time.Second
	maxNoticeStep   = 15 * time.Second // so that a server that works gets several chances to say so within the idle limit
)

// extend waits longer for the server, which has asked for the time pause. It delays the next
// transmission, but sends again before pause has passed, because the reply may get lost. The
// idle limit stays the same, because a server that still works answers each transmission.
func (r *ardpRequest) extend(pause time.Duration) {
	now := time.Now()
	r.timer.recordResend()
	r.timer.recordProgress(now)
	if !r.isWaiting {
		r.noticeStep = firstNoticeStep
	}
	r.isWaiting, r.pause = true, pause
	r.transmissions, r.resendAt = 1, now.Add(r.noticeTimeout())
}

// noticeTimeout returns how long to wait before sending again while the server asks for time.
// The wait is at most the time that the server has asked for, unless the round trip takes
// longer.
func (r *ardpRequest) noticeTimeout() time.Duration {
	return max(r.timer.timeout(), min(r.noticeStep, r.pause))
}

// send sends the packets of the request that the server has not acknowledged. If the server
// has acknowledged all, send acknowledges the server's packets, so that the server continues.
func (r *ardpRequest) send() error {
	if r.received >= len(r.packets) {
		return r.acknowledge()
	}
	for i := r.received; i < len(r.packets); i++ {
		p := packet{id: r.id, number: i + 1, total: len(r.packets), received: r.reply.received, text: r.packets[i]}
		if _, err := r.conn.Write(p.datagram()); err != nil {
			return err
		}
	}
	return nil
}

// acknowledge tells the server which of its packets have arrived.
func (r *ardpRequest) acknowledge() error {
	_, err := r.conn.Write(packet{id: r.id, received: r.reply.received}.datagram())
	return err
}

// retry sends the unacknowledged packets again, and doubles the time until the next
// transmission. It restarts a request that the server only acknowledges. From the transmission
// listenAt on, the reply may come from any address.
func (r *ardpRequest) retry() error {
	now := time.Now()
	if r.isIgnored() && now.Sub(r.startedAt) >= restartAfter {
		return r.restart()
	}
	r.timer.recordResend()
	if r.isWaiting {
		r.noticeStep = min(2*r.noticeStep, maxNoticeStep)
		r.resendAt = now.Add(r.noticeTimeout())
	} else {
		r.timer.backOff()
		r.resendAt = now.Add(r.timer.timeout())
	}
	if r.transmissions++; r.transmissions >= listenAt {
		if err := r.listenToAll(); err != nil {
			return err
		}
	}
	return r.send()
}

// isIgnored reports whether the server has acknowledged the whole request, but has neither
// sent a part of the reply nor asked for time. It may have had no room for the request.
func (r *ardpRequest) isIgnored() bool {
	return r.received >= len(r.packets) && r.reply.received == 0 && len(r.reply.later) == 0 && !r.isWaiting
}

// restart sends the request as a new request, with another id. It fails with
// access.ErrTemporary after maxRestarts.
func (r *ardpRequest) restart() error {
	if r.restarts++; r.restarts > maxRestarts {
		return fmt.Errorf("%w, only acknowledgements, to %d requests: %w", errSilence, r.restarts, access.ErrTemporary)
	}
	return r.begin()
}

// receive handles a datagram: a part of the reply, an acknowledgement, a refusal or a
// redirect. It ignores a datagram that is invalid or belongs to another request. If the first
// datagram from the server is not ARDP, the error has the text of the datagram.
func (r *ardpRequest) receive(datagram []byte) error {
	p, err := parsePacket(datagram)
	switch {
	case errors.Is(err, errNotARDP) && !r.hasReceived && r.isFromPeer():
		return notARDP(datagram)
	case err != nil || !r.isOwn(p):
		return nil //nolint:nilerr // ignored
	}
	r.hasReceived = true
	if p.received > len(r.packets) {
		return nil
	}
	if p.received > r.received {
		r.timer.recordProgress(time.Now())
		r.received = p.received
	}
	switch p.option {
	case optionRefused:
		return errConnection
	case optionReset:
		r.received = p.received
	case optionRedirect, optionMoved:
		return r.redirect(p.to)
	}
	return r.deliver(p)
}

// isOwn reports whether a packet has the id of the request.
//
// QUIRK: on little-endian machines the server of 1994 swaps the two bytes of the id in packets
// after the first window, and in all packets that it sends again.
func (r *ardpRequest) isOwn(p packet) bool {
	if p.id == r.id {
		return true
	}
	return p.id == bits.ReverseBytes16(r.id) && r.isFromPeer()
}

// isFromPeer reports whether the last datagram came from the host of the server. It is always
// true for a connected socket.
func (r *ardpRequest) isFromPeer() bool { return r.unconnected == nil || r.unconnected.isFromPeer() }

// deliver adds the text of p to the reply, changes the time to send again, and acknowledges
// packets if that is necessary.
func (r *ardpRequest) deliver(p packet) error {
	if p.number > 0 {
		before := r.reply.received
		isNew, err := r.reply.add(p)
		if err != nil {
			return err
		}
		if isNew {
			r.timer.isReplying = true
			r.timer.recordProgress(time.Now())
		}
		if r.reply.received > before {
			r.restartTimer(time.Now())
		}
	}
	switch {
	case p.wait > 0:
		r.extend(time.Duration(p.wait) * time.Second)
	case p.wait == 0 && r.isWaiting:
		r.restartTimer(time.Now())
	}
	return r.reportProgress(p)
}

// reportProgress acknowledges the server's packets if a whole window has arrived, or if a
// packet is probably lost, so that the server does not wait for its timer. p is the last
// packet that arrived, and may end a window. If packets of the window are missing, it sets
// reportGapAt, the time at which step calls reportGap.
func (r *ardpRequest) reportProgress(p packet) error {
	if p.number > 0 && p.flags&flagAck != 0 {
		r.windowEnd = max(r.windowEnd, p.number)
	}
	now := time.Now()
	switch {
	case r.windowEnd > 0 && r.reply.received >= r.windowEnd:
		r.windowEnd = 0
		r.timer.recordSend(now)
		return r.acknowledge()
	case r.reply.hasGap() && now.Sub(r.askedAt) > r.timer.smoothed:
		r.timer.recordResend()
		r.askedAt = now
		return r.acknowledge()
	case r.windowEnd > 0 && r.reportGapAt.IsZero(): // the missing packets may still arrive
		r.reportGapAt = now.Add(r.timer.reordering())
	}
	return nil
}

// reportGap acknowledges the packets before a gap, if the window is still incomplete, so that
// the server sends the missing packets again. By now they are late enough to be lost, and not
// only reordered.
func (r *ardpRequest) reportGap() error {
	r.reportGapAt = time.Time{}
	if r.windowEnd == 0 || r.reply.received >= r.windowEnd {
		return nil
	}
	r.timer.recordResend()
	return r.acknowledge()
}

// earliest returns the earliest of first and the others. It ignores zero times among the
// others.
func earliest(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if !t.IsZero() && t.Before(first) {
			first = t
		}
	}
	return first
}

// notARDP returns the error for a datagram that is not ARDP. It wraps errNotARDP and has the
// text of the datagram.
func notARDP(datagram []byte) error {
	return refusal(string(datagram[:min(len(datagram), maxError)]), errNotARDP)
}

// redirect continues the request at another address: it connects there, forgets the measured
// round trips, and sends the packets of the request that are not acknowledged. If all are
// acknowledged, it sends an acknowledgement of the reply. The port must be 191 or above 1023,
// so that a server cannot direct requests to servers of other protocols. Only a server on this
// machine may redirect to a loopback address. For any other address, and after maxRedirects
// redirects, the error wraps access.ErrRedirect.
func (r *ardpRequest) redirect(to netip.AddrPort) error {
	r.redirects++
	switch addr := to.Addr(); {
	case r.redirects > maxRedirects:
		return fmt.Errorf("%w: more than %d", access.ErrRedirect, maxRedirects)
	case !isAllowedPort(to.Port()), addr.IsUnspecified(), addr.IsMulticast(), addr.IsLoopback() && !r.conn.IsLocal():
		return fmt.Errorf("%w: to %s", access.ErrRedirect, to)
	}
	if err := r.connect(to.String()); err != nil {
		return err
	}
	r.timer = timer{}
	now := time.Now()
	r.timer.recordSend(now)
	r.restartTimer(now)
	return r.send()
}

// isAllowedPort reports whether a server may redirect to a port.
//
// QUIRK: 191 is the port of privileged servers of 1994.
func isAllowedPort(port uint16) bool { return port == 191 || port > 1023 }
