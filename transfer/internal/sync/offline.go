package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"locus/access/engine"
	"locus/internal/weburl"
	"locus/limit"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// chooseOfflineName returns the name under which the page or part u is stored in a copy for
// reading offline, and makes its directory. It adds a redirect of t to another page to the index.
// If u is not to be fetched, the error is a *fetch.Skip.
func (m *crawl) chooseOfflineName(ctx context.Context, t task, u url.URL, mediaType string) (string, error) {
	if offline.PageID(u) != offline.PageID(t.url) {
		m.index.set(urlEntry{URL: offline.PageID(t.url), To: offline.PageID(u)})
		if err := m.checkTarget(ctx, t, u); err != nil {
			return "", &fetch.Skip{Why: err}
		}
	}
	name, err := m.claimOfflineName(t, u, mediaType)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	stored := m.site.StoredName(name, mediaType)
	return stored, m.mkdir(path.Dir(stored))
}

// checkTarget returns an error if t was redirected to u, and u is not to be stored now. A target
// on another server gets a task of its own, because the rules for other hosts apply to it; the
// error is errRedirected then.
func (m *crawl) checkTarget(ctx context.Context, t task, u url.URL) error {
	if _, _, ok := m.tree.PathOf(u); !ok {
		if t.parts == 0 {
			return errOutside
		}
		if err := m.checkPart(u, t.parts); err != nil {
			m.index.setMissing(u, err)
			return err
		}
	}
	if limit.Server(u) == limit.Server(t.url) {
		return m.checkRedirect(ctx, t, u)
	}
	if m.visited.Add(offline.PageID(u)) {
		m.push(task{url: m.tree.Entry(u), size: -1, level: max(t.level, 1), parts: t.parts})
	}
	return errRedirected
}

var errRedirected = errors.New("it redirects")

// claimOfflineName claims and returns the name of u in the copy: the name of an earlier run, or
// else the name that the URL suggests, or else a name made of a hash. It passes over a name that
// another URL has claimed. If u is not to be stored, the error is a *fetch.Skip.
func (m *crawl) claimOfflineName(t task, u url.URL, mediaType string) (string, error) {
	id := offline.PageID(u)
	var candidates []string
	if known, ok := m.index.Get(id); ok && known.Name != "" && known.Type == tree.Essence(mediaType) {
		candidates = append(candidates, known.Name)
	}
	name, isBelow, err := m.site.Name(u, mediaType)
	switch {
	case !isBelow && t.parts == 0:
		return "", &fetch.Skip{Why: errOutside}
	case err == nil:
		candidates = append(candidates, name)
	}
	candidates = append(candidates, offline.NameByHash(u, mediaType))
	for _, name := range candidates {
		if !m.Filter.Match(name, false) {
			return "", &fetch.Skip{Why: errExcluded}
		}
		err := m.claimFile(name, id)
		if err == nil || !errors.Is(err, errTaken) && !errors.Is(err, errClash) {
			return name, err
		}
	}
	return "", fmt.Errorf("%q: %w", candidates[0], errTaken)
}

// addToIndex records in the index that the page or file found is stored as name. It also adds a
// page that is to be converted to toConvert. t is the task of the page. In a dry run, and unless
// the copy is for reading offline, it does nothing.
func (m *crawl) addToIndex(t task, found url.URL, name, mediaType string) {
	if !m.isOffline || m.DryRun {
		return
	}
	u, name := tree.Normalize(found), offline.ShownName(name)
	m.index.set(urlEntry{URL: offline.PageID(u), Name: name, Type: tree.Essence(mediaType)})
	if !m.Convert || !m.site.IsRead(mediaType) {
		return
	}
	plain, err := weburl.Parse(tree.Anonymous(u))
	if err != nil {
		m.failed(t.url, name, false, err)
		return
	}
	m.update(func() { m.toConvert.Add(task{url: plain, name: name, title: mediaType}) })
}

// convertAll converts the pages of this run that are in toConvert. A page that cannot be converted
// is reported and does not end the loop.
func (m *crawl) convertAll(ctx context.Context) error {
	for t := range m.toConvert.All() {
		if err := m.stopped(ctx); err != nil {
			return err
		}
		if err := m.convert(offline.Page{Name: t.name, URL: t.url, Type: t.title}); err != nil {
			m.failed(t.url, t.name, false, fmt.Errorf("convert %q: %w", t.name, err))
		}
	}
	return m.stopped(ctx)
}

// convert writes the file of p in the copy: the stored page with URLs that work in the copy. It
// does not write a file that has this content already. It turns a panic into an error, because the
// page comes from a stranger.
func (m *crawl) convert(p offline.Page) (err error) {
	defer engine.CatchPanic(&err)
	f, err := m.root.Open(m.site.StoredName(p.Name, p.Type))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text, err := offline.ReadText(f, p.Type)
	if err != nil {
		return err
	}
	text, err = p.Convert(text, m.File.MaxSize, func(u url.URL, isPart bool) (string, bool) { return m.fileOf(p, u, isPart) })
	if err != nil {
		return err
	}
	if err := m.countBytes(int64(len(text))); err != nil {
		return err
	}
	if m.hasContent(p.Name, text) {
		return nil
	}
	if err := m.writePage(p.Name, text, info.ModTime(), m.File.Sync); err != nil {
		return err
	}
	m.update(func() { m.report.Converted++ })
	return nil
}

// fileOf returns the name of the file in the copy with the content of u, to which page refers. ok
// is false if the copy lacks it. isPart says that the page loads u, such as an image or a style
// sheet. Then fileOf also reports a file that the copy lacks as missing, once for each URL.
func (m *crawl) fileOf(page offline.Page, u url.URL, isPart bool) (name string, ok bool) {
	plain := tree.Normalize(u)
	e, _ := m.index.find(plain)
	if e.Name != "" {
		if info, err := m.root.Lstat(m.site.StoredName(e.Name, e.Type)); err == nil && info.Mode().IsRegular() {
			return e.Name, true
		}
	}
	if isPart && m.missing.Add(offline.PageID(plain)) {
		why := whyMissing(e)
		m.update(func() {
			m.report.Missing++
			if errors.Is(why, ErrOtherHost) {
				m.report.MissingElsewhere++
			}
		})
		m.Event(fetch.Event{Kind: fetch.Missing, URL: u, Name: page.Name, Size: -1, Err: why})
	}
	return "", false
}

// whyMissing returns the reason why the copy lacks the file of e. It is never nil.
func whyMissing(e urlEntry) error {
	switch e.Why {
	case "":
		return errors.New("it was not fetched")
	case ErrOtherHost.Error():
		return ErrOtherHost
	}
	return errors.New(e.Why)
}

// removeOldPages removes the stored pages whose converted pages are not in the copy any more. It
// does so only with Delete, because otherwise the converted pages stay.
func (m *crawl) removeOldPages() {
	if !m.Convert || !m.Delete || m.report.NotDeleted != nil {
		return
	}
	_ = fs.WalkDir(m.root.FS(), offline.PagesDir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !m.names.has(offline.ShownName(name)) {
			_ = m.root.Remove(name) // a page that stays only takes space
		}
		return nil
	})
}
