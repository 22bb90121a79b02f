package sync

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"

	"locus/access"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

var (
	errOutside = errors.New("it is outside the mirrored folder")
	errSeen    = errors.New("the same page was found before")
	errBroken  = errors.New("the link is broken")
)

// A crawl is a mirror of a web server, whose files are found by the links in its pages.
//
// page does one task. It first asks the server whether the copy of an earlier run is current
// (unchanged.go). If not, a fetch.Download gets the page: chooseName names it once the server has
// answered, and inspect (crawllinks.go) reads its links before it gets its name, and pushes tasks
// for the links that lead into the tree. A copy for reading offline also has the parts of pages,
// from anywhere, and an index of the URLs (offline.go, urlindex.go). At the end convertAll
// replaces the links in its pages. Package offline has everything that only needs the text of a
// page.
type crawl struct {
	*mirror
	site      offline.Site
	robots    robotsOfServers
	etags     *etags
	index     *urlIndex  // nil unless the copy is for reading offline
	redirects *spill.Set // pairs of a URL and the page to which it was the first to redirect
	missing   *spill.Set // URLs that pages load and that are not in the copy
	toConvert *taskQueue // pages and style sheets, with their types as titles
	unsized   *taskQueue // pages that may have been cut off, because they have no size, if Delete needs them
}

// newCrawl returns a crawl that copies the tree of m. begin opens its journals.
func newCrawl(m *mirror) *crawl {
	return &crawl{
		mirror: m, site: offline.Site{Tree: m.tree, WithParts: m.isOffline, Convert: m.Convert},
		redirects: spill.NewSet(m.store), missing: spill.NewSet(m.store),
		toConvert: newTasks(m.store), unsized: newTasks(m.store),
	}
}

// steps returns the steps of a mirror that follows the links of pages.
func (m *crawl) steps() steps {
	return steps{
		begin: m.begin, start: task{url: m.tree.Start, name: "."},
		do:     m.page,
		finish: m.convertAll,
		delete: newExtraFiles(m.mirror).deletion(m.confirm),
		end:    func(finished bool) error { return m.end(finished, m.save) },
	}
}

// begin prepares the local root, and opens the journals of earlier runs. An error ends the run.
func (m *crawl) begin() error {
	if err := m.mirror.begin(); err != nil {
		return err
	}
	m.site.Naming = m.naming
	m.etags = loadETags(m.root, m.store)
	if m.isOffline {
		m.index = loadURLIndex(m.root, m.store, m.DryRun)
	}
	return nil
}

// save rewrites the journals for later runs. If complete is set, it drops the entries of files that are not in the
// copy, and removes old stored pages.
func (m *crawl) save(complete bool) error {
	keep := func(string) bool { return true } // a file that was not found may exist all the same
	if complete {
		keep = func(name string) bool { return m.names.has(offline.ShownName(name)) }
		m.removeOldPages()
	}
	if err := m.etags.Save(keep); err != nil {
		return err
	}
	return m.index.save(complete, m.visited)
}

// close closes the journals. begin need not have been called.
func (m *crawl) close() {
	if m.etags != nil {
		m.etags.Close()
	}
	m.index.close()
}

