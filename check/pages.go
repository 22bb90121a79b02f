package check

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"locus/check/site"
	"locus/extract/document"
	"locus/extract/document/dialect"
	"locus/url"
)

// Pages remembers the anchors of files whose links were read, so that a [Checker] need not read the files again. The
// zero Pages is empty. Several goroutines may use it at once. It must not be copied. The links that it returns are
// for one [Queue], and it must always be used with the same sites.
type Pages struct {
	mu    sync.Mutex
	all   map[string]pageContent
	size  int // in bytes
	links linkCaches
}

// maxPages is about how much memory Pages uses, in bytes.
const maxPages = 64 << 20

// Links yields the links of a file of a site, as [LinkReader.Links] does, and remembers the anchors of the file. URLs
// of the site are replaced by the URLs of its files.
func (p *Pages) Links(read LinkReader, r io.Reader, mode document.Mode, file url.URL, site *site.Site) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		page := newPage(file, mode, site)
		cache := p.links.take()
		defer p.links.put(cache)
		page.anchors = cache.anchors
		cached := cachedReader{cache: cache, site: site, yield: yield}
		if site.Files != nil && !site.IsManual() && isFile(file) { // otherwise a link depends on more than its text and base
			page.known = cached.yieldKnown
		}
		for l, err := range page.links(read, r, 0, cached.linkOf) {
			if cached.isStopped || !yield(l, err) || err != nil {
				return
			}
		}
		if !cached.isStopped && mayHaveAnchors(file, "", mode) {
			content := page.content()
			content.anchors = append(make([]uint64, 0, len(content.anchors)), content.anchors...)
			slices.Sort(content.anchors) // the report sorts the anchors, which takes no time if they are sorted
			p.set(file.String(), content)
			cache.anchors = page.anchors
		}
	}
}

// set remembers the content of a file, unless Pages would then use more than maxPages bytes. file is its URL.
func (p *Pages) set(file string, c pageContent) {
	size := len(file) + 8*len(c.anchors) + 200
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size+size > maxPages {
		return
	}
	if p.all == nil {
		p.all = map[string]pageContent{}
	}
	p.all[file], p.size = c, p.size+size
}

