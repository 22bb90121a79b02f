package cache

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/access/engine"
)

// A request that the folder alone cannot answer joins the decision for its key, or starts
// one. A decision looks into the folder again, asks its source at most once, and leaves the
// state pending once. It does so in a goroutine of its own, so that a slow file or server
// delays only its members. The new state says how its members, the requests that have joined, are
// answered:
//
//	pending ──▶ useStored   another decision has just stored the resource, or the server says
//	       │                that it has not changed, and its metadata are renewed
//	       ├──▶ useStale    the server cannot be asked, and the stale resource may be used
//	       ├──▶ share       the resource is stored: one sharedBody for many readers (shared.go)
//	       ├──▶ offerOnce   it is a listing or must not be stored: the first member takes the
//	       │                offer (offer.go), and the others ask the source themselves
//	       └──▶ fail        any other error
//
// The sharedBody counts the members from the start. When the last member leaves, the
// request to the source is cancelled, because its answer has lost its readers.

// A decision finds out once how all requests for a key are answered.
type decision struct {
	cache  *Cache
	key    string
	client string // Request.Client of the request that started the decision
	source source
	stored *metadata // the stale resource in the folder; nil if there is none
	cancel context.CancelFunc
	body   *sharedBody // filled in the state share; counts the members in every state
	offer  offer       // made in the state offerOnce

	outdated atomic.Bool // a request has changed the resource meanwhile, so its file is not stored

	made  chan struct{} // closed when state is no longer pending; the fields below are constant from then on
	state state
	hit   *metadata // of useStored and useStale
	found found     // of share; readers must not use its Body
	err   error     // of fail
}

// A state says how a decision answers. The diagram above explains each.
type state int

const (
	pending state = iota
	useStored
	useStale
	share
	offerOnce
	fail
)

// A source is the server that a decision asks.
type source interface {
	// find returns the metadata of the stored resource, and whether it is fresh. stored is
	// nil if the folder lacks it. A decision calls find although its members have looked,
	// because another decision may have just stored the resource.
	find() (stored *metadata, fresh bool)
	// open opens the resource at the server. It may obey only IfChanged of req.
	open(ctx context.Context, req *access.Request) (found, error)
	// metadataFor returns the metadata with which to store a resource received now; nil if it
	// must not be stored.
	metadataFor(f found, now time.Time) *metadata
	// renew returns stored with a new time of expiry, because the server said that the
	// resource has not changed.
	renew(stored *metadata, unchanged error, now time.Time) *metadata
}

// A found is the answer to one request: a resource with its Body, and its origin.
type found struct {
	*access.Resource
	stored *metadata // of a resource from the folder; nil if it came from the server
	reply  *reply    // the response that a Web received; nil for a resource of an Engine
}

// fetch opens req through the decision for key, which all concurrent requests for key share. It
// waits until the decision is made. If ctx is done before, it returns the cause of ctx. from is the
// source that a new decision asks. The caller closes the Body of the result.
func (c *Cache) fetch(ctx context.Context, key string, from source, req *access.Request) (found, error) {
	d := c.join(ctx, key, from, req)
	select {
	case <-d.made:
		return d.answer(ctx, from, req)
	case <-ctx.Done():
		d.body.leave()
		return found{}, context.Cause(ctx)
	}
}

// join returns the pending decision for key, and makes the caller one of its members. If there is
// no such decision, join starts one, which requests req from the source, without the conditions of
// req. The decision outlives ctx until its last member leaves.
func (c *Cache) join(ctx context.Context, key string, from source, req *access.Request) *decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.pending[key]; ok && d.body.join() {
		return d
	}
	d := &decision{cache: c, key: key, client: req.Client, source: from, made: make(chan struct{})}
	d.body = newSharedBody(c.Folder, d.abandon)
	ctx, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if c.pending == nil {
		c.pending = make(map[string]*decision)
	}
	c.pending[key] = d
	asked := *req
	asked.IfChanged, asked.IfMatch = access.Validator{}, access.Validator{}
	asked.Known = nil // it belongs to one client, and others share the answer
	go d.run(ctx, &asked)
	return d
}

