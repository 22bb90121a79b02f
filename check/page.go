package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"locus/access"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// checkPage opens u, and reads the links and anchors that the job needs into the visit. If the page was read before,
// checkPage uses its content from Pages. The error is an *access.Moved if the server or the page redirects.
func (v *visit) checkPage(ctx context.Context, u url.URL) error {
	if ok, err := v.readBefore(u); ok {
		return err
	}
	r, err := v.do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.List != nil && v.isPlainFolder(r) {
		return v.readFolder(ctx, r)
	}
	if l := r.List; l != nil {
		return v.checkListing(ctx, r.URL, l)
	}
	mode := modeOf(r)
	v.keepStart(r, mode)
	crawl := v.crawls(r.URL, mode)
	if !crawl && (!v.job.Anchors && !v.job.Crawl || !mayHaveAnchors(r.URL, r.Type, mode)) {
		return v.readStart(r)
	}
	return v.readPage(ctx, r, mode, crawl)
}

// readBefore reports whether u is a file whose links were read before, so that it need not be opened again. If the job
// needs anchors, readBefore sets the anchors of the visit. The error is an *access.Moved if the page redirects by
// itself.
func (v *visit) readBefore(u url.URL) (ok bool, err error) {
	p, ok := v.pageOf(u, v.job)
	if !ok || !v.job.Anchors {
		return ok, nil
	}
	return true, v.setPage(u, p)
}

// pageOf returns the content that Pages remembers for the file at u. ok is false if Pages lacks the file, or if job j
// needs more than the remembered content.
func (r *runner) pageOf(u url.URL, j Job) (p pageContent, ok bool) {
	if r.Pages == nil || j.Crawl || !isFile(u) {
		return p, false
	}
	if _, fragment := cutFragment(j.URL); len(textDirectives(fragment)) > 0 {
		return p, false
	}
	file, err := r.siteOf(u).Serve(u)
	if err != nil {
		return p, false // the engine will return the error, with its URL
	}
	return r.Pages.get(file.String())
}

// checkKnown returns the content of the page of a job from Pages, so that the job needs no request; the zero
// pageContent if the job does not need anchors. ok is false if the page must be requested, because Pages lacks it or it
// redirects.
func (r *runner) checkKnown(j Job) (p pageContent, ok bool) {
	if !isFileText(j.URL) {
		return p, false
	}
	bare, _ := cutFragment(j.URL)
	u, err := url.Parse(bare)
	if err != nil {
		return p, false
	}
	p, ok = r.pageOf(u, j)
	switch {
	case !ok:
	case !j.Anchors:
		p = pageContent{}
	case !p.moved.IsZero():
		ok = false
	}
	return p, ok
}

// modeOf returns the mode in which r is read. The modes of a file and of a compressed sitemap depend on their names,
// and the modes of other pages on their types, see document.ByTypeAndName.
func modeOf(r *access.Resource) document.Mode {
	name := r.URL.Path()
	if mode := ModeByName(name); isFile(r.URL) && mode != document.Text || mode == document.XML && strings.HasSuffix(name, ".gz") {
		return mode
	}
	return document.ByTypeAndName(r.Type, name)
}

// mayHaveAnchors reports whether the anchors of a page are read: the page is HTML, a document from which HTML is made,
// or a drawing. mediaType is "" if it is unknown. A document that a server sends as text/plain is not searched, because
// a browser shows it without anchors.
func mayHaveAnchors(page url.URL, mediaType string, mode document.Mode) bool {
	switch mode {
	case document.HTML:
		return true
	case document.Markdown, document.Asciidoc, document.RST, document.Notebook, document.Org:
		return mediaType == "" || isFile(page) || document.ByType(mediaType) == mode
	case document.XML:
		return strings.HasPrefix(mediaType, "image/svg+xml") || strings.HasSuffix(strings.ToLower(page.Path()), ".svg")
	}
	return false
}

