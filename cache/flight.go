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

// A flight is one access for all who ask for the same while it lasts. What comes
// is written to a file, from which all of them read.
type flight struct {
	cache  *Cache
	key    string
	source source
	kept   *record // what is stale; nil if nothing is kept
	cancel context.CancelFunc
	landed chan struct{} // closed once one of these is known:

	again    *record          // it was kept and still is good
	stale    bool             // or is better than nothing
	resource *access.Resource // it comes; its Body is not for readers
	single   bool             // it is for one alone, with its Body
	err      error            // it failed

	mu       sync.Mutex
	more     sync.Cond
	file     *writing
	n        int64 // octets in the file
	ended    bool
	failure  error // what ended it; nil if it is whole
	readers  int
	bodies   map[*shared]bool // of the readers that have begun
	most     int64            // octets that follow one another in the file; see place
	ring     []byte           // the window, where the file cannot have it
	oversize bool             // it has become too large to be kept
	outdated bool             // what it brings was forgotten before it was whole
	taken    bool             // a single one has its reader
}

// A source is what a flight asks.
type source interface {
	// find returns what is kept, nil if nothing is, and whether that is good as it
	// is: who has begun to ask may come when others have just been answered.
	find() (kept *record, good bool)
	// open asks.
	open(ctx context.Context, req *access.Request) (*access.Resource, error)
	// keep returns the record of what was received now; nil if it is not to be
	// kept.
	keep(r *access.Resource, now time.Time) *record
	// renew returns kept as it is now, when the source has said that it is
	// unchanged.
	renew(kept *record, unchanged error, now time.Time) *record
}

// fetch opens req together with all who ask for the same now: those of one key.
func (c *Cache) fetch(ctx context.Context, key string, from source, req *access.Request) (*access.Resource, error) {
	f := c.join(ctx, key, from, req)
	select {
	case <-f.landed:
	case <-ctx.Done():
		f.leave()
		return nil, context.Cause(ctx)
	}
	switch {
	case errors.Is(f.err, access.ErrPassword), errors.Is(f.err, access.ErrNotModified):
		f.leave()
		return from.open(ctx, req)
	case f.err != nil:
		f.leave()
		return nil, f.err
	case f.again != nil:
		defer f.leave()
		r, err := c.hit(ctx, f.again, req, f.stale)
		if isLost(err) {
			return from.open(ctx, req)
		}
		return r, err
	case f.single:
		return f.alone(ctx, from, req)
	}
	return f.share(ctx, req)
}

// isLost reports whether err says that what is kept could not be had after all:
// it has just been removed.
func isLost(err error) bool {
	return err != nil && !errors.Is(err, access.ErrNotModified) && !errors.Is(err, access.ErrChanged)
}

// join returns the flight for key, which begins if there is none.
func (c *Cache) join(ctx context.Context, key string, from source, req *access.Request) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.flights[key]; ok && f.enter() {
		return f
	}
	f := &flight{cache: c, key: key, source: from, landed: make(chan struct{}), readers: 1, bodies: make(map[*shared]bool), most: c.Folder.largest()}
	f.more.L = &f.mu
	var good bool
	f.kept, good = from.find()
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if good {
		f.again = f.kept
		close(f.landed)
		return f
	}
	if c.flights == nil {
		c.flights = make(map[string]*flight)
	}
	c.flights[key] = f
	asked := *req
	asked.IfChanged, asked.IfMatch = access.Validator{}, access.Validator{}
	go f.fly(ctx, &asked)
	return f
}

// enter adds a reader, unless the flight has been given up or has broken off.
func (f *flight) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers == 0 || f.oversize || f.failure != nil {
		return false
	}
	f.readers++
	return true
}

// leave takes a reader off. Nobody left is the end of the flight.
func (f *flight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers--
	f.more.Broadcast()
	if f.readers > 0 {
		return
	}
	f.cancel()
	f.abandon()
	if f.ended && f.file != nil {
		f.file.close()
	}
}

// forgetKey forgets what is kept under key, and lets what is on its way there not
// be kept: it may be from before what it is forgotten for. A flight's key may have
// lines of a header behind it.
func (c *Cache) forgetKey(key string) {
	c.mu.Lock()
	for its, f := range c.flights {
		if its == key || strings.HasPrefix(its, key+"\n") {
			delete(c.flights, its)
			f.outdate()
		}
	}
	c.mu.Unlock()
	c.Folder.remove(key)
}

