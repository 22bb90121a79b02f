package ftp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
)

// Pipelining saves round trips: the client sends commands in one write with a transfer command, such as the EPSV of
// the next transfer. The commands are queued until the client reads their replies. Servers for which detectServer sets
// pipelines execute them after the transfer, in order.
//
// A command must not get the reply to another command. So a reply that its command cannot have is errOrder. Then the
// connection is not used again, and the Pool remembers the server, because later connections must not pipeline. The
// bytes of a file come over a data connection of their own, and their number is checked, so a wrong reply cannot
// give a file the bytes of another one.
//
// QUIRK: proftpd and pure-ftpd also read the control connection during a transfer. Then proftpd executes some commands
// at once and refuses the others, and pure-ftpd loses them. Both have already read a command that arrived together
// with the transfer command, and keep it for later. So all commands must fit in one segment.

// maxSegment limits the bytes of commands that are sent in one write with a transfer command. It is below 536, the
// size of a segment that every host accepts (RFC 9293 §3.7.1), even if TLS adds its header.
const maxSegment = 490

// errOrder wraps access.ErrTemporary because a new attempt does not pipeline.
var errOrder = sentinel.New("the replies of the server are not in the order of the commands", access.ErrTemporary)

// fitsSegment reports whether commands, with their line ends, have at most maxSegment bytes.
func fitsSegment(commands []string) bool {
	size := 0
	for _, command := range commands {
		size += len(command) + len("\r\n")
	}
	return size <= maxSegment
}

// positiveCodes has the positive codes of the replies to queries, except SIZE.
var positiveCodes = map[string][]int{
	"CWD": {200, 250}, "EPSV": {229}, "MDTM": {213}, "MFMT": {213}, "PBSZ": {200}, "PROT": {200}, "PWD": {257},
	"RNFR": {350}, "SITE": {200, 250}, "TYPE": {200},
}

// canAnswer reports whether r can be the reply to the query q, judged by its code and, for SIZE, its text.
func canAnswer(r access.Reply, q query) bool {
	verb, _, _ := strings.Cut(q.command, " ")
	if verb == "SIZE" && r.Code == 213 {
		return parseSize(strings.TrimSpace(r.Text)) >= 0 // not the reply to MFMT
	}
	return r.Code >= 400 || slices.Contains(positiveCodes[verb], r.Code)
}

// readQueued reads the replies to the queued commands, passes them to their handlers, and empties the queue. Its error
// is the error of readReplies.
//
// The replies do not count as replies to the current request, because an earlier request may have queued the commands.
func (c *controlConn) readQueued() error {
	count := c.replyCount
	defer func() { c.replyCount, c.queued = count, nil }()
	return c.readReplies(c.queued)
}

// readReplies reads and handles the replies to queries that were sent in one write. If a reply is missing or cannot be
// the reply to its query, readReplies returns at once. It returns the first error of a handler only after the last
// reply.
func (c *controlConn) readReplies(queries []query) error {
	var failed error
	for _, q := range queries {
		r, err := c.read()
		if err == nil && !canAnswer(r, q) {
			err = c.outOfOrder(r)
		}
		if err != nil {
			return err
		}
		if failed == nil {
			c.setStep(q.command)
			failed = q.handle(r)
		}
	}
	return failed
}

// outOfOrder returns errOrder for the reply r. It marks the connection as broken and disordered.
func (c *controlConn) outOfOrder(r access.Reply) error {
	c.broken, c.disordered = true, true
	return fmt.Errorf("%w: found code %d", errOrder, r.Code)
}

// checkOrder returns errOrder if a reply has arrived although all commands were answered. It ignores 421, which a
// server may send at any time.
func (c *controlConn) checkOrder() error {
	if !c.pipelines || c.replies.R.Buffered() < len("421") {
		return nil
	}
	start, _ := c.replies.R.Peek(len("421")) // they are buffered
	if string(start) == "421" {
		return nil
	}
	code, _ := strconv.Atoi(string(start))
	return c.outOfOrder(access.Reply{Code: code})
}

// noteSilence marks the connection as disordered if err means that a reply is missing while commands are queued,
// because the server may have lost a command.
func (c *controlConn) noteSilence(err error) {
	if _, idle := errors.AsType[*wire.IdleError](err); idle && len(c.queued) > 0 {
		c.disordered = true
	}
}

// endsTransfer reports whether code can be the code of the reply that ends a transfer. 500 to 504 and 450 are replies
// to other commands (RFC 959 §5.4).
func endsTransfer(code int) bool {
	return code == 226 || code == 250 || code > 400 && code != 450 && (code < 500 || code > 504)
}