// readPage reads the anchors of the page r, and looks for the text directives of the job's fragment. If crawl is set,
// it also adds the links of the page. The error is an *access.Moved if the page redirects by itself, and a *failure if
// a text is missing. The caller closes r.
func (v *visit) readPage(ctx context.Context, r *access.Resource, mode document.Mode, crawl bool) error {
	_, fragment := cutFragment(v.job.URL)
	directives := textDirectives(fragment)
	if p, ok := v.Pages.get(r.URL.String()); ok && !crawl && len(directives) == 0 {
		return v.setPage(r.URL, p)
	}
	p := newPage(r.URL, mode, v.siteOf(r.URL))
	p.mediaType = r.Type
	p.charset = document.CharsetOf(r.Type)
	p.seen.directives = directives
	if seconds, to := document.ParseRefresh(r.Header.Get("Refresh")); to != "" {
		p.seen.recordRefresh(seconds, to, r.URL.String())
	}
	m := pageMemory{visit: v}
	defer m.releaseText()
	p.reserve = func(read int) error { return m.reserveText(ctx, read) }
	for l, err := range p.links(v.readerOf(r.URL), r.Body, v.maxBody(), linkOf) {
		if err == nil && crawl {
			err = m.add(ctx, l)
		}
		if err != nil {
			return err
		}
	}
	if crawl {
		v.addLinks(m.links)
	}
	if err := v.setPage(r.URL, p.content()); err != nil {
		return err
	}
	if mode != document.HTML {
		return nil
	}
	if err := p.seen.checkTexts(v.unread); err != nil && !v.isWallPage() {
		return err
	}
	return nil
}

// readerOf returns the LinkReader for a page: c.Read, with the Sources of the page if it is a file.
func (c *Checker) readerOf(page url.URL) LinkReader {
	read := c.Read
	if c.Sources != nil && isFile(page) {
		read.Sources = c.Sources(page)
	}
	return read
}

// setPage sets the visit's anchors and unread from p, the content of the page at the URL at. If the page redirects by
// itself, setPage also sets refresh, and returns an *access.Moved.
func (v *visit) setPage(at url.URL, p pageContent) error {
	v.anchors, v.unread = p.anchors, p.unread
	if !p.moved.IsZero() {
		v.refresh = refresh{from: at.String(), to: p.moved.String()}
		return &access.Moved{To: p.moved}
	}
	return nil
}

// siteOf returns the site that contains a file. If none of Sites does, it returns an empty site, never nil.
func (c *Checker) siteOf(file url.URL) *site.Site {
	for _, site := range c.Sites {
		if site.Contains(file) {
			return site
		}
	}
	return &site.Site{}
}

// crawls reports whether the links of the page at a URL, after redirects, are read: the job is for a crawl, and either
// the caller named the page, or the page is within the scope and has a mode with links.
func (v *visit) crawls(at url.URL, mode document.Mode) bool {
	switch {
	case !v.job.Crawl:
		return false
	case v.job.Depth == 0:
		return true
	case !v.scope.contains(at.String()):
		return false // the page was redirected out of the scope
	}
	switch mode {
	case document.HTML, document.XML, document.CSS, document.Markdown, document.Gopher, document.Manifest:
		return true
	}
	return false
}

// checkListing reads the listing l of a directory or a menu at a URL, and adds its links if it is crawled. The error is
// a *failure if all entries are errors.
func (v *visit) checkListing(ctx context.Context, at url.URL, l access.Lister) error {
	m := pageMemory{visit: v}
	failures, others, err := entryLinks(l, func(l Link) error { return m.add(ctx, l) })
	switch {
	case err != nil:
		return err
	case failures > 0 && others == 0:
		return &failure{ClassPage, fmt.Sprintf("the listing has only errors of the server: %d", failures)}
	}
	if v.job.Crawl && (v.job.Depth == 0 || v.scope.contains(at.String())) {
		v.addLinks(m.links)
	}
	return nil
}

// addLinks adds links to the links that the visit found, and a job for each of them. If a link has a fragment and its
// page is to be crawled, a second job crawls the page.
func (v *visit) addLinks(links []Link) {
	v.found.Links = append(v.found.Links, links...)
	deeper := v.Recursive && (v.Depth <= 0 || v.job.Depth < v.Depth)
	v.found.Jobs = slices.Grow(v.found.Jobs, len(links))
	for _, l := range links {
		j := jobOf(l)
		j.Depth = v.nextDepth()
		page, fragment := cutFragment(j.URL)
		crawl := deeper && j.Bad == "" && v.scope.contains(page)
		if crawl && fragment != "" { // the job looks for a text, so another job crawls the page
			v.found.Jobs = append(v.found.Jobs, j)
			j.URL = page
		}
		j.Crawl = crawl
		v.found.Jobs = append(v.found.Jobs, j)
	}
}

// nextDepth returns the Depth of the jobs for the links of the visit's page. Without a limit the depth is 1, so that no
// page waits for the pages of a smaller depth.
func (v *visit) nextDepth() int {
	if v.Depth <= 0 {
		return 1
	}
	return v.job.Depth + 1
}