// outdate lets what comes not be kept.
func (f *flight) outdate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outdated = true
}

// over lets those who come now have a flight of their own.
func (f *flight) over() {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	if f.cache.flights[f.key] == f {
		delete(f.cache.flights, f.key)
	}
}

// fly asks the source, and writes what comes into a file.
func (f *flight) fly(ctx context.Context, req *access.Request) {
	if f.kept != nil && !f.kept.Listing {
		req.IfChanged = f.kept.validator()
	}
	r, err := f.source.open(ctx, req)
	now := f.cache.now()
	if err != nil {
		defer f.over() // what is kept is written anew by one at a time
		f.fell(err)
		return
	}
	var kept *record
	list := r.List != nil
	if r.Session == nil && r.Offset == 0 && r.Size <= f.cache.Folder.largest() {
		kept = f.source.keep(r, now)
	}
	if kept != nil && !list {
		if file, err := f.cache.Folder.create(); err == nil {
			f.resource, f.file = r, file
			close(f.landed)
			f.copy(r, kept)
			return
		}
	}
	f.over()
	if kept != nil && list { // it is written as its one reader reads
		f.cache.record(r, kept)
	}
	f.hand(r)
}

// hand leaves a resource to the one who takes it.
func (f *flight) hand(r *access.Resource) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resource, f.single = r, true
	f.abandon()
	close(f.landed)
}

// abandon closes what was meant for one alone if nobody is left to take it.
func (f *flight) abandon() {
	if f.readers == 0 && f.single && !f.taken {
		f.taken = true
		f.resource.Body.Close()
	}
}

// fell ends a flight that brought nothing new.
func (f *flight) fell(err error) {
	defer close(f.landed)
	now := f.cache.now()
	switch {
	case errors.Is(err, access.ErrNotModified) && f.kept != nil:
		again := f.source.renew(f.kept, err, now)
		if f.cache.Folder.refresh(again) == nil {
			f.again = again
			return
		}
	case f.kept != nil && isUnreachable(err) && f.cache.mayGive(f.kept, now):
		f.again, f.stale = f.kept, true
		return
	case errors.Is(err, fs.ErrNotExist) && f.kept != nil:
		f.cache.Folder.remove(f.kept.Key)
	}
	f.err = err
}

// isUnreachable reports whether err says nothing about the resource, but that
// its server could not be asked (RFC 5861 §4).
func isUnreachable(err error) bool {
	for _, told := range []error{
		fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, access.ErrPassword, access.ErrForm, access.ErrRedirect, context.Canceled,
	} {
		if errors.Is(err, told) {
			return false
		}
	}
	e, ok := errors.AsType[*access.Error](err)
	return !ok || e.Reply == nil || !strings.HasPrefix(e.URL.Scheme(), "http") || e.Reply.Code >= 500
}

