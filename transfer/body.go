package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"locus/access"
)

// A body is the Body of a resource, read with patience.
type body struct {
	Resuming
	patience patience
	ctx      context.Context
	cancel   context.CancelCauseFunc
	req      access.Request

	version access.Validator
	size    int64          // of the whole; -1 if unknown
	start   int64          // the first octet
	pos     int64          // the next octet
	tail    []byte         // up to overlap octets before pos
	room    *[overlap]byte // for them; nil until there are any, and after the end

	watch  *time.Timer // ends the attempt if the server is silent
	broken error       // why the last attempt ended; nil if it is under way

	mu      sync.Mutex // of what Close needs
	current *access.Resource
	attempt context.Context
	end     context.CancelCauseFunc // of the attempt
	closed  bool
}

// open makes the first attempts.
func (b *body) open() (*access.Resource, error) {
	err := b.persist(func(ctx context.Context) error { return b.try(ctx, &b.req) })
	if err != nil {
		return nil, err
	}
	r := b.current
	b.version, b.size, b.start, b.pos = r.Validator(), r.Size, r.Offset, r.Offset
	return r, nil
}

// persist does something until it succeeds, or fails for good. It has a context
// for each attempt, which is left open after success.
func (b *body) persist(do func(context.Context) error) error {
	for {
		ctx, end := context.WithCancelCause(b.ctx)
		b.mu.Lock()
		b.attempt, b.end = ctx, end
		b.mu.Unlock()
		b.watch = time.AfterFunc(b.stall(), func() { end(errStalled) })
		err := do(ctx)
		b.watch.Stop()
		if err == nil {
			return nil
		}
		err = b.why(err)
		end(err)
		if err := b.again(err); err != nil {
			return err
		}
	}
}

func (b *body) stall() time.Duration {
	switch d := b.Retry.Stall; {
	case d < 0:
		return 1 << 62
	case d > 0:
		return d
	}
	return time.Minute
}

// why returns the reason of a failure, which is silence if the watch said so.
func (b *body) why(err error) error {
	if errors.Is(context.Cause(b.attempt), errStalled) && b.ctx.Err() == nil {
		return &access.Error{Op: "read", URL: b.req.URL, Err: fmt.Errorf("%w for %v", errStalled, b.stall())}
	}
	return err
}

// again waits before another try after err. It returns err if there is to be
// none.
func (b *body) again(err error) error {
	if b.ctx.Err() != nil {
		return err
	}
	wait, err2 := b.patience.next(err)
	if err2 != nil {
		return err2
	}
	if b.Notify != nil {
		b.Notify(b.req.URL, err, wait)
	}
	if sleep(b.ctx, wait) != nil {
		return err
	}
	return nil
}

// try opens req and keeps what that gives.
func (b *body) try(ctx context.Context, req *access.Request) error {
	inner := *req
	inner.Login = b.login()
	r, err := b.engine().Do(ctx, &inner)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		r.Body.Close()
		return context.Cause(b.ctx)
	}
	b.current = r
	return nil
}

// login stops the watch while a person types, and keeps what was typed for the
// next try.
func (b *body) login() func(context.Context, access.Challenge) (access.Credentials, error) {
	ask := b.req.Login
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		b.watch.Stop()
		defer b.watch.Reset(b.stall())
		answer, err := ask(ctx, c)
		if err == nil && !c.Optional {
			b.req.Login = func(context.Context, access.Challenge) (access.Credentials, error) { return answer, nil }
		}
		return answer, err
	}
}

// Read reads on, whatever happens to connections.
func (b *body) Read(p []byte) (int, error) {
	for {
		if b.broken != nil {
			if err := b.reopen(); err != nil {
				return 0, err
			}
		}
		b.watch.Reset(b.stall())
		n, err := b.current.Body.Read(p)
		b.watch.Stop()
		b.advance(p[:n])
		if err == nil {
			return n, nil
		}
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			b.forget()
			return n, err
		}
		b.lose(b.why(err))
		if n > 0 {
			return n, nil
		}
	}
}

// WriteTo writes all that is left to w, in pieces that are larger than those of
// io.Copy.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{b}, make([]byte, 128<<10))
}

// advance takes note of octets that were read.
func (b *body) advance(p []byte) {
	if len(p) == 0 {
		return
	}
	b.pos += int64(len(p))
	b.patience.gained()
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

// rooms are for the last octets of each body, so that many small files cost no more
// memory than one.
var rooms = sync.Pool{New: func() any { return new([overlap]byte) }}

// forget gives back the room for octets that are not wanted any more.
func (b *body) forget() {
	if b.room != nil {
		rooms.Put(b.room)
	}
	b.room, b.tail = nil, nil
}

// lose lets go of a connection that is of no more use.
func (b *body) lose(err error) {
	b.broken = err
	b.end(err)
	b.current.Body.Close()
}

// reopen goes on after a failure.
func (b *body) reopen() error {
	if b.pos > b.start && b.version.IsZero() && b.size < 0 {
		return b.broken
	}
	if err := b.again(b.broken); err != nil {
		return err
	}
	err := b.persist(b.rejoin)
	if err == nil {
		b.broken = nil
	}
	return err
}

// rejoin opens the resource where the last attempt ended.
func (b *body) rejoin(ctx context.Context) error {
	req := b.req
	req.Offset = b.pos - int64(len(b.tail))
	req.IfMatch = b.version
	req.IfChanged = access.Validator{}
	if req.Length > 0 {
		req.Length -= req.Offset - b.start
	}
	if err := b.try(ctx, &req); err != nil {
		return err
	}
	err := b.same(&req)
	if err != nil {
		b.current.Body.Close()
	}
	return err
}

// same checks that what was opened is what it was before, and reads up to pos.
func (b *body) same(req *access.Request) error {
	r := b.current
	if changed(b.version, r.Validator()) || b.size >= 0 && r.Size >= 0 && r.Size != b.size {
		return &access.Error{Op: "read", URL: req.URL, Err: access.ErrChanged}
	}
	in := watched{b}
	if _, err := io.CopyN(io.Discard, in, req.Offset-r.Offset); err != nil {
		return noEOF(err)
	}
	again := make([]byte, len(b.tail))
	if _, err := io.ReadFull(in, again); err != nil {
		return noEOF(err)
	}
	if !bytes.Equal(again, b.tail) {
		return &access.Error{Op: "read", URL: req.URL, Err: access.ErrChanged}
	}
	return nil
}

// changed reports whether two validators are of different versions, as far as
// they can be compared.
func changed(before, now access.Validator) bool {
	if before.ETag != "" && now.ETag != "" {
		return before.ETag != now.ETag
	}
	return !before.ModTime.IsZero() && !now.ModTime.IsZero() &&
		!before.ModTime.Truncate(time.Second).Equal(now.ModTime.Truncate(time.Second))
}

// noEOF lets an end that came too soon be an unexpected one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// watched reads what is open now, as long as it is not silent.
type watched struct{ b *body }

func (w watched) Read(p []byte) (int, error) {
	w.b.watch.Reset(w.b.stall())
	defer w.b.watch.Stop()
	return w.b.current.Body.Read(p)
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
	if b.current == nil {
		return nil
	}
	return b.current.Body.Close()
}

// A listing is the Body of a listing.
type listing struct {
	*body
	lister access.Lister
}

// Next returns the next entry, unless the server is silent for too long.
func (l *listing) Next() (access.Entry, error) {
	l.watch.Reset(l.stall())
	defer l.watch.Stop()
	e, err := l.lister.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = l.why(err)
	}
	return e, err
}
