package check

import (
	"strings"
	"sync"

	"locus/extract"
)

// A cachedLink is a link without its place; isLink is false if there is nothing to check.
type cachedLink struct {
	url, bad string
	isLink   bool
}

// A linkCache is the links of pages in one folder, by their texts. Most pages of a site have
// the same ones.
type linkCache struct {
	mu    sync.RWMutex
	links map[string]cachedLink
}

// maxCachedLinks is how many links are cached, about.
const maxCachedLinks = 1 << 16

// linkCaches are the caches of all folders, and of the roots of servers, by their URLs.
type linkCaches struct {
	mu    sync.Mutex
	all   map[string]*linkCache
	count int // how many links they have
}

// of returns the cache of a folder.
func (c *linkCaches) of(folder string) *linkCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	cache := c.all[folder]
	if cache == nil {
		if c.all == nil {
			c.all = make(map[string]*linkCache)
		}
		cache = &linkCache{links: make(map[string]cachedLink)}
		c.all[folder] = cache
	}
	return cache
}

// added counts a link. It empties the caches, and returns true, if they have enough.
func (c *linkCaches) added() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count < maxCachedLinks {
		return false
	}
	c.all, c.count = nil, 0
	return true
}

// A cachedReader returns the links of one page of a site. Use it in one goroutine at a time.
type cachedReader struct {
	caches *linkCaches
	site   *Site
	base   string     // of the last link
	folder *linkCache // for links that are relative to base
	root   *linkCache // for those that begin with "/"
}

func linkReaderOf(caches *linkCaches, site *Site) *cachedReader {
	return &cachedReader{caches: caches, site: site}
}

// linkOf returns the link of a match, as the function linkOf does. A URL of the site is that
// of its file.
func (r *cachedReader) linkOf(m extract.Match) (Link, bool) {
	if m.Kind != extract.Reference || m.Text == "" || m.Text[0] == '?' || m.Text[0] == '#' || len(m.Text) > 1000 {
		l, ok := linkOf(m)
		l.URL = r.site.Local(l.URL)
		return l, ok
	}
	cache := r.cacheOf(m)
	cache.mu.RLock()
	c, ok := cache.links[m.Text]
	cache.mu.RUnlock()
	if !ok {
		l, isLink := linkOf(m)
		c = cachedLink{r.site.Local(l.URL), l.Bad, isLink}
		cache.mu.Lock()
		cache.links[m.Text] = c
		cache.mu.Unlock()
		if r.caches.added() {
			r.folder = nil
		}
	}
	return Link{URL: c.url, Line: m.Line, Column: m.Column, Bad: c.bad}, c.isLink
}

// cacheOf returns the cache for a match. Its URL depends on its text and on the folder of its
// base; that of "/x" on the scheme and the authority of its base.
func (r *cachedReader) cacheOf(m extract.Match) *linkCache {
	if r.folder == nil || m.Base != r.base {
		r.base = m.Base
		r.folder = r.caches.of(m.Base[:strings.LastIndexByte(m.Base, '/')+1])
		r.root = r.folder
		if scheme, rest, ok := strings.Cut(m.Base, "://"); ok {
			end := max(strings.IndexByte(rest, '/'), 0)
			r.root = r.caches.of(m.Base[:len(scheme)+len("://")+end])
		}
	}
	if m.Text[0] == '/' {
		return r.root
	}
	return r.folder
}