// page does the task t: it fetches a page or a file of a web server, unless the local copy is up to date, and pushes a
// task for each link. It reports success and failure as events. It calls received once another task may use the server,
// perhaps before it returns.
func (m *crawl) page(ctx context.Context, t task, received func()) {
	if err := m.checkRobots(ctx, t, t.url); err != nil {
		m.index.setMissing(t.url, err)
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
	d := m.download(req, "", received)
	found, isUnsized := "", false // of the last response
	d.ChooseName = func(r *access.Resource) (string, error) {
		before, id := found, offline.PageID(tree.Normalize(r.URL))
		if found = id; before != "" && before != id {
			m.miss() // the URL redirected to another page before the restart, and that page was not read
		}
		isUnsized = r.Size < 0
		return m.chooseName(ctx, t, r)
	}
	d.Inspect = func(f io.Reader, u url.URL, mediaType string) (bool, error) {
		if isUnsized {
			m.addUnsized(t, mediaType)
		}
		return m.inspect(t, f, u, d.Name(), mediaType)
	}
	d.IsQuiet = func(err error) bool {
		return m.stopIfFull(d.Name(), err) || skipReason(t, err) != nil || m.isOptional(t) || m.stopIfListed(ctx, t, err)
	}
	result, err := d.Run(ctx)
	switch {
	case err == nil:
		m.fetched(result)
		if !result.Skipped {
			m.etags.record(result.Name, result, isUnsized)
			m.addToIndex(t, result.URL, result.Name, result.Type)
		}
	case skipReason(t, err) != nil:
		m.index.setMissing(t.url, skipReason(t, err))
		m.skip(t, skipReason(t, err))
	case m.isOptional(t) && ctx.Err() == nil:
		m.index.setMissing(t.url, err)
		m.skip(t, err)
	default:
		m.index.setMissing(t.url, err)
		m.failed(t.url, d.Name(), true, nil)
	}
}

// skipReason returns why a copy is complete without the page of t, whose request failed with err. It returns nil if the
// failure counts.
func skipReason(t task, err error) error {
	switch {
	case t.level == 0:
	case errors.Is(err, fs.ErrNotExist):
		return errBroken
	case errors.Is(err, access.ErrForm):
		return access.ErrForm // because nobody can answer for each user
	}
	return nil
}

// chooseName returns the name under which the page r is stored, and makes its directory. If the page is not to be
// fetched, the error is a *fetch.Skip. After a restart of the download chooseName is called again.
func (m *crawl) chooseName(ctx context.Context, t task, r *access.Resource) (string, error) {
	u := tree.Normalize(r.URL)
	if m.isOffline {
		return m.chooseOfflineName(ctx, t, u, r.Type)
	}
	name, isBelow, err := m.site.Name(u, r.Type)
	if !isBelow {
		return "", &fetch.Skip{Why: errOutside}
	}
	if err != nil {
		return "", err
	}
	if err := m.checkRedirect(ctx, t, u); err != nil {
		return "", &fetch.Skip{Why: err}
	}
	if offline.HasLinks(r.Type) {
		return name, m.mkdir(path.Dir(name)) // inspect claims the name, if the page is kept
	}
	if !m.Filter.Match(name, false) {
		return "", &fetch.Skip{Why: errExcluded}
	}
	if err := m.claimFile(name, offline.PageID(u)); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return name, m.mkdir(path.Dir(name))
}

// checkRedirect returns an error if t was redirected to u, and u is not to be fetched, because robots.txt disallows u
// or because u was visited before (errSeen). Without a redirect it returns nil. Once it has returned nil for t and u,
// it always does, because a download may restart.
func (m *crawl) checkRedirect(ctx context.Context, t task, u url.URL) error {
	from, to := offline.PageID(t.url), offline.PageID(u)
	pair := from + " " + to
	switch {
	case from == to || m.redirects.Has(pair):
		return nil
	case !m.visited.Add(to):
		return errSeen
	}
	err := m.checkRobots(ctx, t, u)
	if err == nil {
		m.redirects.Add(pair)
	}
	return err
}

// dryRun does t in a dry run: it requests the page, pushes its links, and reports that the page would be fetched. It
// stores no file.
func (m *crawl) dryRun(ctx context.Context, t task, req *access.Request) {
	r, err := m.retries("").Do(ctx, req)
	if err != nil {
		m.dryRunFailed(ctx, t, err)
		return
	}
	defer r.Body.Close()
	name, err := m.chooseName(ctx, t, r)
	keep := err == nil
	if keep && m.site.IsRead(r.Type) {
		if r.Size < 0 {
			m.addUnsized(t, r.Type)
		}
		keep, err = m.inspect(t, r.Body, r.URL, name, r.Type)
	}
	if _, isSkip := errors.AsType[*fetch.Skip](err); err != nil && !isSkip {
		m.dryRunFailed(ctx, t, err)
	} else if keep {
		t.name, t.size = name, r.Size
		m.wouldFetch(t)
	}
}

// dryRunFailed reports that the page of t could not be read: as skipped if there is a reason to skip it, and otherwise
// as failed. If the server lists the folder instead, it ends the crawl and reports nothing: see stopIfListed.
func (m *crawl) dryRunFailed(ctx context.Context, t task, err error) {
	if why := skipReason(t, err); why != nil {
		m.skip(t, why)
		return
	}
	if !m.stopIfListed(ctx, t, err) {
		m.failed(t.url, t.name, true, err)
	}
}
