package check

import (
	"bytes"
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"locus/check/site"
	"locus/extract"
	"locus/extract/document"
	"locus/internal/ascii"
)

// A knownLink is a link of pages of a site, without its place. Pages have most of their links
// in common, so the work for a link is done once.
type knownLink struct {
	url, bad string
	isLink   bool        // there is something to check
	isSeeded atomic.Bool // its job was added to the queue
	at       int64       // see Link.Slot
}

// A linkCache is the links of pages, by their folders and by their texts. Of two links that have
// one place in it, it has the later one. Use it in one goroutine at a time.
type linkCache struct {
	seed    maphash.Seed
	links   []cachedLink // cachedLinks of them
	folders map[cachedFolder]*linkFolder
	anchors []uint64 // those of the last page; the memory is reused
	url     []byte   // of whole; the memory is reused
}

func newLinkCache() *linkCache {
	return &linkCache{seed: maphash.MakeSeed(), links: make([]cachedLink, cachedLinks), folders: make(map[cachedFolder]*linkFolder)}
}

// A cachedLink is a link in a linkCache.
type cachedLink struct {
	folder *linkFolder
	text   string
	link   *knownLink
}

// A cachedFolder is the URL of a folder, and its site; nil: it is in none.
type cachedFolder struct {
	site *site.Site
	url  string
}

// A linkCache has at most so many links, and so many folders. A link whose text and base are
// longer together is not kept.
const (
	cachedLinks      = 1 << 15
	maxCachedFolders = 1 << 12
	maxCachedText    = 1000
)

// A linkFolder is where relative links begin: a folder, the root of a site, or a page for links
// that are a fragment.
type linkFolder struct {
	seed uint64 // of the places of its links in the cache
	base string // what names in the folder follow; "": see plainBase
	top  string // the folder that "../" does not leave
	page string // of a page: its URL without its fragment; "": linkOf resolves the links
}

// of returns a folder.
func (c *linkCache) of(folder string, site *site.Site) *linkFolder {
	at := cachedFolder{url: folder}
	if site.Files != nil {
		at.site = site
	}
	f := c.folders[at]
	if f == nil {
		f = &linkFolder{seed: rand.Uint64()}
		f.base, f.top = plainBase(folder, site)
		if len(c.folders) >= maxCachedFolders {
			clear(c.folders)
		}
		c.folders[at] = f
	}
	return f
}

// find returns where the cache has the link of a folder with a text, or would have it.
func (c *linkCache) find(in *linkFolder, text []byte) (at *cachedLink, isThere bool) {
	at = c.at(maphash.Bytes(c.seed, text) ^ in.seed)
	return at, at.folder == in && at.text == string(text)
}

// at returns the place for a link with a hash.
func (c *linkCache) at(hash uint64) *cachedLink { return &c.links[hash%cachedLinks] }

// whole returns the link to the URL of a name in a folder. Links of many folders lead to it.
func (c *linkCache) whole(folder string, name []byte) *knownLink {
	c.url = append(append(c.url[:0], folder...), name...)
	at := c.at(maphash.Bytes(c.seed, c.url))
	if at.folder != &anyFolder || at.text != string(c.url) {
		u := string(c.url)
		*at = cachedLink{&anyFolder, u, &knownLink{url: u, isLink: true}}
	}
	return at.link
}

// anyFolder is the linkFolder of whole URLs.
var anyFolder linkFolder

// linkCaches are caches that no goroutine uses.
type linkCaches struct {
	mu   sync.Mutex
	free []*linkCache
}

func (c *linkCaches) take() *linkCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.free)
	if n == 0 {
		return newLinkCache()
	}
	cache := c.free[n-1]
	c.free = c.free[:n-1]
	return cache
}

func (c *linkCaches) put(cache *linkCache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, cache)
}

// A cachedReader returns the links of one page of a site. Use it in one goroutine at a time.
type cachedReader struct {
	cache  *linkCache
	site   *site.Site
	base   string      // of the last link
	folder *linkFolder // for links that are relative to base; nil: base is not set
	root   *linkFolder // for those that begin with "/"
	page   *linkFolder // for those that are a fragment

	// For known.
	yield     func(Link, error) bool
	isStopped bool // yield returned false
}

// linkOf returns the link of a match, as the function linkOf does. A URL of the site is that
// of its file.
func (r *cachedReader) linkOf(m extract.Match) (Link, bool) {
	if m.Kind != extract.Reference || !isCached([]byte(m.Text), m.Base) {
		l, ok := linkOf(m)
		l.URL = r.site.Local(l.URL)
		return l, ok
	}
	known := r.find([]byte(m.Text), m.Base)
	return known.link(m.Line, m.Column), known.isLink
}

// known yields the link of a reference, unless its place or its text says that more must be
// known of it. It is a document.Options.Known.
func (r *cachedReader) known(found document.Known) bool {
	if !isCached(found.Text, found.Base) || isName(found.Place) || strings.HasSuffix(found.Place, " canonical") {
		return false
	}
	if known := r.find(found.Text, found.Base); known.isLink && !r.isStopped {
		r.isStopped = !r.yield(known.link(found.Line, found.Column), nil)
	}
	return true
}

