package sync

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"locus/access/engine"
	"locus/internal/autoindex"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// inspect reads the page f, pushes its links as tasks, and claims its name in the copy. keep is false
// for a page that is only crawled: a page that the filter rejects, or a listing of a directory that
// the copy does not need. A file of a type without links is kept, and its name is not claimed here.
// inspect turns a panic into an error, because the page comes from a stranger.
func (m *crawl) inspect(t task, f io.Reader, u url.URL, name, mediaType string) (keep bool, err error) {
	defer engine.CatchPanic(&err)
	if !m.site.IsRead(mediaType) {
		return true, nil
	}
	u, name = tree.Normalize(u), offline.ShownName(name)
	links, isListing, err := m.readLinks(f, u, mediaType)
	if err != nil {
		return false, err
	}
	if isListing {
		err = m.names.claimDir(path.Dir(name)) // the directory may be empty
	}
	listsIndex := m.pushLinks(t, u, links, isListing)
	if isListing && (!m.Listings || listsIndex) || !m.Filter.Match(name, false) {
		return false, err
	}
	return true, m.claimFile(name, offline.PageID(u))
}

// heads are the readers of readLinks. They are reused, because a new buffer costs more than a usual page.
var heads = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, autoindex.HeadSize) }}

// readLinks returns the links of the page u, which it reads from f. isDir of a link says that it is a
// part, which the page loads. isListing reports whether the page is the listing of a directory. After an
// error links is nil.
func (m *crawl) readLinks(f io.Reader, u url.URL, mediaType string) (links *taskQueue, isListing bool, err error) {
	r := heads.Get().(*bufio.Reader)
	defer func() {
		r.Reset(nil)
		heads.Put(r)
	}()
	r.Reset(f)
	isListing = offline.IsHTML(mediaType) && strings.HasSuffix(u.Path(), "/") && offline.IsListing(r)
	links = newTasks(m.store)
	add := func(to url.URL, isPart bool) error {
		links.Add(task{url: to, isDir: isPart})
		return m.countEntry()
	}
	if m.isOffline {
		err = offline.References(r, u, mediaType, add)
	} else {
		err = offline.Links(r, u, mediaType, func(to url.URL) error { return add(to, false) })
	}
	if err != nil {
		links.Drop()
		return nil, false, fmt.Errorf("%s: read links: %w", u.Redacted(), err)
	}
	return links, isListing, nil
}

// pushLinks pushes a task for each of links that is in the tree and was not visited yet, and empties
// links. It adds the tasks to the count of found files, and sends Listed for a listing. u is the URL of
// the page, and t its task. isListing says that the page is a listing of a directory. listsIndex is
// true if such a listing links to its file index.html: the crawl then keeps the listing and this file
// as two pages, although index.html usually means the same page as u.
func (m *crawl) pushLinks(t task, u url.URL, links *taskQueue, isListing bool) (listsIndex bool) {
	tasks, listsIndex := m.newLinks(t, u, links, isListing)
	m.update(func() { m.found += tasks.Len() })
	if isListing {
		m.Event(fetch.Event{Kind: fetch.Listed, URL: u, Done: int64(tasks.Len()), Size: -1})
	}
	m.pushAll(tasks)
	return listsIndex
}

// newLinks returns a task for each of links that is in the tree and was not visited yet, marks their
// URLs as visited, and empties links. It reports a URL in too many directories as a failure. u, t,
// isListing and listsIndex have the meaning that pushLinks documents.
func (m *crawl) newLinks(t task, u url.URL, links *taskQueue, isListing bool) (tasks *taskQueue, listsIndex bool) {
	tasks = newTasks(m.store)
	atEnd := m.Level > 0 && t.level >= m.Level
	if atEnd && !m.Parts {
		links.Drop()
		return tasks, false
	}
	for link := range links.All() {
		to := link.url
		if link.isDir && m.Parts {
			m.addPart(tasks, t, to)
			continue
		}
		dirs, _, ok := m.tree.PathOf(to)
		if !ok || atEnd {
			continue
		}
		if len(dirs) > tree.MaxDepth {
			if m.visited.Add(offline.PageID(to)) {
				m.failed(to, "", true, tree.TooDeep(to))
			}
			continue
		}
		if _, sorted := to.Query(); isListing && sorted && to.Path() == u.Path() {
			continue // the same listing in another order
		}
		id := offline.PageID(to)
		if file := offline.FileID(to); isListing && id == offline.PageID(u) && file != id {
			id, listsIndex = file, true
		}
		if dir, err := m.naming.Path(dirs, ""); err == nil && isExcluded(m.Filter, dir) || !m.visited.Add(id) {
			continue
		}
		tasks.Add(task{url: m.tree.Entry(to), size: -1, level: t.level + 1})
	}
	return tasks, listsIndex
}

// addPart adds to tasks the task for a file that the page of t loads, unless an earlier page has added
// it. If the file must not be fetched, addPart records the reason in the index instead. It ignores URLs
// other than http and https.
func (m *crawl) addPart(tasks *taskQueue, t task, to url.URL) {
	if !tree.IsWeb(to) {
		return // the page itself has the bytes of a data URL, and the other schemes name no files
	}
	if err := m.checkPart(to, t.parts+1); err != nil {
		m.index.setMissing(to, err)
		return
	}
	if m.visited.Add(offline.PageID(to)) {
		tasks.Add(task{url: m.tree.Entry(to), size: -1, level: t.level + 1, parts: t.parts + 1})
	}
}

// MaxParts is how many parts may lead to each other, such as style sheets that import style
// sheets.
const MaxParts = 16

// ErrOtherHost is the reason of Missing for a file on a host that OtherHosts leaves out.
var ErrOtherHost = errors.New("it is on another host")

var errOtherScheme = errors.New("it is not a resource of http or https")

// checkPart returns nil if the crawl may fetch u, which a page loads as a part, such as a style sheet.
// Otherwise it returns the reason: errOtherScheme, ErrOtherHost, or that more than MaxParts parts lead to
// u. parts is their number, including u itself.
func (m *crawl) checkPart(u url.URL, parts int) error {
	if !tree.IsWeb(u) {
		return errOtherScheme
	}
	if _, ok := m.matchHost(u); m.isOtherServer(u) && !ok {
		return ErrOtherHost
	}
	if parts > MaxParts {
		return fmt.Errorf("more than %d style sheets or frames lead to it", MaxParts)
	}
	return nil
}

// isOptional reports whether the copy is complete without the file of t, because t is a part of
// a page and on another host.
func (m *crawl) isOptional(t task) bool { return t.parts > 0 && m.isOtherServer(t.url) }
