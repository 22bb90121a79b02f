package retry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"locus/access"
)

// overlap is how many bytes are read again after a break, to see that they are the
// same. It is also how many must be new before the count of failures begins anew:
// a server that sends a byte each time makes no progress.
const overlap = 4 << 10

// A body is the Body of a resource. It reads on after failures.
type body struct {
	engine   Engine
	attempts attempts
	ctx      context.Context
	cancel   context.CancelCauseFunc
	req      access.Request

	version  access.Validator
	size     int64          // of the whole; -1 if unknown
	start    int64          // the first byte
	pos      int64          // the next byte
	progress int64          // where the count of failures begins anew
	tail     []byte         // up to overlap bytes before pos
	room     *[overlap]byte // the memory of tail; nil before the first byte and after the end
	broken   error          // why the last attempt ended; nil if it can be read

	mu      sync.Mutex // guards what Close needs
	current io.ReadCloser
	closed  bool
}

// open makes the first attempts.
func (b *body) open() (*access.Resource, error) {
	var r *access.Resource
	err := b.repeat(func() (err error) {
		r, err = b.attempt(&b.req)
		return err
	})
	if err != nil {
		return nil, err
	}
	b.version, b.size, b.start, b.pos = r.Validator(), r.Size, r.Offset, r.Offset
	b.progress = b.pos + overlap
	return r, nil
}

// repeat calls do until it succeeds, or fails for good.
func (b *body) repeat(do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		if err := b.wait(err); err != nil {
			return err
		}
	}
}

// wait waits before another attempt, or returns why there is none.
func (b *body) wait(err error) error {
	return b.attempts.wait(b.ctx, err, func(err error, wait time.Duration) {
		if b.engine.Notify != nil {
			b.engine.Notify(b.req.URL, err, wait)
		}
	})
}

// attempt does what req asks, and keeps the Body.
func (b *body) attempt(req *access.Request) (*access.Resource, error) {
	inner := *req // an engine may change it
	r, err := b.engine.Engine.Do(b.ctx, &inner)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		r.Body.Close()
		return nil, context.Cause(b.ctx)
	}
	b.current = r.Body
	return r, nil
}

// rememberLogin makes the next attempt use the credentials of the one before it,
// so that nobody is asked twice.
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

// Read reads on after failures that may pass.
func (b *body) Read(p []byte) (int, error) {
	for {
		if b.broken != nil {
			if err := b.reopen(); err != nil {
				return 0, err
			}
		}
		n, err := b.current.Read(p)
		b.advance(p[:n])
		if err == nil {
			return n, nil
		}
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			b.freeTail()
			return n, err
		}
		b.broken = err
		b.current.Close()
		if n > 0 {
			return n, nil
		}
	}
}

// WriteTo writes all that is left to w, in larger pieces than io.Copy does.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{b}, make([]byte, 128<<10))
}

// advance records bytes that were read.
func (b *body) advance(p []byte) {
	if len(p) == 0 {
		return
	}
	b.pos += int64(len(p))
	b.attempts.reached = true
	if b.pos >= b.progress {
		b.attempts.progress()
		b.progress = b.pos + overlap
	}
	if b.room == nil {
		b.room = rooms.Get().(*[overlap]byte)
		b.tail = b.room[:0]
	}
	if len(p) >= overlap {
		b.tail = append(b.tail[:0], p[len(p)-overlap:]...)
		return
	}
	if drop := len(b.tail) + len(p) - overlap; drop > 0 {
		b.tail = append(b.tail[:0], b.tail[drop:]...)
	}
	b.tail = append(b.tail, p...)
}

// rooms are reused, so that many small files need no more memory than one.
var rooms = sync.Pool{New: func() any { return new([overlap]byte) }}

// freeTail gives the memory of tail back.
func (b *body) freeTail() {
	if b.room != nil {
		rooms.Put(b.room)
	}
	b.room, b.tail = nil, nil
}

// reopen opens the resource again after a failure, at pos.
func (b *body) reopen() error {
	if b.pos > b.start && b.version.IsZero() && b.size < 0 {
		return b.broken
	}
	if err := b.wait(b.broken); err != nil {
		return err
	}
	err := b.repeat(b.openAtPos)
	if err == nil {
		b.broken = nil
	}
	return err
}

// openAtPos makes one attempt to open the resource at pos.
func (b *body) openAtPos() error {
	req := b.req
	req.Offset = b.pos - int64(len(b.tail))
	req.IfMatch = b.version
	req.IfChanged = access.Validator{}
	if req.Length > 0 {
		req.Length -= req.Offset - b.start
	}
	r, err := b.attempt(&req)
	if err != nil {
		return err
	}
	if err := b.compare(r, req.Offset); err != nil {
		r.Body.Close()
		return err
	}
	return nil
}

// compare returns an error if r is not the resource of before. It reads r up to
// pos, from offset on.
func (b *body) compare(r *access.Resource, offset int64) error {
	if isChanged(b.version, r.Validator()) || b.size >= 0 && r.Size >= 0 && r.Size != b.size {
		return &access.Error{Op: "read", URL: b.req.URL, Err: access.ErrChanged}
	}
	if _, err := io.CopyN(io.Discard, r.Body, offset-r.Offset); err != nil {
		return early(err)
	}
	again := make([]byte, len(b.tail))
	if _, err := io.ReadFull(r.Body, again); err != nil {
		return early(err)
	}
	if !bytes.Equal(again, b.tail) {
		return &access.Error{Op: "read", URL: b.req.URL, Err: access.ErrChanged}
	}
	return nil
}

// isChanged reports whether two validators are of different versions, as far as
// they can be compared.
func isChanged(before, now access.Validator) bool {
	if before.ETag != "" && now.ETag != "" {
		return before.ETag != now.ETag
	}
	return !before.ModTime.IsZero() && !now.ModTime.IsZero() &&
		!before.ModTime.Truncate(time.Second).Equal(now.ModTime.Truncate(time.Second))
}

// early makes an end an early end.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close ends the access, even while Read is waiting in another goroutine.
func (b *body) Close() error {
	b.cancel(fs.ErrClosed)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	return b.current.Close()
}
