// Package cache stores opened resources in a folder. It is an access.Engine around another
// one, and a shared cache by RFC 9111. It applies the same rules to protocols without rules
// of their own for caching.
//
//	c := &cache.Cache{Engine: table, Folder: folder}
//
// A fresh resource is used without asking the server. A stale resource is validated, if it
// has a validator. If the server cannot be reached, the stale resource is used (RFC 5861
// §4). Requests for the same URL at the same time share one fetch. If the resource is too large to
// be stored, they get it at the pace of the slowest reader, but a Body whose reader makes others
// wait for longer than 30 seconds, at less than 8 KiB a second, fails.
//
// A resource is not stored if it needs a user or a password, if the server forbids it, or
// if it breaks off. A [Web] is the cache of a proxy for the web.
//
// # How the pieces work together
//
// [Cache].Do first looks for the metadata of a resource (metadata.go) in memory (hot.go),
// and then in the [Folder] (folder.go). If the resource is fresh (fresh.go), it is opened
// from its file (file.go). Otherwise the request joins a decision or starts one
// (decision.go). A decision asks the server once for all its members. They then share one
// sharedBody, which writes the file while they read it (shared.go, pace.go). A resource that must
// not be stored goes to one member as an offer (offer.go), and the entries of a listing are
// stored while one member reads them (list.go). A [Web] answers with the same decisions
// (web.go). It has other keys, because a response may vary by the header of the request,
// and it stores the header of the response (web_keep.go, web_answer.go).
//
// Notable divergences:
//   - RFC 9111 §4: requests of the web engine differ only in their URL. Therefore Vary matters
//     only if it is "*", which forbids storing the response.
//   - RFC 9111 §4.3.4: after a 304 a resource is as fresh as when it first arrived, because
//     the engine does not return the header of the 304.
//   - RFC 9111 §4.2.2: without an explicit lifetime, a resource is fresh for a tenth
//     of the time since its last change, at most a day. This also holds for FTP
//     and other protocols that give only the time of the last change.
//   - RFC 5861 §4: a stale resource is also used after a reply that says "not now"
//     with another status, such as 429, and in protocols other than HTTP.
package cache

import (
	"context"
	"errors"
	"io"
	neturl "net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// A Cache is an Engine that stores the resources that its Engine opens. A Request with a
// Login, a URL with a user, Answers, MoreEntries and the Op Send bypass it. A listing that
// is Incomplete is not stored, because the reader of a stored listing could not tell. A
// PublicOnly Request gets only resources that another PublicOnly Request has fetched.
// Several goroutines may use a Cache at once; do not change its fields after the first use.
type Cache struct {
	// Engine opens resources that are not stored; nil refuses them. A locus.Client sets it.
	Engine access.Engine

	// Folder has the stored resources; nil: every request goes to Engine.
	Folder *Folder

	// Now tells the time; nil: time.Now.
	Now func() time.Time

	hits, misses atomic.Uint64

	mu      sync.Mutex
	pending map[string]*decision
	saving  map[*decision]bool // the decisions whose listings are being read and may be stored
}

// Hit is the Sys of a resource from the folder, as a *Hit. If the resource came over HTTP, its
// Header has its current Age (RFC 9111 §4.2.3).
type Hit struct {
	Received time.Time // when it arrived, or was last validated
	Stale    bool      // it may have changed, but its server could not be asked
}

// Do answers Get and Stat from the folder if the resource is stored and fresh, and asks the Engine
// for everything else. If the server cannot be asked, Get may return a stale resource. A change,
// even a failed one, removes the stored resources of the URLs that read the changed resource, and the
// stored listing of its folder. If the Engine returns another URL, the stored resource of that URL is
// removed, too.
func (c *Cache) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	_, hasUser := req.URL.User()
	isPersonal := hasUser || req.Login != nil || req.Answers != nil || req.Cookies != nil
	switch {
	case c.Folder == nil:
	case req.Changes():
		return c.change(ctx, req)
	case isPersonal, req.List, req.MoreEntries > 0:
	case req.Op == access.Stat:
		return c.stat(ctx, req)
	case req.Op == access.Get:
		return c.get(ctx, req)
	}
	return c.engine().Do(ctx, req)
}

// change makes the change that req asks for, and returns the result of the Engine. It removes the
// stored resources of the URLs of keysOfChange and of the result. It does so even after an error,
// because the server may have made a change whose answer was lost.
func (c *Cache) change(ctx context.Context, req *access.Request) (*access.Resource, error) {
	defer func() {
		for _, key := range keysOfChange(req.URL) {
			c.forgetKey(key)
		}
	}()
	r, err := c.engine().Do(ctx, req)
	if err == nil && r.URL != req.URL {
		for _, key := range keysOfChange(r.URL) {
			c.forgetKey(key)
		}
	}
	return r, err
}

