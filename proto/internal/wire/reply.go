package wire

import (
	"bytes"
	"io"
	"time"
)

// A replyLimit makes Reads share one idle limit, because a server could hold a request for ever by
// sending a byte now and then.
type replyLimit struct {
	start     time.Time // the start of the idle limit
	did       string    // the verb of the IdleError; "": each Read has its own limit
	readStart time.Time // the start of the last Read
	isLong    bool      // leastProgress bytes restart the limit
	received  int       // the bytes received since start
}

// NotEnded is the Did of an [IdleError] for a reply that took too long: see [Conn.StartReply].
const NotEnded = "did not end its reply"

// StartReply starts one idle limit for all Reads up to EndReply: they fail with an [*IdleError]
// when it has passed, even if the server sends a byte now and then. did is the Did of the error,
// such as [NotEnded]. A caller that waits for a reply calls StartReply after the first byte.
func (c *Conn) StartReply(did string) {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	c.socket.reply = replyLimit{start: time.Now(), did: did}
}

// StartLongReply starts a limit for all Reads up to EndReply, for a reply of any length: they fail with an [*IdleError]
// unless the server sends 1 KiB, or the rest of the reply, within each idle limit.
func (c *Conn) StartLongReply() {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	c.socket.reply = replyLimit{start: time.Now(), did: NotEnded, isLong: true}
}

// EndReply ends the limit of StartReply or StartLongReply. Each Read, also a pending one, has its own
// idle limit again.
func (c *Conn) EndReply() {
	c.socket.mu.Lock()
	defer c.socket.mu.Unlock()
	c.socket.reply = replyLimit{}
	_ = c.socket.refresh(reading) // the next Read returns the same error
}

// leastProgress is the number of bytes of a long reply that must arrive within the idle limit.
const leastProgress = 1 << 10

// ReadReply reads n bytes of a reply from r, which reads from c, and adds them to b. The server must
// send 1 KiB, or the rest of the n bytes, within each idle limit. b grows only as bytes arrive,
// because n comes from the server. An early end is io.ErrUnexpectedEOF.
func (c *Conn) ReadReply(b *bytes.Buffer, r io.Reader, n int) error {
	c.StartLongReply()
	defer c.EndReply()
	for n > 0 {
		b.Grow(min(n, leastProgress)) // Grow doubles the capacity
		piece := b.AvailableBuffer()
		piece = piece[:min(n, cap(piece))]
		got, err := io.ReadFull(r, piece)
		b.Write(piece[:got])
		n -= got
		if err != nil {
			return Early(err)
		}
	}
	return nil
}

// progress adds n to the number of bytes received of a long reply. When the number reaches leastProgress, progress
// restarts the limit and counts from 0 again. The caller holds the socket's mu.
func (l *replyLimit) progress(n int) {
	if l.received += n; l.received >= leastProgress {
		l.start, l.received = time.Now(), 0
	}
}
