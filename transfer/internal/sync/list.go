package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"locus/access"
	"locus/retry"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// maxDepth is how deep directories may be nested. A server with more makes them up.
const maxDepth = 128

func tooDeep(u url.URL) error {
	return fmt.Errorf("%s: more than %d nested directories", u.Redacted(), maxDepth)
}

// do does a task. It calls received when another task may use the server.
func (m *mirror) do(ctx context.Context, t task, received func()) {
	switch {
	case m.pages != nil:
		m.pages.page(ctx, t, received)
	case t.isDir:
		m.directory(ctx, t)
	default:
		m.file(ctx, t, received)
	}
}

// directory lists a directory and pushes its entries.
func (m *mirror) directory(ctx context.Context, t task) {
	tasks, err := m.list(ctx, t)
	if err != nil {
		m.failed(t.url, t.name, true, err)
		return
	}
	m.update(func() {
		m.found += tasks.Len()
		if m.Delete {
			m.listedDirs.Add(t)
		}
		if !t.modTime.IsZero() && t.name != "." {
			m.timedDirs.Add(t)
		}
	})
	m.Event(fetch.Event{Kind: fetch.Listed, URL: t.url, Name: t.name, Done: int64(tasks.Len()), Size: -1})
	m.pushAll(tasks)
}

// list makes a local directory, and returns the tasks for the entries of the remote
// one. If the local one is empty, the tasks say so.
func (m *mirror) list(ctx context.Context, t task) (*taskQueue, error) {
	if t.level > maxDepth {
		return nil, tooDeep(t.url)
	}
	entries, sum, err := m.entriesOf(ctx, t, m.isRelevant)
	if err != nil {
		return nil, err
	}
	if err := m.checkListing(t, sum); err != nil {
		entries.Drop()
		return nil, err
	}
	empty := false
	if !m.DryRun {
		if err := m.mkdir(t.name); err != nil {
			entries.Drop()
			return nil, err
		}
		empty = m.isEmpty(t.name)
	}
	tasks := newTasks(m.store)
	for e := range entries.All() {
		if ctx.Err() != nil {
			entries.Drop()
			tasks.Drop()
			return nil, ctx.Err()
		}
		child, ok := m.child(ctx, t, e)
		if !ok {
			continue
		}
		child.absent = empty && path.Dir(child.name) == t.name // a menu has items of other directories
		tasks.Add(child)
	}
	return tasks, nil
}

// entriesOf returns the entries of a directory that keep accepts, and a hash of the whole
// listing. After a transient failure it reads the listing again.
func (m *mirror) entriesOf(ctx context.Context, t task, keep func(access.Entry) bool) (*taskQueue, *listingHash, error) {
	var entries *taskQueue
	var sum *listingHash
	err := m.Retry.Do(ctx, func(ctx context.Context) (err error) {
		sum = newListingHash()
		entries, err = m.readEntries(ctx, t, keep, sum)
		return err
	}, func(err error, wait time.Duration) { m.retrying(t.name).Notify(t.url, err, wait) })
	return entries, sum, err
}

// readEntries reads a listing once.
func (m *mirror) readEntries(ctx context.Context, t task, keep func(access.Entry) bool, sum *listingHash) (*taskQueue, error) {
	r, err := m.engine.Do(ctx, &access.Request{URL: t.url, Login: m.Login})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.List == nil {
		return nil, fmt.Errorf("%s: it is not a directory", t.url.Redacted())
	}
	entries, hasDocuments := newTasks(m.store), false
	err = m.run.entries(ctx, r.List, func(e access.Entry) error {
		sum.add(e)
		hasDocuments = hasDocuments || tree.IsDocument(e)
		if e.Incomplete != nil {
			m.failed(t.url, t.name, true, fmt.Errorf("%s: %w", t.url.Redacted(), e.Incomplete))
		}
		if keep(e) {
			s := task{url: e.URL, kind: e.Kind, size: e.Size, modTime: e.ModTime, unique: e.ID}
			if e.URL.IsZero() {
				s.title = e.Title
			} else if err := m.rememberName(&s, e); err != nil {
				m.failed(e.URL, s.title, false, err)
				return nil
			}
			entries.Add(s)
		}
		return nil
	})
	if err == nil && m.tree.Check != nil {
		err = m.tree.Check(t.url, hasDocuments)
	}
	if err != nil {
		entries.Drop()
		return nil, err
	}
	return entries, nil
}

// isRelevant reports whether an entry may become a task, or a failure to report.
func (r *remote) isRelevant(e access.Entry) bool {
	if r.tree.Menus && e.URL.IsZero() {
		return e.Kind == access.Failure
	}
	return e.URL.IsZero() || !tree.HasNoFile(e.Kind)
}

