package ftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// A stream reads the data connection of one download. It ends with io.EOF only if the data
// connection ended, the server confirmed the transfer, and the expected number of bytes came.
type stream struct {
	*boundConn
	data           *wire.Conn
	first          access.Reply // the first reply to the transfer command
	wantSize       int64        // the expected number of bytes; -1 if unknown
	sizeFromCaller bool         // wantSize comes from Request.Known, not from the server
	sizeRefused    bool         // the server was asked for the size, and reported none
	received       int64        // the number of bytes that Read has returned
	hasFinalReply  bool         // the reply that ends the transfer was read
	pollAt         time.Time    // the read deadline of data, at which Read looks for a reply
	silentSince    time.Time    // when Read began to wait for the next byte
	err            error        // the error of every further Read; nil before the end

	reading sync.Mutex // held by Read
	closed  atomic.Bool
}

// startDownload sends a transfer command that starts at offset, and returns the stream of its data.
func (b *boundConn) startDownload(command string, offset int64) (*stream, error) {
	data, first, err := b.transfer(command, offset)
	if err != nil {
		return nil, err
	}
	return &stream{boundConn: b, data: data, first: first, wantSize: -1, hasFinalReply: first.Code >= 200}, nil
}

// Read reads the data of the transfer. At its end it reads the reply, and checks the size.
func (st *stream) Read(p []byte) (int, error) {
	st.reading.Lock()
	defer st.reading.Unlock()
	if st.err != nil {
		return 0, st.err
	}
	if st.ctx.Err() != nil {
		return 0, st.fail(context.Cause(st.ctx))
	}
	n, err := st.readData(p)
	st.received += int64(n)
	if over := st.received - st.wantSize; st.wantSize >= 0 && over > 0 {
		return n - int(over), st.fail(st.wrongSize("more bytes than SIZE said", access.ErrProtocol))
	}
	if err == nil {
		return n, nil
	}
	cut := st.data.IsTLS() && errors.Is(err, io.ErrUnexpectedEOF) // without close_notify
	if access.IsEnd(err) || cut {
		err = st.finish(cut)
	}
	if err != nil {
		return n, st.fail(err)
	}
	st.err = io.EOF
	return n, io.EOF
}

// replyInterval is how often a Read that waits for data, or an upload, looks for a reply of the server.
const replyInterval = time.Second

// readData reads from the data connection. While no data arrive, it looks for the reply that ends the transfer, and
// returns the refusal if there is one.
//
// QUIRK: Twisted sends 550 after 125 and leaves the data connection open.
func (st *stream) readData(p []byte) (int, error) {
	for st.silentSince = time.Now(); !st.hasFinalReply; {
		limit := st.data.IdleLimit()
		if time.Until(st.pollAt) < replyInterval/2 {
			st.pollAt = time.Now().Add(replyInterval)
			if end := st.silentSince.Add(limit); limit > 0 && end.Before(st.pollAt) {
				st.pollAt = end
			}
			_ = st.data.SetReadDeadline(st.pollAt) // Read returns the same error
		}
		n, err := st.data.Read(p)
		if n > 0 || !wire.IsTimeout(err) || st.ctx.Err() != nil {
			return n, err
		}
		if _, isIdle := errors.AsType[*wire.IdleError](err); isIdle {
			return 0, err
		}
		if limit > 0 && time.Since(st.silentSince) >= limit {
			return 0, &wire.IdleError{Did: "sent nothing", Limit: limit}
		}
		if err := st.pollReply(); err != nil {
			return 0, st.directoryError(err)
		}
	}
	if !st.pollAt.IsZero() {
		st.pollAt = time.Time{}
		_ = st.data.SetReadDeadline(time.Time{})
	}
	return st.data.Read(p)
}

// pollTime is how long peekReply waits for a reply that may have arrived already.
const pollTime = 10 * time.Millisecond

// pollReply reads the reply that ends the transfer if it has arrived, and sets hasFinalReply. It returns an error if
// the reply is negative.
func (st *stream) pollReply() error {
	if _, ok := st.peekReply(); !ok {
		return nil // the control connection is silent, or finish finds the error
	}
	if _, err := st.readCompletion(); err != nil {
		return err
	}
	st.hasFinalReply = true
	return nil
}

// peekReply returns the first byte of the next reply, which it leaves unread. It waits at most pollTime. ok is false if
// no reply has arrived.
func (b *boundConn) peekReply() (first byte, ok bool) {
	_ = b.conn.SetReadDeadline(time.Now().Add(pollTime))
	start, err := b.replies.R.Peek(1)
	_ = b.conn.SetReadDeadline(time.Time{})
	if err != nil {
		return 0, false
	}
	return start[0], true
}

// copyBufferSize is the size of WriteTo's buffer. It is so large that a system call costs little
// compared to the copy.
const copyBufferSize = 128 << 10

// WriteTo copies the data to w. Its buffer is larger than io.Copy's.
func (st *stream) WriteTo(w io.Writer) (int64, error) {
	size := int64(copyBufferSize)
	if st.wantSize >= 0 && st.wantSize < size {
		size = st.wantSize + 1 // one more byte, so that a further Read finds the end
	}
	return io.CopyBuffer(onlyWriter{w}, onlyReader{st}, make([]byte, size))
}