// get opens req from the folder if the resource is stored there and fresh. Otherwise it shares a
// fetch with other requests, or, for a request with Offset, Length or IfMatch, asks the Engine
// alone. The error wraps access.ErrNotModified if the resource still is the version of
// req.IfChanged.
func (c *Cache) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	from := engineSource{c, keyOf(req.URL), req.PublicOnly}
	stored, ok := from.stored()
	if ok && stored.isFresh(c.now()) {
		if r, err := c.open(ctx, stored, req, false); err == nil || errors.Is(err, access.ErrNotModified) {
			c.hits.Add(1)
			return r, err
		}
	}
	c.misses.Add(1)
	if req.Offset > 0 || req.Length > 0 || !req.IfMatch.IsZero() { // a shared fetch gets the whole resource, in any version
		return c.engine().Do(ctx, req)
	}
	f, err := c.fetch(ctx, from.fetchKey(), from, req)
	return f.Resource, err
}

// engineSource is the source that asks the Engine. Resources are stored under key.
type engineSource struct {
	cache      *Cache
	key        string
	publicOnly bool // of the request
}

// fetchKey returns the key under which requests share a decision. A PublicOnly request has a
// different key, because the Engine may reach private addresses for the other requests.
func (s engineSource) fetchKey() string {
	if s.publicOnly {
		return s.key + "\npublic only"
	}
	return s.key
}

// stored returns the metadata of the stored resource. It returns false if the folder lacks the
// resource, or if the request is PublicOnly and the resource may come from a private address.
func (s engineSource) stored() (*metadata, bool) {
	stored, ok := s.cache.Folder.find(s.key)
	if !ok || s.publicOnly && !stored.FromPublic {
		return nil, false
	}
	return stored, true
}

// find implements source.
func (s engineSource) find() (stored *metadata, fresh bool) {
	stored, ok := s.stored()
	return stored, ok && stored.isFresh(s.cache.now())
}

// open opens req with the Engine.
func (s engineSource) open(ctx context.Context, req *access.Request) (found, error) {
	r, err := s.cache.engine().Do(ctx, req)
	return found{Resource: r}, err
}

// metadataFor returns the metadata with which to store a resource that the Engine opened at now,
// or nil if the resource must not be stored.
func (s engineSource) metadataFor(f found, now time.Time) *metadata {
	v := s.cache.judge(f.Resource, now)
	if !v.keep {
		return nil
	}
	stored := newMetadata(s.key, f.Resource, v, now)
	stored.FromPublic = s.publicOnly
	return stored
}

// renew returns a copy of stored that is fresh from now on, for as long as stored was when it
// arrived. It ignores the error, because the error of an engine lacks the header of the 304.
func (s engineSource) renew(stored *metadata, _ error, now time.Time) *metadata {
	renewed := *stored
	renewed.refresh(renewed.Fresh, now)
	return &renewed
}

// Hits returns how many requests were answered from the folder alone.
func (c *Cache) Hits() uint64 { return c.hits.Load() }

// Misses returns how many requests had to ask the Engine, or share an access with
// others. Requests that bypass the cache are not counted.
func (c *Cache) Misses() uint64 { return c.misses.Load() }

// stat returns the attributes of a resource, with an empty Body. They come from the folder if the
// resource is stored, fresh and not a listing, and otherwise from the Engine.
func (c *Cache) stat(ctx context.Context, req *access.Request) (*access.Resource, error) {
	stored, ok := engineSource{c, keyOf(req.URL), req.PublicOnly}.stored()
	if !ok || stored.Listing || !stored.isFresh(c.now()) {
		return c.engine().Do(ctx, req)
	}
	r, err := stored.resource(req.URL, c.age(stored))
	if err != nil {
		return c.engine().Do(ctx, req)
	}
	r.Kind, r.Body = access.Object, access.NoBody
	return r, nil
}

// engine returns Engine. If Engine is nil, it returns an engine that refuses every request.
func (c *Cache) engine() access.Engine {
	if c.Engine == nil {
		return access.Table(nil)
	}
	return c.Engine
}

