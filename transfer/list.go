package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"locus/access"
	"locus/retry"
	"locus/url"
)

// maxDepth is how many directories may be one in another. A server that has
// more is making them up.
const maxDepth = 128

// do does a task. It calls leave when another one may begin, or returns.
func (m *mirror) do(ctx context.Context, t task, leave func()) {
	switch {
	case m.web:
		m.page(ctx, t, leave)
	case t.dir:
		m.directory(ctx, t)
	default:
		m.object(ctx, t, leave)
	}
}

// directory lists a directory to its end, and pushes what is in it.
func (m *mirror) directory(ctx context.Context, t task) {
	tasks, err := m.list(ctx, t)
	if err != nil {
		m.failed(t.url, t.name, true, err)
		return
	}
	m.counts.Lock()
	m.found += tasks.count
	if m.Delete {
		m.listed.add(streamed{task: t})
	}
	if !t.modTime.IsZero() && t.name != "." {
		m.dirTimes.add(streamed{task: t})
	}
	m.counts.Unlock()
	emit(m.Event, Event{Kind: Listed, URL: t.url, Name: t.name, Done: int64(tasks.count), Size: -1})
	m.pushAll(tasks)
}

// isEmpty reports whether a directory has nothing in it but the mirror's own. One
// that cannot be read may have anything.
func (m *mirror) isEmpty(name string) bool {
	dir, err := m.root.Open(name)
	if err != nil {
		return false
	}
	defer dir.Close()
	there, err := dir.Readdirnames(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return !slices.ContainsFunc(there, func(n string) bool { return n != stateDir })
}

// list makes a directory here, and returns the tasks that the remote one gives. If
// there is nothing in it here, the tasks know that nothing has their names.
func (m *mirror) list(ctx context.Context, t task) (*stream, error) {
	if t.level > maxDepth {
		return nil, fmt.Errorf("%s: more than %d directories in one another", t.url.Redacted(), maxDepth)
	}
	entries, err := m.listing(ctx, t, m.mayLead)
	if err != nil {
		return nil, err
	}
	empty := false
	if !m.DryRun {
		if err := m.mkdir(t.name); err != nil {
			entries.drop()
			return nil, err
		}
		empty = m.isEmpty(t.name)
	}
	tasks := &stream{spool: m.spool}
	for e := range entries.all {
		if ctx.Err() != nil {
			entries.drop()
			tasks.drop()
			return nil, ctx.Err()
		}
		child, ok := m.child(t, e)
		if !ok {
			continue
		}
		child.absent = empty && path.Dir(child.name) == t.name // a menu has items from elsewhere
		tasks.add(streamed{task: child})
	}
	return tasks, nil
}

// listing returns the entries of a directory that keep takes. A listing that breaks
// off is read again.
func (m *mirror) listing(ctx context.Context, t task, keep func(access.Entry) bool) (*stream, error) {
	var entries *stream
	err := m.Retry.Do(ctx, func(ctx context.Context) (err error) {
		entries, err = m.listingOnce(ctx, t, keep)
		return err
	}, func(err error, wait time.Duration) { m.notify(t.name)(t.url, err, wait) })
	return entries, err
}

func (m *mirror) listingOnce(ctx context.Context, t task, keep func(access.Entry) bool) (*stream, error) {
	r, err := m.opener.Do(ctx, &access.Request{URL: t.url, Login: m.Login})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.List == nil {
		return nil, fmt.Errorf("%s: it is no directory", t.url.Redacted())
	}
	entries, read := &stream{spool: m.spool}, int64(0)
	var tooMany error
	err = access.Entries(r.List, func(e access.Entry) error {
		if tooMany = m.count(); tooMany != nil {
			return tooMany
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		read++
		if keep(e) {
			entries.add(fromEntry(e))
		}
		return nil
	})
	if err == nil {
		return entries, nil
	}
	entries.drop()
	if tooMany != nil {
		return nil, tooMany
	}
	m.entries.Add(-read) // they are read again
	return nil, err
}

// fromEntry returns what a mirror has to know of an entry.
func fromEntry(e access.Entry) streamed {
	s := streamed{task: task{url: e.URL, kind: e.Kind, size: e.Size, modTime: e.ModTime}}
	if e.URL.IsZero() {
		s.title = e.Title
	}
	return s
}

// mayLead reports whether an entry may give a task, or a failure to be told.
func (m *mirror) mayLead(e access.Entry) bool {
	if _, menus := m.tree.(gopherTree); menus && e.URL.IsZero() {
		return e.Kind == access.Failure
	}
	return e.URL.IsZero() || !leadsNowhere(e.Kind)
}

// leadsNowhere reports whether what is of a kind is neither a file nor a directory.
func leadsNowhere(k access.Kind) bool {
	switch k {
	case access.Search, access.Form, access.Terminal, access.Info, access.Failure:
		return true
	}
	return false
}

// retrying returns the engine that repeats what fails for a while, for what has a
// name below the root, or "".
func (m *mirror) retrying(name string) retry.Engine {
	return retry.Engine{Engine: m.opener, Policy: m.Retry, Notify: m.notify(name)}
}

func (m *mirror) notify(name string) func(url.URL, error, time.Duration) {
	return func(u url.URL, err error, wait time.Duration) {
		emit(m.Event, Event{Kind: Retrying, URL: u, Name: name, Size: -1, Wait: wait, Err: err})
	}
}

// child returns the task for an entry of a directory; ok is false if there is
// nothing to do.
func (m *mirror) child(t task, e streamed) (child task, ok bool) {
	if e.url.IsZero() {
		m.unread(t, e)
		return task{}, false
	}
	dirs, name, below := m.tree.place(e.url)
	if leadsNowhere(e.kind) || !below || len(dirs) == 0 && name == "" {
		return task{}, false
	}
	child = task{
		url: m.tree.entry(e.url), dir: name == "" || e.kind == access.Directory, kind: e.kind,
		size: e.size, modTime: e.modTime, level: t.level + 1,
	}
	local, err := m.local(dirs, name)
	child.name = local
	if err == nil && !m.Filter.Takes(local, child.dir) {
		m.leave(child)
		return task{}, false
	}
	if child.dir && m.Level > 0 && child.level >= m.Level {
		return task{}, false
	}
	if !m.pages.add(anonymous(child.url)) {
		return task{}, false
	}
	if err == nil && child.dir {
		err = m.names.dir(local)
	} else if err == nil {
		err = m.names.file(local, anonymous(child.url))
	}
	if err != nil {
		m.failed(child.url, local, child.dir, err)
		return task{}, false
	}
	return child, true
}

// leave keeps an excluded name from being deleted here: it is there, and not
// wanted, which are two things.
func (m *mirror) leave(t task) {
	emit(m.Event, Event{Kind: Skipped, URL: t.url, Name: t.name, Size: t.size, Err: errLeftOut})
}

var errLeftOut = errors.New("it is left out")

// unread takes note of an entry that nothing opens. In a menu that is text, in a
// folder here a device; in another listing it may be a file that was not
// understood.
func (m *mirror) unread(t task, e streamed) {
	switch m.tree.(type) {
	case ftpTree:
		m.failed(t.url, t.name, true, fmt.Errorf("%s: %q in the listing is not understood", t.url.Redacted(), e.title))
	case gopherTree:
		if e.kind == access.Failure {
			m.failed(t.url, t.name, true, fmt.Errorf("%s: the menu says %q", t.url.Redacted(), e.title))
		}
	default:
		emit(m.Event, Event{
			Kind: Skipped, URL: t.url, Name: t.name, Size: -1,
			Err: fmt.Errorf("%q is no file and no directory", e.title),
		})
	}
}

// local returns the name below the root for what a tree says.
func (m *mirror) local(dirs []string, name string) (string, error) {
	segments := make([]string, 0, len(dirs)+1)
	if name != "" {
		dirs = append(dirs[:len(dirs):len(dirs)], name)
	}
	for _, d := range dirs {
		safe, err := m.naming.file(d)
		if err != nil {
			return path.Join(segments...), err
		}
		segments = append(segments, safe)
	}
	return path.Join(segments...), nil
}

// object fetches a file whose name and attributes a listing told.
func (m *mirror) object(ctx context.Context, t task, leave func()) {
	if !t.absent {
		if info, err := m.root.Lstat(t.name); err == nil && m.same(ctx, t, info) {
			m.skipped(t, info)
			return
		}
	}
	if m.DryRun {
		m.planned(t)
		return
	}
	if _, menus := m.tree.(gopherTree); menus { // which may have what is in other directories
		if err := m.mkdir(path.Dir(t.name)); err != nil {
			m.failed(t.url, t.name, false, err)
			return
		}
	}
	d := m.download(m.request(t), t.name, leave)
	d.listed, d.absent = t.modTime, t.absent
	d.choose = func(r *access.Resource) (string, error) {
		if r.List != nil {
			return "", &skip{Skipped, errLinked}
		}
		return t.name, nil
	}
	d.quiet = func(err error) bool {
		return m.spool.failure() != nil || t.kind == access.Link && errors.Is(err, fs.ErrNotExist) || m.mayList(t, err)
	}
	result, err := d.run(ctx)
	switch {
	case err == nil:
		m.fetched(result)
	case m.mayList(t, err):
		m.names.release(t.name)
		m.push(task{url: m.tree.directory(t.url), name: t.name, dir: true, size: -1, level: t.level})
	case t.kind == access.Link && errors.Is(err, fs.ErrNotExist):
		emit(m.Event, Event{Kind: Skipped, URL: t.url, Name: t.name, Size: -1, Err: errLinked})
	default:
		m.failed(t.url, t.name, false, nil)
	}
}

// request returns the request for a file, with what a listing told of it.
func (m *mirror) request(t task) *access.Request {
	req := &access.Request{URL: t.url, Login: m.Login}
	if t.size >= 0 {
		req.Known = &access.Entry{Size: t.size, Kind: t.kind}
		if exact(t.modTime) {
			req.Known.ModTime = t.modTime
		}
	}
	return req
}

// same reports whether a file is here already. A listing that tells time to the
// minute may tell that of another time zone, and of a link it tells the link's
// own size and time: then the server is asked.
func (m *mirror) same(ctx context.Context, t task, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	if t.kind != access.Link {
		if t.size < 0 || info.Size() != t.size || t.modTime.IsZero() {
			return false
		}
		if exact(t.modTime) || sameTime(t.modTime, info.ModTime()) {
			return sameTime(t.modTime, info.ModTime())
		}
	}
	e, err := m.retrying(t.name).Do(ctx, &access.Request{Op: access.Stat, URL: t.url, Login: m.Login})
	return err == nil && e.Size == info.Size() && !e.ModTime.IsZero() && sameTime(e.ModTime, info.ModTime())
}

// exact reports whether a time is told to the second, as far as that can be
// seen.
func exact(t time.Time) bool { return t.Second() != 0 || t.Nanosecond() != 0 }

var errLinked = errors.New("it is a link to no file")

// mayList reports whether what is no file may be a directory: where a listing
// has names and nothing else (NLST).
func (m *mirror) mayList(t task, err error) bool {
	return t.kind == access.Unknown && errors.Is(err, fs.ErrNotExist) && m.tree.directory(t.url) != t.url
}
