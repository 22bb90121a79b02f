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

// The pages of a site have most of their links in common. A linkCache therefore keeps, for each folder of links and
// each text of a reference, the link to which the reference leads, so that it is resolved once. The cachedReader of a
// page looks up each reference by its text and its base. It asks the cache for three linkFolders: the folder of the
// base, the root of the site for references such as "/x", and the page for references such as "#x". If the reference
// is plain, resolve joins the folder and the name without parsing a URL. The caches are reused through linkCaches,
// one for each goroutine that reads pages.

// A knownLink is a link without its place, which pages of a site have in common.
type knownLink struct {
	url, bad string
	isLink   bool        // the link is checked; false for a reference that linkOf leaves out
	isSeeded atomic.Bool // Seed has added the link's job to the queue
	slot     int64       // see Link.Slot
}

// A linkCache is a hash table of links, by folder and text. If two links have the same slot, the later one replaces
// the earlier one. One goroutine at a time may use it.
type linkCache struct {
	seed    maphash.Seed
	links   []cachedLink // the table, with cachedLinks entries
	folders map[folderKey]*linkFolder
	anchors []uint64 // the memory for the anchors of the last page, for reuse
	url     []byte   // the memory for the URL in absolute, for reuse
}

// newLinkCache returns an empty cache.
func newLinkCache() *linkCache {
	return &linkCache{seed: maphash.MakeSeed(), links: make([]cachedLink, cachedLinks), folders: make(map[folderKey]*linkFolder)}
}

// A cachedLink is an entry of a linkCache.
type cachedLink struct {
	folder *linkFolder
	text   string
	link   *knownLink
}

// A folderKey is the URL of a folder, and the site that contains it, or nil.
type folderKey struct {
	site *site.Site
	url  string
}

// A linkCache holds at most cachedLinks links and maxCachedFolders folders. A link whose text and base together have
// more than maxCachedText bytes is not kept.
const (
	cachedLinks      = 1 << 15
	maxCachedFolders = 1 << 12
	maxCachedText    = 1000
)

// A linkFolder is the start of relative links: a folder, the root of a site, or, for links that consist of a
// fragment, a page.
type linkFolder struct {
	seed uint64 // mixed into the hashes of its links
	base string // the URL to which plain names can be appended; "" if linkOf must resolve the links, see plainBase
	top  string // the URL of the folder that "../" does not leave
	page string // for a page, its URL without the fragment; "" if linkOf must resolve the links
}

// folder returns the linkFolder for u, the URL of a folder, in a site, which may be empty. It makes the linkFolder if
// the cache lacks it.
func (c *linkCache) folder(u string, site *site.Site) *linkFolder {
	at := folderKey{url: u}
	if site.Files != nil {
		at.site = site
	}
	f := c.folders[at]
	if f == nil {
		f = &linkFolder{seed: rand.Uint64()}
		f.base, f.top = plainBase(u, site)
		if len(c.folders) >= maxCachedFolders {
			clear(c.folders)
		}
		c.folders[at] = f
	}
	return f
}

// find returns the entry of the table for the link with the given text in a folder. isThere is false if the entry holds
// another link, which the caller replaces.
func (c *linkCache) find(in *linkFolder, text []byte) (at *cachedLink, isThere bool) {
	at = c.entry(maphash.Bytes(c.seed, text) ^ in.seed)
	return at, at.folder == in && at.text == string(text)
}

// entry returns the entry of the table for a hash. It may hold any link.
func (c *linkCache) entry(hash uint64) *cachedLink { return &c.links[hash%cachedLinks] }

// absolute returns the link to the URL folder+name, and keeps it in the cache. References from different folders to one
// URL share the link.
func (c *linkCache) absolute(folder string, name []byte) *knownLink {
	c.url = append(append(c.url[:0], folder...), name...)
	at := c.entry(maphash.Bytes(c.seed, c.url))
	if at.folder != &anyFolder || at.text != string(c.url) {
		u := string(c.url)
		*at = cachedLink{&anyFolder, u, &knownLink{url: u, isLink: true}}
	}
	return at.link
}

// anyFolder is the linkFolder of the links that absolute returns.
var anyFolder linkFolder

// linkCaches holds caches that no goroutine uses at the moment.
type linkCaches struct {
	mu   sync.Mutex
	free []*linkCache
}

// take removes a free cache and returns it, or returns a new one.
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

// put gives a cache back for later calls of take.
func (c *linkCaches) put(cache *linkCache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, cache)
}

// A cachedReader returns the links of one page of a site. One goroutine at a time may use it.
type cachedReader struct {
	cache  *linkCache
	site   *site.Site
	base   string      // the base of the last link
	folder *linkFolder // for links that are relative to base; nil if base is not set
	root   *linkFolder // for links that begin with "/"
	page   *linkFolder // for links that consist of a fragment

	// Used by yieldKnown.
	yield     func(Link, error) bool
	isStopped bool // yield returned false
}

// linkOf returns the results of the function linkOf, but keeps the links of references in the cache. The URL of a page
// of the site becomes the URL of the page's file.
func (r *cachedReader) linkOf(m extract.Match) (Link, bool) {
	if m.Kind != extract.Reference || !isCached([]byte(m.Text), m.Base) {
		l, ok := linkOf(m)
		l.URL = r.site.Local(l.URL)
		return l, ok
	}
	known := r.find([]byte(m.Text), m.Base)
	return known.link(m.Line, m.Column), known.isLink
}

