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

// A stream is the data of one transfer. It ends with io.EOF only when the data
// connection has ended, the server has said that the transfer is complete, and
// as many octets have come as it had announced.
type stream struct {
	*session
	data  *wire.Conn
	first access.Reply // to the command
	want  int64        // how many octets must come; -1 if unknown
	known bool         // want is what the caller knew, and not what the server said
	got   int64
	ended bool  // the reply that ends the transfer has come already
	err   error // what Read gives from now on; nil while there are data

	reading sync.Mutex // held by Read
	closed  atomic.Bool
}

// fetch sends a command whose result comes on a data connection, from offset on.
func (s *session) fetch(command string, offset int64) (*stream, error) {
	data, first, err := s.transfer(command, offset)
	if err != nil {
		return nil, err
	}
	return &stream{session: s, data: data, first: first, want: -1, ended: first.Code >= 200}, nil
}

// Read gives the octets of the transfer as they come.
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
	st.got += int64(n)
	if over := st.got - st.want; st.want >= 0 && over > 0 {
		return n - int(over), st.fail(st.wrongSize("more octets than SIZE said", access.ErrProtocol))
	}
	if err == nil {
		return n, nil
	}
	cut := st.data.IsTLS() && errors.Is(err, io.ErrUnexpectedEOF) // without close_notify
	if errors.Is(err, io.EOF) || cut {
		err = st.finish(cut)
	}
	if err != nil {
		return n, st.fail(err)
	}
	st.err = io.EOF
	return n, io.EOF
}

// copyBuffer is how much WriteTo reads at once. A system call for so much costs
// little beside the copy.
const copyBuffer = 128 << 10

// WriteTo writes the octets of the transfer to w, as io.Copy does with a larger
// buffer than its own.
func (st *stream) WriteTo(w io.Writer) (int64, error) {
	size := int64(copyBuffer)
	if st.want >= 0 && st.want < size {
		size = st.want + 1 // one more, for the end to be seen
	}
	return io.CopyBuffer(onlyWriter{w}, onlyReader{st}, make([]byte, size))
}

// onlyWriter and onlyReader hide the ReadFrom of a writer and the WriteTo of a
// stream, which have buffers of their own.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// finish reads the reply that ends the transfer. If the data were cut off
// without TLS's word that they are whole, only their number can still prove it:
// that, and the reply, came over the control connection, which is secure.
func (st *stream) finish(cut bool) error {
	st.data.Close()
	if !st.ended {
		if _, err := st.complete(); err != nil {
			return err
		}
	}
	if st.want >= 0 && st.got < st.want {
		return st.wrongSize(fmt.Sprintf("%d octets fewer than SIZE said", st.want-st.got), io.ErrUnexpectedEOF)
	}
	if cut && st.want < 0 {
		return fmt.Errorf("%w: TLS did not say that the data are whole (no close_notify)", io.ErrUnexpectedEOF)
	}
	st.leave()
	return nil
}

func (st *stream) wrongSize(what string, means error) error {
	if st.known {
		return fmt.Errorf("%w: it is not as long as it was known to be", access.ErrChanged)
	}
	return fmt.Errorf("%w: %s", means, what)
}

// complete reads the reply that ends a transfer.
func (s *session) complete() (access.Reply, error) {
	r, err := s.final()
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
	st.err = access.Fail("read", st.req.URL, st.why(err))
	return st.err
}

// Close ends the transfer, complete or not.
func (st *stream) Close() error {
	if st.closed.Swap(true) {
		return nil
	}
	st.data.Close()
	if st.reading.TryLock() { // nobody is reading
		defer st.reading.Unlock()
		if st.err == nil && !st.ended && st.client.Pool != nil && st.abort() {
			st.leave()
		}
	}
	st.drop()
	return nil
}

// haste is how long a server may take to break a transfer off.
const haste = 2 * time.Second

// abort breaks off a transfer whose data connection is closed, and reports
// whether the connection can be used again. Servers answer ABOR in several ways
// (RFC 959 §5.4: 426 and 226, 226 and 226, 225); the answer to a PWD says where
// they end.
func (s *session) abort() bool {
	if s.spoilt || s.ctx.Err() != nil {
		return false
	}
	s.spoilt = true
	_ = s.conn.SetDeadline(time.Now().Add(haste))
	if err := s.send("ABOR", "PWD"); err != nil {
		return false
	}
	for range maxPreliminary {
		r, err := s.read()
		if err != nil || r.Code == 421 {
			return false
		}
		if r.Code == 257 {
			s.epsvPending = false // its reply was among the others
			s.spoilt = s.conn.SetDeadline(time.Time{}) != nil
			return !s.spoilt
		}
	}
	return false
}