// abandon cancels the access to the source, and closes an offered resource that no member has taken.
// It is called when the last member leaves.
func (d *decision) abandon() {
	d.cancel()
	d.offer.withdraw()
}

// forgetKey removes the stored resource under key. It also forbids the decisions for key that are
// pending, or whose listings are being read, to store their resources, because they may have begun
// before the change. The key of such a decision is key, perhaps with more lines after it.
func (c *Cache) forgetKey(key string) {
	has := func(k string) bool { return k == key || strings.HasPrefix(k, key+"\n") }
	c.mu.Lock()
	for pending, d := range c.pending {
		if has(pending) {
			delete(c.pending, pending)
			d.outdated.Store(true)
		}
	}
	for d := range c.saving {
		if has(d.key) {
			d.outdated.Store(true)
		}
	}
	c.mu.Unlock()
	c.Folder.remove(key)
}

// remove removes the decision from the pending decisions, so that a later request starts a new one.
func (d *decision) remove() {
	d.cache.mu.Lock()
	defer d.cache.mu.Unlock()
	if d.cache.pending[d.key] == d {
		delete(d.cache.pending, d.key)
	}
}

// decide sets the final state of a pending decision, and wakes the members that wait for it.
func (d *decision) decide(s state) {
	d.state = s
	close(d.made)
}

// run executes the decision: it looks into the folder, asks the source for req, and fills the
// shared body. It moves the decision to its final state. When it returns, the decision is no longer
// pending.
func (d *decision) run(ctx context.Context, req *access.Request) {
	defer d.remove() // after settle, so that one decision at a time renews the metadata
	err := d.ask(ctx, req)
	switch {
	case err == nil:
	case d.state == pending:
		d.decide(d.settle(err))
	default:
		d.body.breakOff(err)
	}
}

// ask decides to use the stored resource if it is fresh. Otherwise it opens the resource at the
// source, which may answer that the stale version is still valid. It shares a resource that can be
// stored, and returns after the last byte. It offers a listing, or a resource that must not be
// stored, to one member. If the source fails or panics, ask returns an error. The decision is then
// still pending, unless the source panicked while the shared resource was read.
func (d *decision) ask(ctx context.Context, req *access.Request) (err error) {
	defer engine.CatchPanic(&err)
	var isFresh bool
	if d.stored, isFresh = d.source.find(); isFresh {
		d.hit = d.stored
		d.decide(useStored)
		return nil
	}
	if d.stored != nil && !d.stored.Listing {
		req.IfChanged = d.stored.validator()
	}
	f, err := d.source.open(ctx, req)
	if err != nil {
		return err
	}
	file, stored := d.create(f)
	switch {
	case file == nil:
	case f.List != nil: // it is written while its one reader reads
		d.cache.saveEntries(d, f.Resource, file, stored)
	default:
		d.body.begin(file)
		d.found = f
		d.decide(share)
		d.body.fill(f.Body, f.Size, stored)
		return nil
	}
	d.remove()
	d.offer.make(f)
	d.decide(offerOnce)
	return nil
}

// create returns a new file for a resource that the source has opened, and its metadata. The caller
// commits or discards the file. Both results are nil if the resource must not be stored, or cannot
// be stored now.
func (d *decision) create(f found) (*writing, *metadata) {
	if f.Session != nil || f.Offset != 0 || f.Size > d.cache.Folder.largest() {
		return nil, nil
	}
	stored := d.source.metadataFor(f, d.cache.now())
	if stored == nil {
		return nil, nil
	}
	file, err := d.cache.Folder.create()
	if err != nil {
		return nil, nil
	}
	file.outdated = &d.outdated
	return file, stored
}

