package cache

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"locus/access"
)

// A fetch is one request that all who ask for the same resource share while it is
// pending. It writes the bytes to a file, which all of them read.
type fetch struct {
	cache  *Cache
	key    string
	client string // Request.Client of who started it
	source source
	stored *record // what is stored already, but stale; nil if nothing is
	cancel context.CancelFunc
	ready  chan struct{} // closed once the fields below are set

	hit       *record          // the stored record, if it may be used
	stale     bool             // hit is stale
	resource  *access.Resource // from the source; readers must not use its Body
	exclusive bool             // resource goes to one reader, with its Body
	err       error            // the fetch failed

	mu       sync.Mutex
	more     sync.Cond // something below has changed
	file     *writing
	n        int64 // bytes received
	ended    bool
	failure  error // why it broke off; nil if it is complete
	waiting  int   // readers, and those who will be once it is ready
	readers  map[*reader]bool
	most     int64  // the file holds the bytes before this offset
	beyond   []byte // the bytes before n, from most on, that a reader may not have read yet
	tooLarge bool   // it will not be stored
	outdated bool   // the resource was changed during the fetch: it will not be stored
	taken    bool   // an exclusive resource has its reader
}

// A source is what a fetch asks.
type source interface {
	// find returns the stored record, nil if there is none, and whether it is
	// fresh. Another fetch may have just stored it.
	find() (stored *record, fresh bool)
	// open asks the server.
	open(ctx context.Context, req *access.Request) (*access.Resource, error)
	// keep returns the record of a resource received now; nil if it must not be
	// stored.
	keep(r *access.Resource, now time.Time) *record
	// renew returns stored with a new time of expiry, after the server said that
	// it has not changed.
	renew(stored *record, unchanged error, now time.Time) *record
}

// fetch opens req. All requests for the same key at the same time share one fetch.
func (c *Cache) fetch(ctx context.Context, key string, from source, req *access.Request) (*access.Resource, error) {
	f := c.join(ctx, key, from, req)
	select {
	case <-f.ready:
	case <-ctx.Done():
		f.leave()
		return nil, context.Cause(ctx)
	}
	switch {
	case errors.Is(f.err, access.ErrPassword), errors.Is(f.err, access.ErrNotModified),
		errors.Is(f.err, access.ErrBusy) && req.Client != f.client: // it may depend on who asks
		f.leave()
		return from.open(ctx, req)
	case f.err != nil:
		f.leave()
		return nil, f.err
	case f.hit != nil:
		defer f.leave()
		r, err := c.open(ctx, f.hit, req, f.stale)
		if err == nil || errors.Is(err, access.ErrNotModified) || errors.Is(err, access.ErrChanged) {
			return r, err
		}
		return from.open(ctx, req) // the file was removed meanwhile
	case f.exclusive:
		return f.take(ctx, from, req)
	}
	return f.read(ctx, req)
}

// join returns the pending fetch for key, or starts one.
func (c *Cache) join(ctx context.Context, key string, from source, req *access.Request) *fetch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.pending[key]; ok && f.enter() {
		return f
	}
	f := &fetch{cache: c, key: key, client: req.Client, source: from, ready: make(chan struct{}), waiting: 1, readers: make(map[*reader]bool), most: c.Folder.largest()}
	f.more.L = &f.mu
	var fresh bool
	f.stored, fresh = from.find()
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if fresh {
		f.hit = f.stored
		close(f.ready)
		return f
	}
	if c.pending == nil {
		c.pending = make(map[string]*fetch)
	}
	c.pending[key] = f
	asked := *req
	asked.IfChanged, asked.IfMatch = access.Validator{}, access.Validator{}
	asked.Known = nil // only one client knows it
	go f.run(ctx, &asked)
	return f
}

// enter adds a reader. It returns false if the fetch was cancelled, broke off, or
// is too large for readers who start late.
func (f *fetch) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting == 0 || f.tooLarge || f.failure != nil {
		return false
	}
	f.waiting++
	return true
}

// leave removes a reader. When the last reader leaves, the fetch is cancelled.
func (f *fetch) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	f.more.Broadcast()
	if f.waiting > 0 {
		return
	}
	f.cancel()
	f.closeUntaken()
	if f.ended && f.file != nil {
		f.file.close()
	}
}

// forgetKey removes what is stored under key. Fetches that are pending for it are
// not stored: they may have begun before the change. The key of a pending fetch may
// have more lines behind it.
func (c *Cache) forgetKey(key string) {
	c.mu.Lock()
	for pending, f := range c.pending {
		if pending == key || strings.HasPrefix(pending, key+"\n") {
			delete(c.pending, pending)
			f.mu.Lock()
			f.outdated = true
			f.mu.Unlock()
		}
	}
	c.mu.Unlock()
	c.Folder.remove(key)
}

// remove removes the fetch from the pending ones: a later request starts another.
func (f *fetch) remove() {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	if f.cache.pending[f.key] == f {
		delete(f.cache.pending, f.key)
	}
}

