package retry

import (
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"io/fs"
	"sync"
	"time"

	"locus/access"
)

// overlap is the number of bytes that are read again after a failure and compared. It is also the number of new bytes
// that reset the count of failures, because a server that sends one byte per connection makes no progress.
const overlap = 4 << 10

// A body is the Body of a resource. After a transient failure it opens the resource again at an offset shortly before
// pos, checks that the resource is still the same, and reads on.
type body struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	engine   access.Engine
	req      access.Request
	attempts attempts

	version access.Validator
	size    int64 // of the whole resource; -1 if unknown
	start   int64 // offset of the first byte
	pos     int64 // offset of the next byte
	resetAt int64 // the offset at which the count of failures is reset

	tail []byte // the last bytes before pos, up to overlap
	// sum is the hash of all bytes up to pos. It is nil if the resource has a validator or a size.
	sum     *maphash.Hash
	readErr error // why the connection broke; nil if conn can be read

	mu     sync.Mutex // guards conn and closed
	conn   io.ReadCloser
	closed bool
}

// open opens the resource for the first time, with retries. It remembers the version, the size and the offset of the
// resource, with which later attempts are compared. The Body of the result is also in b.conn.
func (b *body) open() (*access.Resource, error) {
	var r *access.Resource
	err := b.attempts.repeat(b.ctx, func() (err error) {
		r, err = b.do(&b.req)
		return err
	})
	if err != nil {
		return nil, err
	}
	b.version, b.size, b.start, b.pos = r.Validator(), r.Size, r.Offset, r.Offset
	b.resetAt = b.pos + overlap
	if b.version.IsZero() && b.size < 0 {
		b.sum = new(maphash.Hash)
	}
	return r, nil
}

// do sends a copy of req once, without retries. It keeps the Body of the resource in b.conn. If b was closed meanwhile,
// it closes the Body and returns the cause of b.ctx.
func (b *body) do(req *access.Request) (*access.Resource, error) {
	inner := *req // because an engine may change it
	inner.Attempt = b.attempts.total
	r, err := b.engine.Do(b.ctx, &inner)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		r.Body.Close()
		return nil, context.Cause(b.ctx)
	}
	b.conn = r.Body
	return r, nil
}

// rememberLogin replaces b.req.Login, so that it asks the user only once: later calls return the first answer. Answers
// to optional challenges are not remembered.
func (b *body) rememberLogin() {
	ask := b.req.Login
	if ask == nil {
		return
	}
	b.req.Login = func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		answer, err := ask(ctx, c)
		if err == nil && !c.Optional {
			b.req.Login = func(context.Context, access.Challenge) (access.Credentials, error) { return answer, nil }
		}
		return answer, err
	}
}

// Read reads from the resource. After a transient failure it opens the resource again and continues at the same byte.
// It returns an error if the failure is permanent, the retries end, or the resource has changed.
func (b *body) Read(p []byte) (int, error) {
	for {
		if b.readErr != nil {
			if err := b.reopen(); err != nil {
				return 0, err
			}
		}
		n, err := b.conn.Read(p)
		b.advance(p[:n])
		if err == nil {
			return n, nil
		}
		if access.IsEnd(err) {
			return n, err
		}
		b.readErr = err
		b.conn.Close()
		if n > 0 {
			return n, nil
		}
	}
}

// WriteTo writes the bytes of the resource that have not been read to w. It uses a larger buffer than io.Copy, which
// still fits in the cache of a processor beside the data of the kernel.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{b}, make([]byte, 64<<10))
}

// advance records that Read returns p. It moves pos. It adds p to sum or, if sum is nil, to tail, which keeps the last
// overlap bytes, because checkSame compares them with a later response. It resets the count of failures after every
// overlap bytes, because reading makes progress.
func (b *body) advance(p []byte) {
	if len(p) == 0 {
		return
	}
	b.pos += int64(len(p))
	b.attempts.received = true
	if b.pos >= b.resetAt {
		b.attempts.reset()
		b.resetAt = b.pos + overlap
	}
	if b.sum != nil {
		_, _ = b.sum.Write(p) // it never fails
		return
	}
	p = p[max(len(p)-overlap, 0):]
	if b.tail == nil {
		b.tail = make([]byte, 0, overlap)
	}
	if drop := len(b.tail) + len(p) - overlap; drop > 0 {
		b.tail = append(b.tail[:0], b.tail[drop:]...)
	}
	b.tail = append(b.tail, p...)
}

