package sync

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/autoindex"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

var (
	errOutside = errors.New("it is outside the mirrored directory")
	errSeen    = errors.New("the same page was found before")
	errBroken  = errors.New("the link is broken")
)

// IndexName is the file for a URL that ends in a slash. The URL with this name and
// the one without are taken for the same page.
const IndexName = "index.html"

// pageID returns the URL of a page without its user, and without "index.html" at its end.
// So it is the same for all URLs of the page.
func pageID(u url.URL) string {
	text := tree.Anonymous(u)
	if dir, ok := strings.CutSuffix(text, "/"+IndexName); ok {
		return dir + "/"
	}
	return text
}

// A crawl is a mirror of a web server: links in pages lead to its files.
//
// page fetches one page. The server is asked whether a copy of an earlier run is current
// (isUnchanged); otherwise a fetch.Download gets it, chooseName names it once the server has
// answered, and inspect reads its links before it has its name. pushLinks pushes tasks for
// those in the tree. A copy for reading offline also has the parts of pages, from
// anywhere (parts.go), remembers the place of each URL (places.go), and at the end converts
// the links of pages (convert.go).
type crawl struct {
	*mirror
	robots    robotsOfServers
	etags     *etags
	places    *places    // nil unless the copy is for reading offline
	missing   *spill.Set // URLs that pages load and that are not in the copy
	toConvert *taskQueue // pages and style sheets, with their types as titles
}

// loadJournals reads what earlier runs have recorded.
func (m *crawl) loadJournals() {
	m.etags = loadETags(m.root, m.store)
	if m.isOffline {
		m.places = loadPlaces(m.root, m.store, m.DryRun)
	}
}

// save keeps what later runs need. After a complete run that is what belongs to the copy.
func (m *crawl) save(complete bool) error {
	keep := func(string) bool { return true } // a name that was not found may exist all the same
	if complete {
		keep = func(name string) bool { return m.names.has(shownName(name)) }
		m.removeOldPages()
	}
	if err := m.etags.Save(keep); err != nil {
		return err
	}
	return m.places.save(complete, m.visited)
}

// close closes the journals.
func (m *crawl) close() {
	if m.etags != nil {
		m.etags.Close()
	}
	m.places.close()
}

// page fetches a page or a file of a web server, and pushes its links.
func (m *crawl) page(ctx context.Context, t task, received func()) {
	if err := m.checkRobots(ctx, t, t.url); err != nil {
		m.places.lack(t.url, err)
		m.skip(t, err)
		return
	}
	if m.isUnchanged(ctx, t) || m.isSameRedirect(ctx, t) {
		return
	}
	req := &access.Request{URL: t.url, Login: m.loginFor(t.url)}
	if m.DryRun {
		m.dryRun(ctx, t, req)
		return
	}
	isBroken := func(err error) bool { return t.level > 0 && errors.Is(err, fs.ErrNotExist) }
	d := m.download(req, "", received)
	d.ChooseName = func(r *access.Resource) (string, error) { return m.chooseName(ctx, t, r) }
	d.Inspect = func(f io.Reader, u url.URL, mediaType string) (bool, error) {
		return m.inspect(t, f, u, d.Name(), mediaType)
	}
	d.IsQuiet = func(err error) bool { return m.stopIfFull(d.Name(), err) || isBroken(err) || m.mayLack(t) }
	result, err := d.Run(ctx)
	switch {
	case err == nil:
		m.fetched(result)
		if !result.Skipped {
			m.etags.record(result.Name, result)
			m.keepPlace(t, result.URL, result.Name, result.Type)
		}
	case isBroken(err):
		m.places.lack(t.url, errBroken)
		m.skip(t, errBroken)
	case m.mayLack(t) && ctx.Err() == nil:
		m.places.lack(t.url, err)
		m.skip(t, err)
	default:
		m.places.lack(t.url, err)
		m.failed(t.url, d.Name(), true, nil)
	}
}