// run asks the source, and copies what comes into a file.
func (f *fetch) run(ctx context.Context, req *access.Request) {
	defer f.remove() // after settle, so that one fetch at a time renews a record
	err := f.ask(ctx, req)
	if err == nil {
		return
	}
	select {
	case <-f.ready:
		f.end(err)
	default:
		f.settle(err)
	}
}

// ask opens the resource, and stores it or gives it to one reader. It returns the error if
// it cannot be opened. A panic of the source is returned as an error, too, even one while
// the resource is read.
func (f *fetch) ask(ctx context.Context, req *access.Request) (err error) {
	defer access.CatchPanic(&err)
	if f.stored != nil && !f.stored.Listing {
		req.IfChanged = f.stored.validator()
	}
	r, err := f.source.open(ctx, req)
	if err != nil {
		return err
	}
	var stored *record
	isList := r.List != nil
	if r.Session == nil && r.Offset == 0 && r.Size <= f.cache.Folder.largest() {
		stored = f.source.keep(r, f.cache.now())
	}
	if stored != nil && !isList {
		if file, err := f.cache.Folder.create(); err == nil {
			f.resource, f.file = r, file
			close(f.ready)
			f.copy(r, stored)
			return nil
		}
	}
	f.remove()
	if stored != nil && isList { // it is written while its one reader reads
		f.cache.record(r, stored)
	}
	f.give(r)
	return nil
}

// give offers a resource to one reader.
func (f *fetch) give(r *access.Resource) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resource, f.exclusive = r, true
	f.closeUntaken()
	close(f.ready)
}

// closeUntaken closes an exclusive resource if nobody is left to take it.
func (f *fetch) closeUntaken() {
	if f.waiting == 0 && f.exclusive && !f.taken {
		f.taken = true
		f.resource.Body.Close()
	}
}

// take gives the resource to the first reader. Others open their own.
func (f *fetch) take(ctx context.Context, from source, req *access.Request) (*access.Resource, error) {
	f.mu.Lock()
	isFirst := !f.taken
	f.taken = true
	f.mu.Unlock()
	if !isFirst {
		f.leave()
		return from.open(ctx, req)
	}
	r := *f.resource
	r.URL = foundAs(r.URL, req.URL)
	r.Body = newExclusiveBody(ctx, f, r.Body)
	return &r, nil
}

// settle ends a fetch without a resource. It may use the stored record instead.
func (f *fetch) settle(err error) {
	defer close(f.ready)
	now := f.cache.now()
	switch {
	case errors.Is(err, access.ErrNotModified) && f.stored != nil:
		renewed := f.source.renew(f.stored, err, now)
		if f.cache.Folder.refresh(renewed) == nil {
			f.hit = renewed
			return
		}
	case f.stored != nil && isUnreachable(err) && f.stored.mayGive(now):
		f.hit, f.stale = f.stored, true
		return
	case errors.Is(err, fs.ErrNotExist) && f.stored != nil:
		f.cache.Folder.remove(f.stored.Key)
	}
	f.err = err
}

// isUnreachable reports whether err says nothing about the resource: its server
// could not be asked, or cannot answer now (RFC 5861 §4).
func isUnreachable(err error) bool {
	for _, final := range []error{
		fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, access.ErrPassword, access.ErrForm, access.ErrRedirect, context.Canceled,
	} {
		if errors.Is(err, final) {
			return false
		}
	}
	if _, ok := errors.AsType[*access.PanicError](err); ok {
		return false // a bug, which a stale resource would hide
	}
	if errors.Is(err, access.ErrTemporary) || errors.Is(err, access.ErrServer) {
		return true
	}
	e, ok := errors.AsType[*access.Error](err)
	return !ok || e.Reply == nil
}

// copy writes the Body into the file, and stores the file if it is complete.
func (f *fetch) copy(r *access.Resource, stored *record) {
	defer r.Body.Close()
	size := int64(64 << 10)
	if r.Size >= 0 {
		size = min(size, r.Size+1) // one more to see the end
	}
	buffer := make([]byte, size)
	for {
		n, err := r.Body.Read(buffer)
		if n > 0 {
			if err := f.write(buffer[:n]); err != nil {
				f.end(err)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			f.store(stored)
			f.end(nil)
			return
		case err != nil:
			f.end(err)
			return
		}
	}
}

// store stores the file, which is complete, unless it is outdated by now. Readers
// do not care if that fails.
func (f *fetch) store(stored *record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.outdated || f.n > f.most || f.file.commit(stored) != nil {
		f.file.forget()
	}
}

// end ends a fetch that writes a file: its readers get failure, or io.EOF if that is nil.
// After a failure the file is removed. Only the first call counts.
func (f *fetch) end(failure error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || f.file == nil {
		return
	}
	if failure != nil {
		f.file.forget()
	}
	f.ended, f.failure = true, failure
	f.more.Broadcast()
	if f.waiting == 0 {
		f.file.close()
	}
}
