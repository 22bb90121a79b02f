// Package cache is an Opener around an Opener that remembers what was opened, in
// a folder: a shared cache by RFC 9111 for the web, and by the same rules for
// protocols that say nothing about caching.
//
//	c := &cache.Cache{Opener: table, Folder: folder}
//
// What is fresh is not asked for again; what is not is asked for with its
// validator, if it has one. Where the server cannot be reached, what is stale is
// better than nothing (RFC 5861 §4). Many who ask for the same at once are one
// who asks.
//
// Nothing that needs a user or a password is kept, nor what the server forbids
// to keep. What breaks off is not kept. What the clients of a proxy ask of the
// web, with methods and headers of their own, a [Web] remembers.
//
// Notable divergences:
//   - RFC 9111 §4: the request of the web engine is always the same but for its
//     URL; so Vary matters only where it is "*", and then nothing is kept.
//   - RFC 9111 §4.3.4: after 304 what was kept is as fresh again as when it came;
//     fields that came with the 304 are not looked at.
//   - RFC 9111 §4.2.2: what has no freshness of its own and was changed long ago
//     is fresh for a tenth of its age, at most a day; the same goes for files by
//     FTP and others that tell only when they were changed.
package cache

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/url"
)

// A Cache is an Engine that keeps what its Engine opened. It may be used by several goroutines at once; its fields are not
// changed then.
type Cache struct {
	// Engine is asked for what is not kept; nil opens nothing.
	Engine access.Engine

	// Folder keeps what is remembered; nil remembers nothing.
	Folder *Folder

	// Fresh is how long that is fresh of which nothing is known, not even when
	// it was changed, such as a menu; 0 means a minute, less than 0 not at all.
	Fresh time.Duration

	// Stale is for how long after that what is remembered may be given where
	// the server cannot be reached; 0 means a day, less than 0 not at all.
	Stale time.Duration

	// Now tells the time; nil is time.Now.
	Now func() time.Time

	hits, misses atomic.Uint64

	mu      sync.Mutex
	flights map[string]*flight
}

// A Hit is the Sys of a resource that was remembered. Where it came over HTTP, it
// has the fields that matter to whoever passes it on.
type Hit struct {
	Received time.Time     // when it came, or was found to be unchanged
	Stale    bool          // the server could not be asked whether it has changed
	age      time.Duration // since the server that it is from gave it
	etag     string
	fields   map[string]string
	facts    []access.Fact
	kept     *record
}

// Field returns the value of a header field; "" if there is none. Age is that of
// now (RFC 9111 §4.2.3).
func (h *Hit) Field(name string) string {
	switch name {
	case "Age":
		return strconv.FormatInt(int64(h.age/time.Second), 10)
	case "ETag":
		return h.etag
	}
	return h.fields[name]
}

// Facts returns what was known of it when it came.
func (h *Hit) Facts() []access.Fact { return h.facts }

// Do gets and stats from the folder what is fresh there, and asks the Engine for
// the rest. A change forgets what was kept of its URL. Answers are never kept.
func (c *Cache) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if c.Folder == nil {
		return c.engine().Do(ctx, req)
	}
	if req.Op.Changes() {
		defer c.forgetKey(keyOf(req.URL))
		return c.engine().Do(ctx, req)
	}
	if !isCacheable(req) {
		return c.engine().Do(ctx, req)
	}
	if req.Op == access.Stat {
		return c.stat(ctx, req)
	}
	return c.get(ctx, req)
}

// isCacheable reports whether the answer to req may be kept, and given to others.
func isCacheable(req *access.Request) bool {
	return (req.Op == access.Get || req.Op == access.Stat) && req.Answers == nil && req.Login == nil && !isPrivate(req.URL)
}