// chooseName returns the local name of the page r. If the page is not to be fetched,
// it returns a skip.
func (m *crawl) chooseName(ctx context.Context, t task, r *access.Resource) (string, error) {
	u := tree.Normalize(r.URL)
	if m.isOffline {
		return m.choosePlace(ctx, t, u, r.Type)
	}
	name, ok, err := m.pageName(u, r.Type)
	if !ok {
		return "", &fetch.Skip{Why: errOutside}
	}
	if err != nil {
		return "", err
	}
	if err := m.checkRedirect(ctx, t, u); err != nil {
		return "", &fetch.Skip{Why: err}
	}
	if hasLinks(r.Type) {
		return name, m.mkdir(path.Dir(name)) // inspect decides whether it is kept
	}
	if !m.Filter.Match(name, false) {
		return "", &fetch.Skip{Why: errExcluded}
	}
	if err := m.claimFile(name, pageID(u)); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return name, m.mkdir(path.Dir(name))
}

// checkRedirect returns an error if a redirect led to u and u is not to be fetched.
func (m *crawl) checkRedirect(ctx context.Context, t task, u url.URL) error {
	switch {
	case pageID(u) == pageID(t.url):
		return nil
	case !m.visited.Add(pageID(u)):
		return errSeen
	}
	return m.checkRobots(ctx, t, u)
}

// pageName returns the local name of a page; ok is false if it is not in the tree.
// HTML without such a suffix gets ".html", because there may be pages below its URL.
func (m *crawl) pageName(u url.URL, mediaType string) (name string, ok bool, err error) {
	dirs, last, ok := m.tree.Place(u)
	if !ok {
		return "", false, nil
	}
	if last == "" {
		last = IndexName
	}
	dir, err := m.local(dirs, "")
	if err != nil {
		return "", true, err
	}
	query, has := u.Query()
	if has {
		last, err = m.naming.Page(last, query)
	} else {
		if isHTML(mediaType) && !hasHTMLSuffix(last) {
			last += ".html"
		}
		last, err = m.naming.File(last)
	}
	return path.Join(dir, last), true, err
}

// hasHTMLSuffix reports whether a name has a suffix of HTML.
func hasHTMLSuffix(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml", ".xht":
		return true
	}
	return false
}

// inspect pushes the links of a page, and reports whether to keep the page. A panic
// is an error: the page comes from a stranger.
func (m *crawl) inspect(t task, f io.Reader, u url.URL, name, mediaType string) (keep bool, err error) {
	defer engine.CatchPanic(&err)
	if !m.isRead(mediaType) {
		return true, nil
	}
	u, name = tree.Normalize(u), shownName(name)
	r := bufio.NewReaderSize(f, autoindex.HeadSize)
	listing := isHTML(mediaType) && strings.HasSuffix(u.Path(), "/") && isListing(r)
	links := newTasks(m.store)
	add := func(to url.URL, isPart bool) error {
		links.Add(task{url: to, isDir: isPart})
		return m.countEntry()
	}
	if m.isOffline {
		err = readParts(r, u, mediaType, add)
	} else {
		err = readLinks(r, u, mediaType, func(to url.URL) error { return add(to, false) })
	}
	if err != nil {
		links.Drop()
		return false, fmt.Errorf("%s: read links: %w", u.Redacted(), err)
	}
	if listing {
		err = m.names.claimDir(path.Dir(name)) // it may be empty
	}
	listsIndex := m.pushLinks(t, u, links, listing)
	if listing && (!m.Listings || listsIndex) || !m.Filter.Match(name, false) {
		return false, err
	}
	return true, m.claimFile(name, pageID(u))
}

// pushLinks pushes the links of the page u that are in the tree and new. If u is a listing,
// listsIndex says that it has a file index.html, which is then not the same page.
func (m *crawl) pushLinks(t task, u url.URL, links *taskQueue, listing bool) (listsIndex bool) {
	atEnd := m.Level > 0 && t.level >= m.Level
	if atEnd && !m.Parts {
		links.Drop()
		return false
	}
	tasks := newTasks(m.store)
	for link := range links.All() {
		to := link.url
		if link.isDir && m.Parts {
			m.addPart(tasks, t, to)
			continue
		}
		dirs, _, ok := m.tree.Place(to)
		if !ok || atEnd {
			continue
		}
		if len(dirs) > maxDepth {
			if m.visited.Add(pageID(to)) {
				m.failed(to, "", true, tooDeep(to))
			}
			continue
		}
		if _, sorted := to.Query(); listing && sorted && to.Path() == u.Path() {
			continue // the same listing in another order
		}
		id := pageID(to)
		if listing && id == pageID(u) && tree.Anonymous(to) != id {
			id, listsIndex = tree.Anonymous(to), true
		}
		if dir, err := m.local(dirs, ""); err == nil && isExcluded(m.Filter, dir) || !m.visited.Add(id) {
			continue
		}
		tasks.Add(task{url: m.tree.Entry(to), size: -1, level: t.level + 1})
	}
	m.update(func() { m.found += tasks.Len() })
	if listing {
		m.Event(fetch.Event{Kind: fetch.Listed, URL: u, Done: int64(tasks.Len()), Size: -1})
	}
	m.pushAll(tasks)
	return listsIndex
}