// retrying returns an engine that retries. Its events have the local name.
func (m *mirror) retrying(name string) retry.Engine {
	return retry.Engine{Engine: m.engine, Policy: m.Retry, Notify: func(u url.URL, err error, wait time.Duration) {
		m.Event(fetch.Event{Kind: fetch.Retrying, URL: u, Name: name, Size: -1, Wait: wait, Err: err})
	}}
}

// child returns the task for an entry of a directory; ok is false if there is
// nothing to do.
func (m *mirror) child(ctx context.Context, t, e task) (child task, ok bool) {
	if e.url.IsZero() {
		m.unusable(t, e)
		return task{}, false
	}
	local, isDir, ok, err := m.localName(t, e)
	if tree.HasNoFile(e.kind) || !ok && !m.isFileElsewhere(t, e) {
		return task{}, false
	}
	child = task{
		url: m.tree.Entry(e.url), isDir: isDir, kind: e.kind,
		size: e.size, modTime: e.modTime, level: t.level + 1,
	}
	if child.isDir {
		child.unique = e.unique
	}
	child.name = local
	if strings.Count(local, "/") > maxDepth { // before its folders are made
		m.failed(child.url, "", child.isDir, tooDeep(child.url))
		return task{}, false
	}
	if local == t.name { // a catalog, which is no folder of its own
		child.level = t.level
	} else if err == nil && !m.Filter.Match(local, child.isDir) {
		m.skip(child, errExcluded)
		return task{}, false
	}
	if child.isDir && m.Level > 0 && child.level >= m.Level {
		return task{}, false
	}
	if !m.visited.Add(m.identity(child)) {
		if m.tree.LinkedTwice && child.isDir {
			m.omit(child.url, local, errLinkedTwice)
		}
		return task{}, false
	}
	if err == nil && child.isDir {
		err = m.names.claimDir(local)
	} else if err == nil {
		err = m.claimFile(local, m.identity(child))
	}
	if m.tree.Menus && (errors.Is(err, errTaken) || errors.Is(err, errClash)) {
		m.omit(child.url, local, err) // the same item twice, as of a .Links file
		return task{}, false
	}
	if err != nil {
		m.failed(child.url, local, child.isDir, err)
		return task{}, false
	}
	if m.isLoop(ctx, child) {
		m.skip(child, errLoop)
		return task{}, false
	}
	return child, true
}

var (
	errExcluded = errors.New("it is excluded")
	errLinked   = errors.New("the link does not lead to a file")

	errLinkedTwice = errors.New("the directory is linked more than once, and is in the copy under another name")
)

// identity returns a key. Of several entries with the same key, only one is copied.
func (r *remote) identity(t task) string {
	if r.tree.LinkedTwice && !t.isDir {
		return tree.Anonymous(t.url) + " " + t.name // each link to a file gets a file
	}
	return tree.Anonymous(t.url)
}

// unusable reports an entry without a URL. In an FTP listing it may be a file that
// was not parsed, in a menu it is text, and in a local directory it is a device.
func (m *mirror) unusable(t, e task) {
	switch {
	case m.tree.Garbled:
		m.failed(t.url, t.name, true, fmt.Errorf("%s: the listing has an invalid entry: %q", t.url.Redacted(), e.title))
	case m.tree.Menus:
		if e.kind == access.Failure {
			m.miss()
			m.omit(t.url, t.name, fmt.Errorf("the menu reports an error: %q", e.title))
		}
	default:
		t.size = -1
		m.skip(t, fmt.Errorf("%q is neither a file nor a directory", e.title))
	}
}

// localName returns the local name of the entry e of the directory t. ok is false if it is
// not to be copied.
func (m *mirror) localName(t, e task) (local string, isDir, ok bool, err error) {
	dirs, name, below := m.tree.Place(e.url)
	if m.tree.Name != nil {
		return path.Join(t.name, e.title), e.kind == access.Directory, below, nil
	}
	local, err = m.local(dirs, name)
	return local, name == "" || e.kind == access.Directory, below && len(dirs)+len(name) > 0, err
}

