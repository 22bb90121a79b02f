package cache

import (
	"context"
	"io"
	"sync"

	"locus/access"
)

// window is how many bytes of a resource that is too large to be stored are held in
// memory. There is one window for each such fetch, however many readers it has. So a
// limit on requests at once, as gateway has it, limits the memory for windows.
const window = 256 << 10

// write adds bytes for the readers. The file holds what may be stored. Bytes beyond
// that go round in a ring, as fast as the slowest reader reads.
func (f *fetch) write(p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < f.most && f.cache.Folder.isFull() {
		f.most = f.n
	}
	after := f.n + int64(len(p))
	f.tooLarge = after > f.most
	for after > f.most+window && f.slowest() < after-window {
		if f.waiting == 0 {
			return context.Canceled
		}
		f.more.Wait()
	}
	for len(p) > 0 {
		n, err := f.put(p)
		f.n += int64(n)
		p = p[n:]
		if err != nil { // the disk is full, so the rest goes into the ring
			f.most, f.tooLarge = f.n, true
		}
	}
	f.more.Broadcast()
	return nil
}

// put writes the part of p that is in one piece in the file or the ring.
func (f *fetch) put(p []byte) (int, error) {
	if f.n < f.most {
		return f.file.Write(p[:min(int64(len(p)), f.most-f.n)])
	}
	if f.ring == nil {
		f.ring = make([]byte, window)
	}
	return copy(f.ring[(f.n-f.most)%window:], p), nil
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
	r.URL = withFragmentOf(r.URL, req.URL)
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

func (r *reader) Read(p []byte) (int, error) {
	f := r.fetch
	f.mu.Lock()
	for r.at == f.n && !f.ended && r.ctx.Err() == nil {
		f.more.Wait()
	}
	n, ended, failure := f.n, f.ended, f.failure
	f.mu.Unlock()
	switch {
	case r.ctx.Err() != nil:
		return 0, context.Cause(r.ctx)
	case r.at < n:
		return r.copy(p, n)
	case ended && failure != nil:
		return 0, failure
	}
	return 0, io.EOF
}

// copy reads from the file or the ring, which have all bytes before n.
func (r *reader) copy(p []byte, n int64) (m int, err error) {
	f := r.fetch
	f.mu.Lock()
	most := f.most
	f.mu.Unlock()
	p = p[:min(int64(len(p)), n-r.at)]
	if r.at < most {
		m, err = f.file.file.ReadAt(p[:min(int64(len(p)), most-r.at)], r.at)
	} else {
		m = copy(p, f.ring[(r.at-most)%window:]) // put overwrites nothing that a reader has not read
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r.at += int64(m)
	if f.tooLarge {
		f.more.Broadcast()
	}
	return m, err
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

// newExclusiveBody returns body. The fetch is cancelled when ctx is done.
func newExclusiveBody(ctx context.Context, f *fetch, body io.ReadCloser) io.ReadCloser {
	return &exclusiveBody{ReadCloser: body, fetch: f, stop: context.AfterFunc(ctx, f.cancel)}
}

func (b *exclusiveBody) Close() error {
	b.stop()
	defer b.fetch.leave()
	return b.ReadCloser.Close()
}
