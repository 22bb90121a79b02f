package check

import (
	"strings"
	"sync"
	"sync/atomic"

	"locus/extract"
	"locus/internal/ascii"
	"locus/internal/lazy"
)

// A knownLink is a link of pages of a site, without its place. Pages have most of their links
// in common, so the work for a link is done once.
type knownLink struct {
	url, bad string
	isLink   bool        // there is something to check
	isSeeded atomic.Bool // its job was added to the queue
	at       int64       // the offset of its text in the Spool + 1; 0: not known. The Spool locks it
}

// A linkCache is the links of pages, by their folders and by their texts. Use it in one
// goroutine at a time.
type linkCache struct {
	folders map[cachedFolder]*folderLinks
	count   int // how many links they have
}

// A cachedFolder is the URL of a folder, and its site; nil: it is in none.
type cachedFolder struct {
	site *Site
	url  string
}

// A linkCache has at most so many links, and so many folders. A folder has no links if the
// pages in it have only links to "/".
const (
	maxCachedLinks   = 1 << 15
	maxCachedFolders = 1 << 12
)

// folderLinks are the links of the pages in a folder, or of those that begin with "/".
type folderLinks struct {
	links map[string]*knownLink
	base  string // what names in the folder follow; "": see plainBase
	top   string // the folder that "../" does not leave
}

// of returns the links for a folder.
func (c *linkCache) of(folder string, site *Site) *folderLinks {
	at := cachedFolder{url: folder}
	if site.Files != nil {
		at.site = site
	}
	f := c.folders[at]
	if f == nil {
		f = &folderLinks{links: make(map[string]*knownLink)}
		f.base, f.top = plainBase(folder, site)
		if len(c.folders) >= maxCachedFolders {
			*c = linkCache{}
		}
		if c.folders == nil {
			c.folders = make(map[cachedFolder]*folderLinks)
		}
		c.folders[at] = f
	}
	return f
}

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
		return new(linkCache)
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
	site   *Site
	base   string       // of the last link
	folder *folderLinks // for links that are relative to base
	root   *folderLinks // for those that begin with "/"
	page   string       // base without its fragment, for those that are a fragment; "": linkOf resolves them
}

// linkOf returns the link of a match, as the function linkOf does. A URL of the site is that
// of its file.
func (r *cachedReader) linkOf(m extract.Match) (Link, bool) {
	if m.Kind != extract.Reference || m.Text == "" || m.Text[0] == '?' || len(m.Text) > 1000 {
		l, ok := linkOf(m)
		l.URL = r.site.Local(l.URL)
		return l, ok
	}
	if r.folder == nil || m.Base != r.base {
		r.setBase(m.Base)
	}
	from := r.folder
	switch m.Text[0] {
	case '#':
		return r.fragmentLink(m)
	case '/':
		from = r.root
	}
	known, ok := from.links[m.Text]
	if !ok {
		known = r.resolve(m, from)
		if r.cache.count++; r.cache.count > maxCachedLinks {
			*r.cache = linkCache{}
			r.folder = nil
		} else {
			from.links[strings.Clone(m.Text)] = known
		}
	}
	return Link{URL: known.url, Line: m.Line, Column: m.Column, Bad: known.bad, known: known}, known.isLink
}

// resolve returns the link of a match in a folder.
func (r *cachedReader) resolve(m extract.Match, in *folderLinks) *knownLink {
	if u, ok := plainURL(in.base, in.top, m.Text); ok {
		return &knownLink{url: u, isLink: true}
	}
	l, isLink := linkOf(m)
	return &knownLink{url: r.site.Local(l.URL), bad: l.Bad, isLink: isLink}
}

// fragmentLink returns the link of a match that is a fragment.
func (r *cachedReader) fragmentLink(m extract.Match) (Link, bool) {
	if r.page == "" || !hasOnly(m.Text[1:], plainInFragment.Get()) {
		l, ok := linkOf(m)
		l.URL = r.site.Local(l.URL)
		return l, ok
	}
	return Link{URL: r.page + m.Text, Line: m.Line, Column: m.Column}, true
}

// setBase sets the base of the next links. Their URLs depend on its folder, those of "/x" on
// its scheme and authority, and those of "#x" on all but its fragment.
func (r *cachedReader) setBase(base string) {
	r.base = base
	r.folder = r.cache.of(folderOf(base), r.site)
	r.root = r.cache.of(rootOf(base), r.site)
	r.page = ""
	if l, ok := linkOf(extract.Match{Text: "#x", Kind: extract.Reference, Base: base}); ok && l.Bad == "" {
		page, _ := cutFragment(r.site.Local(l.URL))
		r.page = page
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
func plainBase(folder string, site *Site) (base, top string) {
	l, ok := linkOf(extract.Match{Text: "x", Kind: extract.Reference, Base: folder})
	switch {
	case !ok, l.Bad != "", l.URL != folder+"x":
		return "", ""
	case site.Files == nil:
		return folder, rootOf(folder)
	case !strings.HasPrefix(folder, site.base()):
		return "", ""
	}
	return strings.TrimSuffix(site.Local(l.URL), "x"), site.Folder.String()
}

// plainURL returns the URL for a plain relative reference, such as ../a/b.html#c. It is what
// linkOf and Site.Local return. ok is false for all else. For folder and top see plainBase.
func plainURL(folder, top, text string) (u string, ok bool) {
	for strings.HasPrefix(text, "../") && folder != top && folder != "" {
		text = text[len("../"):]
		folder = folder[:strings.LastIndexByte(folder[:len(folder)-1], '/')+1]
	}
	path, fragment, _ := strings.Cut(text, "#")
	if folder == "" || path == "" || path[0] == '/' || path[0] == '.' || strings.Contains(path, "/.") || strings.Contains(path, "//") ||
		!hasOnly(path, plainInPath.Get()) || !hasOnly(fragment, plainInFragment.Get()) {
		return "", false
	}
	return folder + text, true
}

// hasOnly reports whether all bytes of a text are in a set.
func hasOnly(text string, set ascii.Set) bool {
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
	plainInPath     = lazy.Value[ascii.Set]{Make: func() ascii.Set { return ascii.Bytes(lettersAndDigits + "-._~/!$&'()*+,;=@") }}
	plainInFragment = lazy.Value[ascii.Set]{Make: func() ascii.Set { return ascii.Bytes(lettersAndDigits + "-._~/!$&'()*+,;=@:?") }}
)