// file fetches a file that a listing has named.
func (m *mirror) file(ctx context.Context, t task, received func()) {
	if err := m.checkSize(t); err != nil {
		m.failed(t.url, t.name, false, err)
		return
	}
	if !t.absent {
		if info, err := m.root.Lstat(t.name); err == nil && m.isSame(ctx, t, info) {
			m.upToDate(t, info)
			return
		}
	}
	if m.DryRun {
		m.dryRunFile(ctx, t)
		return
	}
	if m.tree.Scattered {
		if err := m.mkdir(path.Dir(t.name)); err != nil {
			m.failed(t.url, t.name, false, err)
			return
		}
	}
	isElsewhere := false
	isDangling := func(err error) bool { return t.kind == access.Link && errors.Is(err, fs.ErrNotExist) }
	d := m.download(m.request(t), t.name, received)
	d.ListedTime, d.Absent = t.modTime, t.absent
	d.ChooseName = func(r *access.Resource) (string, error) {
		switch isElsewhere = m.isElsewhere(r.URL); {
		case isElsewhere:
			return "", &fetch.Skip{Why: ErrOtherHost}
		case r.List != nil:
			return "", &fetch.Skip{Why: errLinked}
		}
		return m.typedName(t, r.Type)
	}
	d.IsQuiet = func(err error) bool {
		return m.stopIfFull(t.name, err) || isDangling(err) || m.mayBeDir(t, err)
	}
	result, err := d.Run(ctx)
	switch {
	case isElsewhere && err == nil:
		m.omit(t.url, t.name, ErrOtherHost)
	case err == nil:
		m.fetched(result)
	case m.mayBeDir(t, err):
		m.names.release(t.name)
		_ = m.countFile(-1) // fewer are never too many
		m.push(task{url: m.tree.Directory(t.url), name: t.name, isDir: true, size: -1, level: t.level})
	case isDangling(err):
		t.size = -1
		m.skip(t, errLinked)
	default:
		m.failed(t.url, t.name, false, nil)
	}
}

// dryRunFile reports that a file would be fetched. In a namedTree it asks for the media type
// first, because the name of the local file depends on it.
func (m *mirror) dryRunFile(ctx context.Context, t task) {
	if m.tree.Name != nil {
		r, err := m.retrying("").Do(ctx, m.request(t))
		if err == nil {
			r.Body.Close()
			if m.isElsewhere(r.URL) {
				m.omit(t.url, t.name, ErrOtherHost)
				return
			}
			t.name, err = m.typedName(t, r.Type)
		}
		if err != nil {
			m.failed(t.url, t.name, false, err)
			return
		}
	}
	m.wouldFetch(t)
}

// request returns the request for a file, with its size and time in the listing.
func (m *mirror) request(t task) *access.Request {
	req := &access.Request{URL: t.url, Login: m.loginFor(t.url)}
	if t.size >= 0 {
		req.Known = &access.Entry{Size: t.size, Kind: t.kind}
		if fetch.HasSeconds(t.modTime) {
			req.Known.ModTime = t.modTime
		}
	}
	return req
}

// isSame reports whether the local file is up to date. It asks the server if the
// listing does not say: a time to the minute may be that of another time zone, and a
// link has the size and time of the link itself.
func (m *mirror) isSame(ctx context.Context, t task, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	if t.kind != access.Link {
		if t.size < 0 || info.Size() != t.size || t.modTime.IsZero() {
			return false
		}
		if same := fetch.IsSameTime(t.modTime, info.ModTime()); same || fetch.HasSeconds(t.modTime) {
			return same
		}
	}
	e, err := m.retrying(t.name).Do(ctx, &access.Request{Op: access.Stat, URL: t.url, Login: m.Login})
	return err == nil && fetch.IsSameFile(e.Entry, info)
}

// mayBeDir reports whether an entry that could not be fetched may be a directory. A
// listing by NLST does not tell.
func (r *remote) mayBeDir(t task, err error) bool {
	return t.kind == access.Unknown && errors.Is(err, fs.ErrNotExist) && r.tree.Directory(t.url) != t.url
}

// checkSize returns an error if a listing says that a file is larger than MaxSize. The
// size of a link is not that of its file.
func (m *mirror) checkSize(t task) error {
	if m.MaxSize <= 0 || t.size <= m.MaxSize || t.kind == access.Link {
		return nil
	}
	return fetch.TooLarge(t.url, m.MaxSize)
}

// download returns a download for the mirror. It calls received once all bytes are
// here.
func (m *mirror) download(req *access.Request, name string, received func()) *fetch.Download {
	d := fetch.New(fetch.Options{
		Retry: m.Retry, Continue: true, Split: m.Split, SplitSize: m.SplitSize, MaxSize: m.MaxSize, Sync: m.Sync,
		Received: received, Event: m.Event,
	}, m.engine, req, m.root, name)
	d.CountBytes = m.countNew()
	d.Part(m.parts.part(m.identity(task{url: req.URL, name: name}))) // two links to one file have two parts
	return d
}

// stopIfFull stops the mirror if err, of writing the file of that name, says that the disk is
// full: no other file has room. It reports whether the mirror is stopped, also for another
// reason.
func (m *mirror) stopIfFull(name string, err error) (isStopped bool) {
	if fetch.IsDiskFull(err) {
		m.store.Fail(fmt.Errorf("%w, for %q: %w", fetch.ErrDiskFull, name, fetch.Local(err)))
	}
	return m.store.Err() != nil
}