// reopen waits, and opens the resource at pos, with retries, after a read failed with readErr. If it succeeds, it sets
// readErr to nil.
func (b *body) reopen() error {
	err := b.attempts.wait(b.ctx, b.readErr)
	if err == nil {
		err = b.attempts.repeat(b.ctx, b.openAtPos)
	}
	if err == nil {
		b.readErr = nil
	}
	return err
}

// openAtPos makes one attempt to open the resource at pos. It asks for the bytes of tail again or, if b has a sum, for
// all bytes from start, and compares them. If the server refuses to begin at an offset, and the whole resource was
// requested, openAtPos reads from the first byte.
// The error wraps access.ErrChanged if the resource has changed.
func (b *body) openAtPos() error {
	req := b.req
	req.Offset = b.pos - int64(len(b.tail))
	if b.sum != nil {
		req.Offset = b.start
	}
	req.IfMatch = b.version
	req.IfChanged = access.Validator{}
	if req.Length > 0 { // up to the requested end, but at least one byte after pos
		req.Length = max(b.req.Offset+b.req.Length, b.pos+1) - req.Offset
	}
	offset := req.Offset
	r, err := b.do(&req)
	if b.start == 0 && b.req.Length == 0 && req.Offset > 0 && RefusesRange(err) {
		req.Offset = 0
		r, err = b.do(&req)
	}
	if err != nil {
		return err
	}
	if err := b.checkSame(r, offset); err != nil {
		r.Body.Close()
		return err
	}
	return nil
}

// checkSame reads r up to pos, and compares the bytes between offset and pos with the bytes that Read returned. r may
// begin before offset. The error wraps access.ErrChanged if r is not the same resource; any other error is an error of
// reading r.
func (b *body) checkSame(r *access.Resource, offset int64) error {
	changed := &access.Error{Op: "read", URL: b.req.URL, Err: access.ErrChanged}
	if IsChanged(b.version, r.Validator()) || b.size >= 0 && r.Size >= 0 && r.Size != b.size {
		return changed
	}
	if _, err := io.CopyN(io.Discard, r.Body, offset-r.Offset); err != nil {
		return UnexpectedEOF(err)
	}
	if b.sum != nil {
		var again maphash.Hash
		again.SetSeed(b.sum.Seed())
		if _, err := io.CopyN(&again, r.Body, b.pos-offset); err != nil {
			return UnexpectedEOF(err)
		}
		if again.Sum64() != b.sum.Sum64() {
			return changed
		}
		return nil
	}
	again := make([]byte, len(b.tail))
	if _, err := io.ReadFull(r.Body, again); err != nil {
		return UnexpectedEOF(err)
	}
	if !bytes.Equal(again, b.tail) {
		return changed
	}
	return nil
}

// Close closes the connection and ends the retries, even if Read waits in another goroutine. A second Close returns
// nil.
func (b *body) Close() error {
	b.cancel(fs.ErrClosed)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	return b.conn.Close()
}

// IsChanged reports whether two validators belong to different versions of a resource. It compares the ETags if both
// have one, or else the times, to the second. It returns false if they have neither in common.
func IsChanged(before, now access.Validator) bool {
	if before.ETag != "" && now.ETag != "" {
		return before.ETag != now.ETag
	}
	return !before.ModTime.IsZero() && !now.ModTime.IsZero() &&
		!before.ModTime.Truncate(time.Second).Equal(now.ModTime.Truncate(time.Second))
}

// UnexpectedEOF returns io.ErrUnexpectedEOF if err is io.EOF, and err otherwise. It returns an error that wraps io.EOF
// unchanged.
func UnexpectedEOF(err error) error {
	if access.IsEnd(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}