// settle returns the final state after the source failed with err: useStored if the stored resource
// is unchanged, useStale if it may be used instead, and fail otherwise. It sets d.hit or d.err. It
// renews an unchanged resource in the folder, and removes one that the source no longer has.
func (d *decision) settle(err error) state {
	now := d.cache.now()
	switch {
	case errors.Is(err, access.ErrNotModified) && d.stored != nil:
		renewed := d.source.renew(d.stored, err, now)
		if d.cache.Folder.refresh(renewed) == nil {
			d.hit = renewed
			return useStored
		}
	case d.stored != nil && isUnreachable(err) && d.stored.mayGive(now):
		d.hit = d.stored
		return useStale
	case errors.Is(err, fs.ErrNotExist) && d.stored != nil:
		d.cache.Folder.remove(d.stored.Key)
	}
	d.err = err
	return fail
}

// isUnreachable reports whether err says only that the server could not be asked, or cannot answer
// now, so that a stale resource may be used (RFC 5861 §4). It is false for an error that
// contradicts the stored resource, for a canceled request and for a panic.
func isUnreachable(err error) bool {
	for _, final := range []error{
		fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, access.ErrPassword, access.ErrForm, access.ErrRedirect, context.Canceled,
	} {
		if errors.Is(err, final) {
			return false
		}
	}
	if _, ok := errors.AsType[*access.PanicError](err); ok {
		return false // because a stale resource would hide the bug
	}
	if errors.Is(err, access.ErrTemporary) || errors.Is(err, access.ErrServer) {
		return true
	}
	e, ok := errors.AsType[*access.Error](err)
	return !ok || e.Reply == nil
}

// answer returns the result for a member's request after the decision is made. If the result of the
// decision is not valid for this member, answer opens req at from, which is the member's source.
// The member leaves the decision: at once, or when it closes the Body of the result.
func (d *decision) answer(ctx context.Context, from source, req *access.Request) (found, error) {
	switch d.state {
	case share:
		return d.read(ctx, req)
	case offerOnce:
		return d.take(ctx, from, req)
	case useStored, useStale:
		defer d.body.leave()
		r, err := d.cache.open(ctx, d.hit, req, d.state == useStale)
		if err == nil || errors.Is(err, access.ErrNotModified) || errors.Is(err, access.ErrChanged) {
			return found{Resource: r, stored: d.hit}, err
		}
		return from.open(ctx, req) // because the file was removed meanwhile
	}
	d.body.leave()
	if errors.Is(d.err, access.ErrPassword) || errors.Is(d.err, access.ErrNotModified) ||
		errors.Is(d.err, access.ErrBusy) && req.Client != d.client { // the error may depend on the client
		return from.open(ctx, req)
	}
	return found{}, d.err
}

// read returns the shared resource with a Body that starts at its first byte. If req.IfChanged
// names this version, the member leaves, and the error wraps access.ErrNotModified.
func (d *decision) read(ctx context.Context, req *access.Request) (found, error) {
	r := *d.found.Resource
	if v := (&metadata{ETag: r.ETag, ModTime: r.ModTime}); v.isVersion(req.IfChanged) {
		d.body.leave()
		return found{}, &access.Error{Op: "open", URL: req.URL, Err: access.ErrNotModified}
	}
	r.URL = foundAs(r.URL, req.URL)
	r.Body = d.body.open(ctx)
	return found{Resource: &r, reply: d.found.reply}, nil
}

// take returns the offered resource to the first member that calls it. For every other member, it
// leaves the decision and opens req at from, the member's source, because an offer can be read only
// once.
func (d *decision) take(ctx context.Context, from source, req *access.Request) (found, error) {
	f, ok := d.offer.take()
	if !ok {
		d.body.leave()
		return from.open(ctx, req)
	}
	r := *f.Resource
	r.URL = foundAs(r.URL, req.URL)
	r.Body = newOfferedBody(ctx, d, r.Body)
	return found{Resource: &r, reply: f.reply}, nil
}
