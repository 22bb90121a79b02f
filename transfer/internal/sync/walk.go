package sync

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"locus/access"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// A walk is a mirror of a tree that has listings.
type walk struct {
	*mirror
	loops      loops
	timedDirs  *taskQueue // directories with a modification time
	listedDirs *taskQueue // all directories, if Delete needs them
}

// newWalk returns a walk of the mirror m.
func newWalk(m *mirror) *walk {
	return &walk{
		mirror: m, loops: loops{known: spill.NewSet(m.store)},
		timedDirs: newTasks(m.store), listedDirs: newTasks(m.store),
	}
}

// steps returns the steps of a mirror that follows listings.
func (m *walk) steps() steps {
	x := newExtraFiles(m.mirror)
	return steps{
		begin: m.begin, start: task{url: m.tree.Start, name: ".", isDir: true},
		do:     m.doTask,
		finish: func(context.Context) error { return nil },
		delete: x.deletion(func(ctx context.Context) error { return m.confirm(ctx, x) }),
		end:    m.end,
	}
}

// doTask does t: it lists a directory, or fetches a file. It calls received once another task may
// use the server, perhaps before it returns.
func (m *walk) doTask(ctx context.Context, t task, received func()) {
	if t.isDir {
		m.directory(ctx, t)
	} else {
		m.file(ctx, t, received)
	}
}

// end sets the times of directories, and then calls the end of the mirror. The times come last,
// because writing a file into a directory changes its time.
func (m *walk) end(finished bool) error {
	if finished && !m.DryRun {
		for d := range m.timedDirs.All() {
			_ = m.root.Chtimes(d.name, d.modTime, d.modTime) // best effort
		}
	}
	return m.mirror.end(finished, func(bool) error { return nil })
}

// directory does the task t of a directory: it makes the local directory, and pushes a task for
// each entry of the remote one. A failure is reported.
func (m *walk) directory(ctx context.Context, t task) {
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

// list makes the local directory of t, and returns the tasks for the entries of the remote one.
// The tasks say if the local directory is empty, so that their files are fetched without a
// comparison.
func (m *walk) list(ctx context.Context, t task) (*taskQueue, error) {
	if t.level > tree.MaxDepth {
		return nil, tree.TooDeep(t.url)
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

// entriesOf returns the entries of the remote directory of t that keep accepts, as tasks, and a
// hash of the whole listing. After a transient failure it reads the listing again.
func (m *walk) entriesOf(ctx context.Context, t task, keep func(access.Entry) bool) (*taskQueue, *listingHash, error) {
	var entries *taskQueue
	var sum *listingHash
	err := m.repeat(ctx, t.url, t.name, func(ctx context.Context) (err error) {
		sum = newListingHash()
		entries, err = m.readEntries(ctx, t, keep, sum)
		return err
	})
	return entries, sum, err
}

// readEntries reads the listing of t once. It returns tasks for the entries that keep accepts, and
// adds all entries to sum. The tasks do not have the names of files yet: see child.
func (m *walk) readEntries(ctx context.Context, t task, keep func(access.Entry) bool, sum *listingHash) (*taskQueue, error) {
	watched := ctx
	if m.tree.Here != nil && !m.isOtherServer(t.url) {
		watched = m.aliases.watch(ctx)
	}
	r, err := m.engine.Do(watched, &access.Request{URL: t.url, Login: m.Login, List: true})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.List == nil {
		return nil, fmt.Errorf("%s: it is not a folder", t.url.Redacted())
	}
	entries, hasDocuments := newTasks(m.store), false
	err = m.run.entries(ctx, r.List, func(e access.Entry) error {
		sum.add(e)
		hasDocuments = hasDocuments || tree.IsDocument(e)
		if e.Incomplete != nil {
			m.failed(t.url, t.name, true, fmt.Errorf("%s: %w", t.url.Redacted(), e.Incomplete))
		}
		if keep(e) {
			e.URL = m.canonical(ctx, e.URL)
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

// isRelevant reports whether an entry of a listing may become a task, or a failure to report. It
// is false for the text of a menu, and for an entry that is neither a file nor a folder.
func (r *remote) isRelevant(e access.Entry) bool {
	if r.tree.Menus && e.URL.IsZero() {
		return e.Kind == access.Failure
	}
	return e.URL.IsZero() || !tree.HasNoFile(e.Kind)
}

// child returns the task of copying the entry e of the directory t, and claims its local name. If
// the entry is not copied, ok is false, and child has reported the reason where the user should
// see one.
func (m *walk) child(ctx context.Context, t, e task) (child task, ok bool) {
	if e.url.IsZero() {
		m.unusable(t, e)
		return task{}, false
	}
	local, isDir, ok, err := m.localName(t, e)
	if tree.HasNoFile(e.kind) {
		return task{}, false
	}
	if !ok && !m.isFileElsewhere(t, e) {
		m.omitElsewhere(e)
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
	if strings.Count(local, "/") > tree.MaxDepth { // checked before mkdir makes its directories
		m.failed(child.url, "", child.isDir, tree.TooDeep(child.url))
		return task{}, false
	}
	if local == t.name { // the catalog of a database shares the directory of the database
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

	errLinkedTwice = errors.New("the folder is linked more than once, and is in the copy under another name")
)

// identity returns the key of t in mirror.visited. Of several entries with the same key, only one
// is copied.
func (r *remote) identity(t task) string {
	if r.tree.LinkedTwice && !t.isDir {
		return tree.Anonymous(t.url) + " " + t.name // each link to a file gets a file
	}
	return tree.Anonymous(t.url)
}

// unusable reports e, an entry without a URL in the listing of t. In an FTP listing e may be a
// file that was not parsed, in a menu e is text, and in a local directory e is a device.
func (m *walk) unusable(t, e task) {
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
		m.skip(t, fmt.Errorf("%q is neither a file nor a folder", e.title))
	}
}

// localName returns the local path of e, which is an entry of the directory t, and whether e
// becomes a directory. ok is false if e is not below the root of the tree. The error says why the
// URL cannot become a local name.
func (m *walk) localName(t, e task) (local string, isDir, ok bool, err error) {
	dirs, name, below := m.tree.PathOf(m.placed(e.url))
	if m.tree.Name != nil {
		return path.Join(t.name, e.title), e.kind == access.Directory, below, nil
	}
	local, err = m.naming.Path(dirs, name)
	return local, name == "" || e.kind == access.Directory, below && len(dirs)+len(name) > 0, err
}

// confirm lists the remote directories again in which files of x would be removed. It returns an
// error if a server lists one of those files now.
func (m *walk) confirm(ctx context.Context, x *extraFiles) error {
	for t := range m.listedDirs.All() {
		if !x.parents.Has(t.name) {
			continue
		}
		if err := m.confirmDir(ctx, t, x); err != nil {
			return err
		}
	}
	return m.store.Err()
}

// confirmDir lists the directory of t again. It returns an error if the listing now has a file of
// x, or cannot be read.
func (m *walk) confirmDir(ctx context.Context, t task, x *extraFiles) error {
	m.counted.Store(0) // the entries were counted the first time
	entries, _, err := m.entriesOf(ctx, t, func(access.Entry) bool { return true })
	if err != nil {
		return err
	}
	defer entries.Drop()
	for e := range entries.All() {
		local, _, below, err := m.localName(t, e)
		if !below || e.url.IsZero() {
			continue
		}
		if err != nil || x.extra.Has(local) {
			return fmt.Errorf("%s: its listing has changed", t.url.Redacted())
		}
	}
	return m.store.Err()
}