// isCached reports whether links with that text and base are kept. Those that begin with "?"
// depend on the whole URL of their page.
func isCached(text []byte, base string) bool {
	return len(text) > 0 && text[0] != '?' && len(text)+len(base) <= maxCachedText
}

// link returns the link at a place.
func (k *knownLink) link(line, column int) Link {
	return Link{URL: k.url, Line: line, Column: column, Bad: k.bad, known: k}
}

// find returns the link of a reference with a text and a base.
func (r *cachedReader) find(text []byte, base string) *knownLink {
	if r.folder == nil || base != r.base {
		r.setBase(base)
	}
	from := r.folder
	switch text[0] {
	case '#':
		from = r.page
	case '/':
		from = r.root
	}
	at, isThere := r.cache.find(from, text)
	if !isThere {
		link := r.resolve(text, from)
		name := link.url[max(len(link.url)-len(text), 0):] // one text instead of two
		if name != string(text) {
			name = string(text)
		}
		*at = cachedLink{from, name, link}
	}
	return at.link
}

// resolve returns the link of a reference in a folder.
func (r *cachedReader) resolve(text []byte, in *linkFolder) *knownLink {
	if in == r.page {
		if in.page != "" && hasOnly(text[1:], plainInFragment) {
			return &knownLink{url: in.page + string(text), isLink: true}
		}
	} else if folder, name, ok := plainName(in.base, in.top, text); ok {
		return r.cache.whole(folder, name)
	}
	l, isLink := linkOf(extract.Match{Text: string(text), Kind: extract.Reference, Base: r.base})
	return &knownLink{url: r.site.Local(l.URL), bad: l.Bad, isLink: isLink}
}

// setBase sets the base of the next links. Their URLs depend on its folder, those of "/x" on
// its scheme and authority, and those of "#x" on all but its fragment.
func (r *cachedReader) setBase(base string) {
	r.base = base
	r.folder = r.cache.of(folderOf(base), r.site)
	r.root = r.cache.of(rootOf(base), r.site)
	r.page = &linkFolder{seed: rand.Uint64()}
	if l, ok := linkOf(extract.Match{Text: "#x", Kind: extract.Reference, Base: base}); ok && l.Bad == "" {
		page, _ := cutFragment(r.site.Local(l.URL))
		r.page.page = page
	}
}

// rootOf returns the scheme and the authority of a URL, and a slash. If it has no authority, it
// returns the folder of the URL.
func rootOf(u string) string {
	if scheme, rest, ok := strings.Cut(u, "://"); ok {
		if n := strings.IndexByte(rest, '/'); n >= 0 {
			return u[:len(scheme)+len("://")+n+1]
		}
	}
	return folderOf(u)
}

// folderOf returns a URL up to the last slash of its path. Without a path it returns the URL.
func folderOf(u string) string {
	n := strings.LastIndexByte(u, '/')
	if n < 0 || strings.HasSuffix(u[:n], ":/") { // of "https://h.example"
		return u
	}
	return u[:n+1]
}

// plainBase returns the URL that the names in a folder follow, a file URL if it is in a site.
// It is "" if a name does not simply follow it. top is the folder that "../" does not leave.
func plainBase(folder string, site *site.Site) (base, top string) {
	l, ok := linkOf(extract.Match{Text: "x", Kind: extract.Reference, Base: folder})
	switch {
	case !ok, l.Bad != "", l.URL != folder+"x":
		return "", ""
	case site.Files == nil:
		return folder, rootOf(folder)
	case !strings.HasPrefix(folder, site.Address()), hasEscapedDot(folder):
		return "", ""
	}
	return strings.TrimSuffix(site.Local(l.URL), "x"), site.Folder.String()
}

// plainName returns the folder and the name in it to which a plain relative reference leads, such
// as ../a/b.html#c. Together they are the URL that linkOf and Site.Local return. ok is false for all
// else. For folder and top see plainBase.
func plainName(folder, top string, text []byte) (_ string, name []byte, ok bool) {
	for bytes.HasPrefix(text, []byte("../")) && folder != top && folder != "" {
		text = text[len("../"):]
		folder = folder[:strings.LastIndexByte(folder[:len(folder)-1], '/')+1]
	}
	path, fragment, _ := bytes.Cut(text, []byte("#"))
	if folder == "" || len(path) == 0 || path[0] == '/' || path[0] == '.' || bytes.Contains(path, []byte("/.")) || bytes.Contains(path, []byte("//")) ||
		!hasOnly(path, plainInPath) || !hasOnly(fragment, plainInFragment) {
		return "", nil, false
	}
	return folder, text, true
}

// hasEscapedDot reports whether a text has %2e.
func hasEscapedDot(text string) bool {
	return strings.Contains(text, "%2e") || strings.Contains(text, "%2E")
}

// hasOnly reports whether all bytes of a text are in a set.
func hasOnly[T string | []byte](text T, set ascii.Set) bool {
	for i := range len(text) {
		if !set.Has(text[i]) {
			return false
		}
	}
	return true
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// plainInPath and plainInFragment are bytes that a path and a fragment may have, and that are
// never changed. A path with ":" may have a scheme.
var (
	plainInPath     = ascii.Bytes(lettersAndDigits + "-._~/!$&'()*+,;=@")
	plainInFragment = ascii.Bytes(lettersAndDigits + "-._~/!$&'()*+,;=@:?")
)