// copy writes what comes into the file, and keeps it if it is whole.
func (f *flight) copy(r *access.Resource, kept *record) {
	defer f.over()
	defer r.Body.Close()
	size := int64(64 << 10)
	if r.Size >= 0 {
		size = min(size, r.Size+1) // one more, for the end to be seen
	}
	buffer := make([]byte, size)
	for {
		n, err := r.Body.Read(buffer)
		if n > 0 {
			if wrong := f.write(buffer[:n]); wrong != nil {
				f.end(wrong)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			f.end(f.keep(kept))
			return
		case err != nil:
			f.end(err)
			return
		}
	}
}

// write adds octets to the file. What is too large to be kept goes round in a
// window behind what the file may have, as fast as the slowest reader reads.
func (f *flight) write(p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n < f.most && f.cache.Folder.isFull() {
		f.most = f.n
	}
	after := f.n + int64(len(p))
	f.oversize = after > f.most
	for after > f.most+window && f.slowest() < after-window {
		if f.readers == 0 {
			return context.Canceled
		}
		f.more.Wait()
	}
	for len(p) > 0 {
		n, err := f.put(p)
		f.n += int64(n)
		if err != nil && !f.overflows() {
			return err
		}
		p = p[n:]
	}
	f.more.Broadcast()
	return nil
}

// put writes what has its place in one piece.
func (f *flight) put(p []byte) (int, error) {
	at, room := f.place(f.n)
	p = p[:min(int64(len(p)), room)]
	if f.n >= f.most && f.ring != nil {
		return copy(f.ring[at-f.most:], p), nil
	}
	return f.file.put(p, at)
}

// overflows lets the window be in memory, as the disk is full, and reports
// whether that can still be done: as long as everything is where it would be in a
// file that has it all.
func (f *flight) overflows() bool {
	if f.ring != nil || f.n > f.most+window {
		return false
	}
	f.most, f.ring, f.oversize = f.n, make([]byte, window), true
	return true
}

// window is how many octets of a resource that is too large to be kept are there
// at a time.
const window = 4 << 20

// place returns where in the file, or behind it in the ring, the octet n of the
// resource is, and how many follow it there.
func (f *flight) place(n int64) (at, room int64) {
	if n < f.most {
		return n, f.most - n
	}
	round := (n - f.most) % window
	return f.most + round, window - round
}

// slowest returns how far the slowest reader is: at the start, if one has not
// begun.
func (f *flight) slowest() int64 {
	if len(f.bodies) < f.readers {
		return 0
	}
	slowest := f.n
	for b := range f.bodies {
		slowest = min(slowest, b.at)
	}
	return slowest
}

// keep keeps the file, which is whole, unless it is outdated until then. That it
// cannot be kept does not matter to those who read it.
func (f *flight) keep(kept *record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.outdated || f.n > f.most || f.file.commit(kept) != nil {
		f.file.forget()
	}
	return nil
}

// end tells the readers that nothing more comes.
func (f *flight) end(failure error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if failure != nil {
		f.file.forget()
	}
	f.ended, f.failure = true, failure
	f.more.Broadcast()
	if f.readers == 0 {
		f.file.close()
	}
}

// alone gives the resource to the first who takes it; others open their own.
func (f *flight) alone(ctx context.Context, from source, req *access.Request) (*access.Resource, error) {
	f.mu.Lock()
	first := !f.taken
	f.taken = true
	f.mu.Unlock()
	if !first {
		f.leave()
		return from.open(ctx, req)
	}
	r := *f.resource
	r.URL = withFragmentOf(r.URL, req.URL)
	r.Body = ownBody(ctx, f, r.Body)
	return &r, nil
}

// share gives a resource whose Body reads the file.
func (f *flight) share(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r := *f.resource
	if v := (&record{ETag: r.ETag, ModTime: r.ModTime}); v.isVersion(req.IfChanged) {
		f.leave()
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrNotModified}
	}
	r.URL = withFragmentOf(r.URL, req.URL)
	s := &shared{ctx: ctx, flight: f}
	s.stop = context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.more.Broadcast()
	})
	f.mu.Lock()
	f.bodies[s] = true
	f.mu.Unlock()
	r.Body = s
	return &r, nil
}

// shared is the Body of a resource that is coming.
type shared struct {
	ctx    context.Context
	flight *flight
	stop   func() bool
	at     int64
	closed sync.Once
}

func (s *shared) Read(p []byte) (int, error) {
	f := s.flight
	f.mu.Lock()
	for s.at == f.n && !f.ended && s.ctx.Err() == nil {
		f.more.Wait()
	}
	n, ended, failure := f.n, f.ended, f.failure
	f.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return 0, context.Cause(s.ctx)
	case s.at < n:
		return s.take(p, n)
	case ended && failure != nil:
		return 0, failure
	}
	return 0, io.EOF
}

// take reads what is in the file, or in the ring, of which there are n octets.
func (s *shared) take(p []byte, n int64) (int, error) {
	f := s.flight
	f.mu.Lock()
	at, room := f.place(s.at)
	var ring []byte // from at
	if s.at >= f.most && f.ring != nil {
		ring = f.ring[at-f.most:]
	}
	f.mu.Unlock()
	p = p[:min(int64(len(p)), n-s.at, room)]
	m, err := copy(p, ring), error(nil)
	if ring == nil {
		m, err = f.file.file.ReadAt(p, at)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s.at += int64(m)
	if f.oversize {
		f.more.Broadcast()
	}
	return m, err
}

func (s *shared) Close() error {
	s.closed.Do(func() {
		s.stop()
		s.flight.mu.Lock()
		delete(s.flight.bodies, s)
		s.flight.mu.Unlock()
		s.flight.leave()
	})
	return nil
}