// isUnchanged asks the server whether the local copy of a page is up to date. If so,
// it pushes the links of the local copy.
func (m *crawl) isUnchanged(ctx context.Context, t task) bool {
	if m.isOffline {
		return m.isSamePlace(ctx, t)
	}
	for _, mediaType := range []string{"", "text/html"} {
		name, ok, err := m.pageName(t.url, mediaType)
		if !ok || err != nil {
			return false
		}
		info, err := m.root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		mediaType, same := m.isSamePage(ctx, t, name, info)
		return same && m.useLocal(t, name, mediaType, info)
	}
	return false
}

// isSamePage asks the server whether a page is the same as the local file.
func (m *crawl) isSamePage(ctx context.Context, t task, name string, info fs.FileInfo) (mediaType string, same bool) {
	engine := m.retrying(name)
	req := &access.Request{URL: t.url, Login: m.loginFor(t.url)}
	if known, ok := m.etags.find(name, info); ok {
		req.IfChanged = access.Validator{ETag: known.ETag}
		r, err := engine.Do(ctx, req)
		if err == nil {
			r.Body.Close()
		}
		return known.Type, errors.Is(err, access.ErrNotModified)
	}
	e, err := engine.Do(ctx, req.WithOp(access.Stat))
	if isDir := strings.HasSuffix(t.url.Path(), "/"); err == nil && e.Size < 0 && info.Size() == 0 && !isDir {
		e.Size = 0 // QUIRK: Apache 2.4 tells no size of an empty file, nor of a listing
	}
	return e.Type, err == nil && fetch.IsSameFile(e.Entry, info) && pageID(tree.Normalize(e.URL)) == pageID(t.url)
}

// useLocal pushes the links of a local page. It reports false if the page must be
// fetched after all.
func (m *crawl) useLocal(t task, name, mediaType string, info fs.FileInfo) bool {
	keep := m.Filter.Match(shownName(name), false)
	if m.isRead(mediaType) {
		f, err := m.root.Open(name)
		if err != nil {
			return false
		}
		defer f.Close()
		if keep, err = m.inspect(t, f, t.url, name, mediaType); err != nil {
			return false
		}
	} else if keep && m.claimFile(shownName(name), pageID(t.url)) != nil {
		return false
	}
	if keep {
		t.name = name
		m.keepPlace(t, t.url, name, mediaType)
		m.upToDate(t, info)
	}
	return true
}

// dryRun reads a page for its links and keeps nothing.
func (m *crawl) dryRun(ctx context.Context, t task, req *access.Request) {
	r, err := m.retrying("").Do(ctx, req)
	if err != nil {
		m.dryRunFailed(t, err)
		return
	}
	defer r.Body.Close()
	name, err := m.chooseName(ctx, t, r)
	keep := err == nil
	if keep && m.isRead(r.Type) {
		keep, err = m.inspect(t, r.Body, r.URL, name, r.Type)
	}
	if _, isSkip := errors.AsType[*fetch.Skip](err); err != nil && !isSkip {
		m.dryRunFailed(t, err)
	} else if keep {
		t.name, t.size = name, r.Size
		m.wouldFetch(t)
	}
}

func (m *crawl) dryRunFailed(t task, err error) {
	if t.level > 0 && errors.Is(err, fs.ErrNotExist) {
		m.skip(t, errBroken)
		return
	}
	m.failed(t.url, t.name, true, err)
}