// yieldKnown yields the link of a reference, if it is a link to check, and returns true. It yields no more links after
// isStopped is set, which it sets when the loop over the links ends. It returns false without yielding if the reference
// must be examined as a match, because its link depends on more than its text and its base. yieldKnown is a
// document.Options.Known.
func (r *cachedReader) yieldKnown(found document.Known) bool {
	if !isCached(found.Text, found.Base) || isName(found.Place) || strings.HasSuffix(found.Place, " canonical") {
		return false
	}
	if known := r.find(found.Text, found.Base); known.isLink && !r.isStopped {
		r.isStopped = !r.yield(known.link(found.Line, found.Column), nil)
	}
	return true
}

// isCached reports whether the cache keeps links with the given text and base. It does not keep long ones, nor links
// that begin with "?", because they depend on the whole URL of their page.
func isCached(text []byte, base string) bool {
	return len(text) > 0 && text[0] != '?' && len(text)+len(base) <= maxCachedText
}

// link returns k as a Link at the given line and column.
func (k *knownLink) link(line, column int) Link {
	return Link{URL: k.url, Line: line, Column: column, Bad: k.bad, known: k}
}

// find returns the link of a reference with the given text, which is not empty, and base. It resolves the reference if
// the cache lacks the link.
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
		name := link.url[max(len(link.url)-len(text), 0):] // share the memory of the URL if possible
		if name != string(text) {
			name = string(text)
		}
		*at = cachedLink{from, name, link}
	}
	return at.link
}

// resolve returns the link of a reference with the given text. in is the linkFolder for the reference. It does not look
// into the table for the reference.
func (r *cachedReader) resolve(text []byte, in *linkFolder) *knownLink {
	if in == r.page {
		if in.page != "" && hasOnly(text[1:], plainInFragment) {
			return &knownLink{url: in.page + string(text), isLink: true}
		}
	} else if folder, name, ok := plainName(in.base, in.top, text); ok {
		return r.cache.absolute(folder, name)
	}
	l, isLink := linkOf(extract.Match{Text: string(text), Kind: extract.Reference, Base: r.base})
	return &knownLink{url: r.site.Local(l.URL), bad: l.Bad, isLink: isLink}
}

// setBase sets the base of the next references, and with it folder, root and page. References such as "x" depend only
// on the folder of the base, references such as "/x" on its scheme and authority, and references such as "#x" on all of
// it except its fragment.
func (r *cachedReader) setBase(base string) {
	r.base = base
	r.folder = r.cache.folder(folderOf(base), r.site)
	r.root = r.cache.folder(rootOf(base), r.site)
	r.page = &linkFolder{seed: rand.Uint64()}
	if l, ok := linkOf(extract.Match{Text: "#x", Kind: extract.Reference, Base: base}); ok && l.Bad == "" {
		page, _ := cutFragment(r.site.Local(l.URL))
		r.page.page = page
	}
}

// rootOf returns the scheme and the authority of a URL with a slash after them. If the URL lacks an authority or a
// path, it returns folderOf(u).
func rootOf(u string) string {
	if scheme, rest, ok := strings.Cut(u, "://"); ok {
		if n := strings.IndexByte(rest, '/'); n >= 0 {
			return u[:len(scheme)+len("://")+n+1]
		}
	}
	return folderOf(u)
}

// folderOf returns a URL up to the last slash of its path. If the URL lacks a path, it returns the whole URL.
func folderOf(u string) string {
	n := strings.LastIndexByte(u, '/')
	if n < 0 || strings.HasSuffix(u[:n], ":/") { // as in "https://h.example"
		return u
	}
	return u[:n+1]
}

// plainBase returns base, the URL of a folder to which simple names of files can be appended to get their URLs. folder
// is the URL to which the references are relative. If it belongs to a site, it may be an address on the web, and base is
// the file URL of the same folder. top is the URL of the folder that "../" does not leave. Both results are "" if linkOf
// must resolve the references in the folder.
func plainBase(folder string, site *site.Site) (base, top string) {
	const name = "x@X" // with a capital after "@", because the domain of a mailto URL is put in lower case
	l, ok := linkOf(extract.Match{Text: name, Kind: extract.Reference, Base: folder})
	switch {
	case !ok, l.Bad != "", l.URL != folder+name:
		return "", ""
	case site.Files == nil:
		return folder, rootOf(folder)
	case !strings.HasPrefix(folder, site.Address()), hasEscapedDot(folder):
		return "", ""
	}
	return strings.TrimSuffix(site.Local(l.URL), name), site.Folder.String()
}

// plainName resolves a plain relative reference such as ../a/b.html#c in a folder, without parsing. It returns the
// folder to which the reference leads, and the name in that folder. Together they are the URL that linkOf and
// Site.Local return. ok is false for any other reference. folder and top are the results of plainBase.
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

// hasEscapedDot reports whether text contains "%2e" or "%2E".
func hasEscapedDot(text string) bool {
	return strings.Contains(text, "%2e") || strings.Contains(text, "%2E")
}

// hasOnly reports whether all bytes of text are in the set.
func hasOnly[T string | []byte](text T, set ascii.Set) bool {
	for i := range len(text) {
		if !set.Has(text[i]) {
			return false
		}
	}
	return true
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// plainInPath and plainInFragment are the bytes that are allowed in a path and a fragment and that are never changed.
// A colon is not in plainInPath, because a reference with ":" may have a scheme.
var (
	plainInPath     = ascii.Bytes(lettersAndDigits + "-._~/!$&'()*+,;=@")
	plainInFragment = ascii.Bytes(lettersAndDigits + "-._~/!$&'()*+,;=@:?")
)
