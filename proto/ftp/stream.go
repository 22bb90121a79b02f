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
	"locus/proto/internal/wire"
)

// A stream is the data of one download. It ends with io.EOF only if the data
// connection ended, the server confirmed the transfer, and the expected number
// of bytes came.
type stream struct {
	*session
	data           *wire.Conn
	first          access.Reply // to the transfer command
	wantSize       int64        // expected bytes; -1 if unknown
	sizeFromCaller bool         // wantSize comes from Request.Known, not from the server
	sizeRefused    bool         // the server was asked for the size, and told none
	received       int64
	hasFinalReply  bool  // the reply that ends the transfer was read
	err            error // what Read returns from now on; nil before the end

	reading sync.Mutex // held by Read
	closed  atomic.Bool
}

func (s *session) startDownload(command string, offset int64) (*stream, error) {
	data, first, err := s.transfer(command, offset)
	if err != nil {
		return nil, err
	}
	return &stream{session: s, data: data, first: first, wantSize: -1, hasFinalReply: first.Code >= 200}, nil
}

func (st *stream) Read(p []byte) (int, error) {
	st.reading.Lock()
	defer st.reading.Unlock()
	if st.err != nil {
		return 0, st.err
	}
	if st.ctx.Err() != nil {
		return 0, st.fail(context.Cause(st.ctx))
	}
	n, err := st.data.Read(p)
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

// copyBufferSize is the size of WriteTo's buffer. One system call for so much
// is cheap compared to the copy.
const copyBufferSize = 128 << 10

// WriteTo copies the data to w. Its buffer is larger than that of io.Copy.
func (st *stream) WriteTo(w io.Writer) (int64, error) {
	size := int64(copyBufferSize)
	if st.wantSize >= 0 && st.wantSize < size {
		size = st.wantSize + 1 // one more, to see the end
	}
	return io.CopyBuffer(onlyWriter{w}, onlyReader{st}, make([]byte, size))
}

// onlyWriter and onlyReader hide ReadFrom and WriteTo, which use their own
// buffers.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// finish reads the reply that ends the transfer, and checks the size. cut says
// that TLS data ended without close_notify. Then only the size proves that they
// are complete; size and reply came over the control connection, which is
// secure.
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

// directoryError returns the error of a failed download. If the name is that of a directory,
// the error says so.
//
// QUIRK: FileZilla Server 1.9 on Unix opens a directory as a file, and cannot read it. It
// tells no size for a directory.
func (st *stream) directoryError(err error) error {
	refused, ok := errors.AsType[*access.Refusal](err)
	if ok && st.sizeRefused && st.received == 0 && hasWord(refused.Reply, "error reading from file") {
		refused.Means, refused.Remedy = errNotFile, access.NeedSlash
	}
	return err
}

func (st *stream) wrongSize(what string, means error) error {
	if st.sizeFromCaller {
		return fmt.Errorf("%w: the size differs from the known size", access.ErrChanged)
	}
	return fmt.Errorf("%w: %s", means, what)
}

func (s *session) readCompletion() (access.Reply, error) {
	r, err := s.readFinal()
	if refused, ok := errors.AsType[*access.Refusal](err); ok {
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

func (st *stream) fail(err error) error {
	st.err = access.Fail("read", st.req.URL, st.cause(err))
	return st.err
}

func (st *stream) Close() error {
	if st.closed.Swap(true) {
		return nil
	}
	st.data.Close()
	if st.reading.TryLock() { // nobody is reading
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

// abort aborts a transfer whose data connection is closed. It reports whether
// the control connection can be reused. Servers answer ABOR in several ways
// (RFC 959 §5.4: 426 and 226, 226 and 226, 225). The reply to a PWD shows
// where these end.
//
// QUIRK: FileZilla Server 1.9 may answer ABOR and PWD before the transfer. It always answers
// all three.
func (s *session) abort() bool {
	if s.broken || s.ctx.Err() != nil {
		return false
	}
	s.broken = true
	_ = s.conn.SetDeadline(time.Now().Add(abortTimeout))
	if err := s.replies.Send("ABOR", "PWD"); err != nil {
		return false
	}
	least := 1
	if s.filezilla {
		least = 3 // of the transfer, ABOR and PWD
	}
	hasDirectory := false
	for count := 1; count <= maxPreliminary; count++ {
		r, err := s.read()
		if err != nil {
			return false
		}
		hasDirectory = hasDirectory || r.Code == 257
		if hasDirectory && count >= least {
			s.epsvPending = false // its reply was among the others
			s.broken = s.conn.SetDeadline(time.Time{}) != nil
			return !s.broken
		}
	}
	return false
}