// get opens req: from the folder if that has it and it is fresh, else from the
// Engine.
func (c *Cache) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	key := keyOf(req.URL)
	kept, ok := c.Folder.find(key)
	if ok && kept.isFresh(c.now()) {
		if r, err := c.hit(ctx, kept, req, false); err == nil || errors.Is(err, access.ErrNotModified) {
			c.hits.Add(1)
			return r, err
		}
	}
	c.misses.Add(1)
	if req.Offset > 0 || req.Length > 0 {
		return c.engine().Do(ctx, req)
	}
	return c.fetch(ctx, key, opened{c, key}, req)
}

// opened is the Opener, asked for what is kept under key.
type opened struct {
	cache *Cache
	key   string
}

func (o opened) find() (kept *record, good bool) {
	kept, ok := o.cache.Folder.find(o.key)
	return kept, ok && kept.isFresh(o.cache.now())
}

func (o opened) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return o.cache.engine().Do(ctx, req)
}

func (o opened) keep(r *access.Resource, now time.Time) *record {
	v := o.cache.judge(r, now)
	if !v.keep {
		return nil
	}
	return newRecord(o.key, r, v, now)
}

func (o opened) renew(kept *record, _ error, now time.Time) *record {
	again := *kept
	again.refresh(again.Fresh, now)
	return &again
}

// Hits returns how many were opened from the folder, without asking the Opener.
func (c *Cache) Hits() uint64 { return c.hits.Load() }

// Misses returns of how many the Opener was asked, together with others or not.
// What is never remembered is not counted.
func (c *Cache) Misses() uint64 { return c.misses.Load() }

// stat finds the attributes of what req names, in the folder if it is fresh
// there.
func (c *Cache) stat(ctx context.Context, req *access.Request) (*access.Resource, error) {
	kept, ok := c.Folder.find(keyOf(req.URL))
	if !ok || kept.Listing || !kept.isFresh(c.now()) {
		return c.engine().Do(ctx, req)
	}
	e := kept.entry(req.URL)
	e.Sys.(*Hit).age = c.age(kept)
	return access.Found(e, nil)
}

func (c *Cache) engine() access.Engine {
	if c.Engine == nil {
		return access.Table(nil)
	}
	return c.Engine
}

func (c *Cache) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// isPrivate reports whether what u names may depend on who asks.
func isPrivate(u url.URL) bool {
	_, has := u.User()
	return has
}

// hit opens what is kept as req asks for it.
func (c *Cache) hit(ctx context.Context, kept *record, req *access.Request, stale bool) (*access.Resource, error) {
	if !stale && kept.isVersion(req.IfChanged) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrNotModified}
	}
	if !req.IfMatch.IsZero() && !kept.isVersion(req.IfMatch) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrChanged}
	}
	offset := min(req.Offset, kept.Length)
	if kept.Listing {
		offset = 0
	}
	body, err := c.Folder.body(kept, offset)
	if err != nil {
		return nil, err
	}
	r := kept.resource(req.URL)
	hit := r.Sys.(*Hit)
	hit.Stale, hit.age, hit.kept = stale, c.age(kept), kept
	if kept.Listing {
		list := &keptList{body: body, again: func() (*access.Resource, error) { return c.engine().Do(ctx, req) }}
		r.Body, r.List = list, list
		return r, nil
	}
	r.Offset = offset
	r.Body = withContext(ctx, body)
	return r, nil
}

// age is how long ago the server that it is from gave what is kept.
func (c *Cache) age(kept *record) time.Duration {
	return max(c.now().Sub(kept.Received), 0) + seconds(kept.Fields["Age"])
}

// withContext lets Read fail when ctx is done.
func withContext(ctx context.Context, body io.ReadCloser) io.ReadCloser { return &obedient{ctx, body} }

type obedient struct {
	ctx context.Context
	io.ReadCloser
}

func (o *obedient) Read(p []byte) (int, error) {
	if o.ctx.Err() != nil {
		return 0, context.Cause(o.ctx)
	}
	return o.ReadCloser.Read(p)
}

// keyOf is what a resource is kept under: the URL without its fragment.
func keyOf(u url.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	return text
}