// now returns the current time by Now, or by time.Now if Now is nil.
func (c *Cache) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// open opens the stored resource with the metadata stored for req, without asking the server. It
// begins at req.Offset, or at the end if the resource is shorter, and ignores req.Length. A listing
// always begins with its first entry. Reads fail when ctx is done. The error wraps
// access.ErrNotModified if req.IfChanged names the stored version, and access.ErrChanged if
// req.IfMatch names another one. If stale is set, open ignores IfChanged, because the server may
// have a newer version.
func (c *Cache) open(ctx context.Context, stored *metadata, req *access.Request, stale bool) (*access.Resource, error) {
	if !stale && stored.isVersion(req.IfChanged) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrNotModified}
	}
	if !req.IfMatch.IsZero() && !stored.isVersion(req.IfMatch) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrChanged}
	}
	offset := min(req.Offset, stored.Length)
	if stored.Listing {
		offset = 0
	}
	body, err := c.Folder.body(stored, offset)
	if err != nil {
		return nil, err
	}
	r, err := stored.resource(req.URL, c.age(stored))
	if err != nil {
		body.Close()
		return nil, err
	}
	r.Sys = &Hit{Received: stored.Received, Stale: stale}
	if stored.Listing {
		list := &storedList{body: body, again: func() (*access.Resource, error) { return c.engine().Do(ctx, req) }}
		r.Body, r.List = list, list
		return r, nil
	}
	r.Offset = offset
	r.Body = &contextBody{ctx, body}
	return r, nil
}

// age returns the current Age of the stored resource: the time since the origin server sent it.
func (c *Cache) age(stored *metadata) time.Duration {
	return max(c.now().Sub(stored.Received), 0) + stored.Aged
}

// A contextBody is a Body whose Read fails when ctx is done.
type contextBody struct {
	ctx context.Context
	io.ReadCloser
}

// Read reads the Body. It returns the cause of ctx once ctx is done.
func (b *contextBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.ReadCloser.Read(p)
}

// keyOf returns the key of a resource: its URL without the fragment.
func keyOf(u url.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	return text
}

// keysOfChange returns the keys of the resources that a change of u may replace: u and the folder of
// u, each also without the user of u, because other users may read the same file. The keys of
// readersOf are included.
func keysOfChange(u url.URL) (keys []string) {
	changed := append(foldersOf(u), u)
	if public, err := u.Without(url.User, url.Password); err == nil && public != u {
		changed = append(append(changed, foldersOf(public)...), public)
	}
	for _, u := range changed {
		keys = append(append(keys, readersOf(u)...), keyOf(u))
	}
	return keys
}

// foldersOf returns the URLs of the folder that lists u, with and without a slash at the end. It
// returns nil if the URLs of the scheme have no hierarchy.
func foldersOf(u url.URL) (folders []url.URL) {
	if s, ok := scheme.Lookup(u.Scheme()); !ok || !s.Flags.Has(scheme.Hierarchical) {
		return nil
	}
	u, err := u.Without(url.Query, url.Fragment)
	if err != nil {
		return nil
	}
	path := strings.TrimRight(u.Path(), "/")
	path = path[:strings.LastIndexByte(path, '/')+1]
	for _, path := range []string{path, strings.TrimSuffix(path, "/")} {
		if folder, err := u.With(url.Path, url.Some(path)); err == nil {
			folders = append(folders, folder)
		}
	}
	return folders
}

// readersOf returns the keys of other URLs that read the resource that u writes: the gemini page of a
// titan URL, also with the escapes of u, the URLs of a file of FTP with each type code, and the
// responses for u that a Web has stored in the same Folder.
func readersOf(u url.URL) (keys []string) {
	if web, err := neturl.Parse(keyOf(u)); err == nil && facts.Of(u.Scheme()).Has(facts.Web) {
		return []string{primaryKey(web)}
	}
	if v, err := scheme.ParseTitan(u); err == nil {
		path, _, _ := strings.Cut(keyOf(u)[len("titan"):], ";")
		return []string{keyOf(v.Page().URL()), "gemini" + path}
	}
	if _, err := scheme.ParseFTP(u); err == nil {
		file := keyOf(u)
		if i := strings.LastIndexByte(file, ';'); i > strings.LastIndexByte(file, '/') {
			file = file[:i]
		}
		for _, code := range []string{"", ";type=a", ";type=i", ";type=d"} {
			keys = append(keys, file+code)
		}
	}
	return keys
}

// foundAs returns the URL for a resource that is stored at the URL at, and that a request for the
// URL asked has found. It returns asked if both URLs have the same key. Otherwise the request was
// redirected, and foundAs returns at with the fragment of asked.
func foundAs(at, asked url.URL) url.URL {
	if keyOf(at) == keyOf(asked) {
		return asked
	}
	u, err := at.With(url.Fragment, asked.Part(url.Fragment))
	if err != nil {
		return at
	}
	return u
}