// get returns the content of a file, which is a URL. ok is false if Pages lacks it. A nil Pages is empty.
func (p *Pages) get(file string) (c pageContent, ok bool) {
	if p == nil {
		return pageContent{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok = p.all[file]
	return c, ok
}

// A pageContent holds the facts about a page on which the results of links to it depend.
type pageContent struct {
	anchors []uint64 // see Result
	unread  string   // see Result
	moved   url.URL  // where the page redirects by itself; the zero URL if it does not
}

// A page is a page that is being read. After its links were read, content returns its content.
type page struct {
	at      url.URL
	mode    document.Mode
	site    *site.Site
	anchors []uint64 // nil until links is called, except that its memory may be given for reuse
	unread  string
	charset string // from the server; "" if unknown

	mediaType string // from the server; "" if unknown
	seen      seen
	viewer    viewer
	known     func(document.Known) bool // see document.Options; may be nil
	reserve   func(read int) error      // is called with the number of bytes that were read; may be nil
}

// newPage returns the page at a URL, a page or a source of site, before it is read.
func newPage(at url.URL, mode document.Mode, site *site.Site) *page {
	return &page{at: at, mode: mode, site: site}
}

// maxAnchors is how many anchors of a page are kept. If a page has more, a fragment that is not among them is
// unchecked.
const maxAnchors = 1 << 15

// links yields the links of the page, which it reads from r, and then an error if there is one. toLink returns the link
// of a match. It also records the anchors of the page, and other properties in seen. If limit is positive, it reads at
// most that many bytes, and sets unread if the page has more.
func (p *page) links(read LinkReader, r io.Reader, limit int64, toLink linker) iter.Seq2[Link, error] {
	o := document.Options{URL: p.site.PageURL(p.at), Charset: p.charset, Limit: limit, Known: p.known}
	if isFile(p.at) {
		o.Dialect = dialectOf(p, read.Sources)
		p.viewer = viewerOf(p, read.Sources.Generator())
	}
	if p.mode == document.Markdown && p.site.ReadsMyST() {
		toLink = withMyST(toLink, p.site)
	}
	switch p.mode {
	case document.RST:
		o.Roles = p.site.IsManual()
	case document.Markdown, document.Notebook:
		o.Roles = o.Dialect.Directives
	}
	if o.Roles && p.site.IsManual() {
		toLink = withRoles(toLink, p.site)
	}
	if mayHaveAnchors(p.at, p.mediaType, p.mode) {
		if p.anchors = p.anchors[:0]; p.anchors == nil {
			p.anchors = []uint64{}
		}
		o.Anchor, o.Incomplete = p.addAnchor, func() { p.unread = insertedNames }
		p.addViewerAnchors(read.Sources.Generator())
	}
	switch p.mode {
	case document.XML:
		o.Element = p.seen.recordElement
	case document.HTML:
		o.Script, o.Content, o.Refresh = p.seen.recordScript, p.seen.recordText, p.seen.recordRefresh
	}
	if isFile(p.at) {
		toLink = withoutOwnAddress(toLink)
		if p.site.Files == nil {
			toLink = withSources(toLink, read.Sources)
		}
		if p.site.Files == nil || p.site.IsManual() { // in a finished site a template is a mistake
			toLink = withoutTemplates(toLink)
		}
	}
	if o.Roles && !p.site.IsManual() {
		toLink = withoutLabels(toLink)
	}
	return func(yield func(Link, error) bool) {
		r = decoded(r)
		if limit > 0 {
			r = io.LimitReader(r, limit+1)
		}
		if p.reserve != nil && p.mode != document.Text { // text is read in constant memory
			r = &reservingReader{in: r, reserve: p.reserve}
		}
		for l, err := range read.links(r, p.mode, o, toLink) {
			if errors.Is(err, document.ErrTooLarge) && limit > 0 {
				p.unread = fmt.Sprintf("only the first %d bytes of the page were read", limit)
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// dialectOf returns the dialect in which a file is read: the dialect of its site or, for a file in no site, the dialect
// by s. If s has no generator that makes pages, [[…]] may be a link of a wiki.
func dialectOf(p *page, s site.Sources) dialect.Dialect {
	if p.site.Files != nil {
		return p.site.Dialect(p.at)
	}
	d := s.Dialect(p.at)
	d.WikiLinks = d.WikiLinks || !s.Generator().Makes()
	return d
}

// insertedNames is the reason why a fragment is unchecked that is not in the source of a page.
const insertedNames = "a program inserts text into the page, or names its headings in a way of its own"

// addAnchor adds the hash of an anchor's name, and the hashes of the other names by which the page's viewer finds the
// anchor. For a name that is not in UTF-8 it sets unread instead. If the name begins with userContent, it also adds the
// name without that prefix, because GitHub adds the prefix to names in documents, and its scripts leave it out of
// fragments.
func (p *page) addAnchor(name string) {
	if len(p.anchors) > maxAnchors {
		return
	}
	if !utf8.ValidString(name) {
		p.unread = "the page has names that are not in UTF-8"
		return
	}
	p.anchors = append(p.anchors, anchorOf(name))
	if bare, ok := strings.CutPrefix(name, userContent); ok {
		p.anchors = append(p.anchors, anchorOf(bare))
	}
	p.addViewerNames(name)
}

// content returns the facts about the page that Pages remembers: its anchors, why some may be missing, and where the
// page redirects by itself. It must be called after the links were read.
func (p *page) content() pageContent {
	c := pageContent{anchors: p.anchors, unread: p.unread}
	if len(c.anchors) > maxAnchors {
		c.anchors, c.unread = c.anchors[:maxAnchors], fmt.Sprintf("only the first %d names in the page were read", maxAnchors)
	}
	if p.seen.hasScript && c.anchors != nil && len(c.anchors) < maxAnchors {
		c.anchors = append(c.anchors, anchorOf(scripted))
	}
	if to, ok := p.seen.movedTo(p.at, p.site); ok {
		c.moved = to
	}
	switch {
	case c.unread != "":
	case p.seen.isFont:
		c.unread = "it is a font, of which browsers need no name"
	case p.seen.isApplication():
		c.unread = "scripts make the page, and may give it this name"
	}
	return c
}
