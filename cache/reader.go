package cache

import (
	"context"
	"io"
	"io/fs"
	"sync"

	"locus/access"
)

// write adds bytes for the readers. The file holds what may be stored. Bytes beyond that
// are only in p: write returns once every reader has read them.
func (f *fetch) write(p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < f.most && f.cache.Folder.isFull() {
		f.most = f.n
	}
	f.tooLarge = f.n+int64(len(p)) > f.most
	if f.n < f.most {
		n, err := f.file.Write(p[:min(int64(len(p)), f.most-f.n)])
		f.n += int64(n)
		p = p[n:]
		if err != nil { // the disk is full
			f.most, f.tooLarge = f.n, true
		}
	}
	f.beyond = p
	f.n += int64(len(p))
	f.more.Broadcast()
	for len(p) > 0 && f.slowest() < f.n {
		if f.waiting == 0 {
			return context.Canceled
		}
		f.more.Wait()
	}
	return nil
}

// slowest returns the offset of the slowest reader; 0 if one has not begun.
func (f *fetch) slowest() int64 {
	if len(f.readers) < f.waiting {
		return 0
	}
	slowest := f.n
	for r := range f.readers {
		slowest = min(slowest, r.at)
	}
	return slowest
}

// read returns the resource with a Body that reads what the fetch receives.
func (f *fetch) read(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r := *f.resource
	if v := (&record{ETag: r.ETag, ModTime: r.ModTime}); v.isVersion(req.IfChanged) {
		f.leave()
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrNotModified}
	}
	r.URL = foundAs(r.URL, req.URL)
	body := &reader{ctx: ctx, fetch: f}
	body.stop = context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.more.Broadcast()
	})
	f.mu.Lock()
	f.readers[body] = true
	f.mu.Unlock()
	r.Body = body
	return &r, nil
}

// A reader is the Body of a resource that is being fetched.
type reader struct {
	ctx    context.Context
	fetch  *fetch
	stop   func() bool
	at     int64 // the next byte
	closed sync.Once
}

func (r *reader) Read(p []byte) (n int, err error) {
	f := r.fetch
	f.mu.Lock()
	defer f.mu.Unlock()
	for r.at == f.n && !f.ended && r.ctx.Err() == nil && f.readers[r] {
		f.more.Wait()
	}
	switch {
	case r.ctx.Err() != nil:
		return 0, context.Cause(r.ctx)
	case !f.readers[r]:
		return 0, fs.ErrClosed
	case r.at < min(f.n, f.most):
		p = p[:min(int64(len(p)), min(f.n, f.most)-r.at)]
		f.mu.Unlock()
		n, err = f.file.file.ReadAt(p, r.at)
		f.mu.Lock()
	case r.at < f.n:
		n = copy(p, f.beyond[int64(len(f.beyond))-(f.n-r.at):])
	case f.failure != nil:
		return 0, f.failure
	default:
		return 0, io.EOF
	}
	r.at += int64(n)
	if f.tooLarge {
		f.more.Broadcast()
	}
	return n, err
}

func (r *reader) Close() error {
	r.closed.Do(func() {
		r.stop()
		r.fetch.mu.Lock()
		delete(r.fetch.readers, r)
		r.fetch.mu.Unlock()
		r.fetch.leave()
	})
	return nil
}

// An exclusiveBody is the Body of a resource for one reader. Its end is that of the
// fetch.
type exclusiveBody struct {
	io.ReadCloser
	fetch *fetch
	stop  func() bool
}

// newExclusiveBody wraps body. Closing it leaves the fetch. If ctx is done, the fetch is
// cancelled.
func newExclusiveBody(ctx context.Context, f *fetch, body io.ReadCloser) io.ReadCloser {
	return &exclusiveBody{ReadCloser: body, fetch: f, stop: context.AfterFunc(ctx, f.cancel)}
}

func (b *exclusiveBody) Close() error {
	b.stop()
	defer b.fetch.leave()
	return b.ReadCloser.Close()
}