// onlyWriter and onlyReader hide ReadFrom and WriteTo from io.CopyBuffer, because these methods
// would not use its buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// finish closes the data connection, reads the reply that ends the transfer, and checks the size. It releases the
// control connection unless it returns an error. cut says that the TLS connection ended without close_notify. Then only
// the size proves that the data are complete. The size can be trusted because it came over the control connection,
// which is secure.
func (st *stream) finish(cut bool) error {
	st.data.Close()
	if !st.hasFinalReply {
		if _, err := st.readCompletion(); err != nil {
			return st.directoryError(err)
		}
	}
	if st.wantSize >= 0 && st.received < st.wantSize {
		return st.wrongSize(fmt.Sprintf("%d bytes fewer than SIZE said", st.wantSize-st.received), io.ErrUnexpectedEOF)
	}
	if cut && st.wantSize < 0 {
		return fmt.Errorf("%w: the TLS connection ended without close_notify", io.ErrUnexpectedEOF)
	}
	st.release()
	return nil
}

// directoryError returns err, the error of a failed download. If err is the refusal of FileZilla to read a directory,
// directoryError first gives it the meaning errNotFile and the remedy access.NeedSlash.
//
// QUIRK: FileZilla Server 1.9 on Unix opens a directory as a file, and cannot read it. It reports
// no size for a directory.
func (st *stream) directoryError(err error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if ok && st.sizeRefused && st.received == 0 && hasWord(refused.Reply, "error reading from file") {
		refused.Means, refused.Remedy = errNotFile, access.NeedSlash
	}
	return err
}

// wrongSize returns the error for a wrong number of bytes. It is access.ErrChanged if the caller knew the size from
// elsewhere, because the file has changed since then. Otherwise it wraps means, and its text has the details.
func (st *stream) wrongSize(details string, means error) error {
	if st.sizeFromCaller {
		return fmt.Errorf("%w: the size differs from the known size", access.ErrChanged)
	}
	return fmt.Errorf("%w: %s", means, details)
}

// readCompletion reads the reply that ends a transfer. If the reply is negative or does not come in time, the error
// wraps errBroken, because the data may be incomplete. A full disk is access.ErrFull instead.
func (b *boundConn) readCompletion() (access.Reply, error) {
	r, err := b.readFinal()
	if r.Code > 0 && len(b.queued) > 0 && !endsTransfer(r.Code) {
		return r, b.outOfOrder(r)
	}
	if refused, ok := errors.AsType[*engine.Refusal](err); ok {
		switch {
		case errors.Is(refused.Means, access.ErrFull):
		case refused.Reply.Code < 500:
			refused.Means = fmt.Errorf("%w: %w", errBroken, access.ErrTemporary)
		default:
			refused.Means = errBroken
		}
	}
	if _, idle := errors.AsType[*wire.IdleError](err); idle {
		err = fmt.Errorf("%w: after the data %w", errBroken, err)
	}
	return r, err
}

// fail makes err the error of every further Read, and returns it with the URL. If the context is done, its cause
// replaces err.
func (st *stream) fail(err error) error {
	st.err = engine.Fail("read", st.req.URL, st.cause(err))
	return st.err
}

// Close ends the transfer and returns nil. It aborts an incomplete transfer, so that the Pool can keep the control
// connection. Without a Pool, while a Read is in progress, or if the abort fails, Close drops the control connection.
func (st *stream) Close() error {
	if st.closed.Swap(true) {
		return nil
	}
	st.data.Close()
	if st.reading.TryLock() { // no Read is in progress
		defer st.reading.Unlock()
		if st.err == nil && !st.hasFinalReply && st.client.Pool != nil && st.abort() {
			st.release()
		}
	}
	st.drop()
	return nil
}

// abortTimeout is how long a server may take to abort a transfer.
const abortTimeout = 2 * time.Second

// abort aborts a transfer whose data connection is closed. It reports whether the control
// connection can be reused. Servers answer ABOR in several ways (RFC 959 §5.4: 426 and 226, 226 and
// 226, 225), so abort sends PWD after it and reads replies up to the reply to PWD.
//
// QUIRK: FileZilla Server 1.9 may answer ABOR and PWD before the transfer. It always sends three
// replies.
func (b *boundConn) abort() bool {
	if b.broken || b.ctx.Err() != nil {
		return false
	}
	b.broken = true
	_ = b.conn.SetDeadline(time.Now().Add(abortTimeout))
	if err := b.replies.Send("ABOR", "PWD"); err != nil {
		return false
	}
	least := 1
	if b.filezilla {
		least = 3 // the replies to the transfer, ABOR and PWD
	}
	hasDirectory := false
	for count := 1; count <= maxPreliminary+len(b.queued); count++ {
		r, err := b.read()
		if err != nil {
			return false
		}
		hasDirectory = hasDirectory || r.Code == 257
		if hasDirectory && count >= least {
			b.queued = nil // their replies were among the replies that were read
			b.broken = b.conn.SetDeadline(time.Time{}) != nil
			return !b.broken
		}
	}
	return false
}
