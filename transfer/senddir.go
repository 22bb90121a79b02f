package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"locus/access"
	"locus/internal/sentinel"
	"locus/url"
)

// maxListing is how many bytes the names of one directory may take in memory, with about
// 200 more for each name.
const maxListing = 256 << 20

// A listedDir is what a listing has, by name.
type listedDir struct {
	entries map[string]item
	absent  bool // there is no such directory
	opaque  bool // the server does not list it
}

// listSource lists a directory of the source. It fails if there is none, or no listing of it.
func (s *sender) listSource(ctx context.Context, t task) (listedDir, error) {
	source, err := s.listDir(ctx, s.from, t.name)
	if err == nil && (source.absent || source.opaque) {
		err = &access.Error{Op: "list", URL: t.url, Err: errNotListed}
	}
	return source, err
}

// directory compares a directory of the source with that of the target, and pushes tasks
// for what is to be sent.
func (s *sender) directory(ctx context.Context, t task) {
	if t.level > maxDepth {
		s.failed(ctx, t.name, true, tooDeep(t.url))
		return
	}
	source, err := s.listSource(ctx, t)
	if err != nil {
		s.failed(ctx, t.name, true, err)
		return
	}
	target := listedDir{absent: true}
	if !t.absent {
		if target, err = s.listDir(ctx, s.to, t.name); err != nil {
			s.failed(ctx, t.name, true, err)
			return
		}
	}
	if target.opaque {
		s.update(func() { s.unlisted = true })
	}
	if target.absent && !s.DryRun {
		if err := s.makeTarget(ctx, t.name); err != nil {
			s.failed(ctx, t.name, true, err)
			return
		}
	}
	s.Event(Event{Kind: Listed, URL: s.target(t.name), Name: t.name, Done: int64(len(source.entries)), Size: -1})
	s.findTwins(t.name, source, target)
	s.findExtra(t.name, source, target)
	s.pushAll(s.compare(ctx, t, source, target))
}

func (s *sender) makeTarget(ctx context.Context, name string) error {
	if name == "." {
		return s.makeRoot(ctx)
	}
	return s.asTwin(ctx, name, true, func() error { return s.makeDir(ctx, name) })
}

var errNotListed = sentinel.New("the server does not list it as a folder", errors.ErrUnsupported)

// listDir lists a directory of one side. After a transient failure it starts again.
func (s *sender) listDir(ctx context.Context, of side, name string) (listedDir, error) {
	u, err := of.at(name, true)
	if err != nil {
		return listedDir{}, err
	}
	var found listedDir
	err = s.Retry.Do(ctx, func(ctx context.Context) (err error) {
		found, err = s.readDir(ctx, of, name, u)
		return err
	}, s.notify(name))
	return found, err
}

// readDir lists a directory once.
func (s *sender) readDir(ctx context.Context, of side, name string, u url.URL) (listedDir, error) {
	found := listedDir{entries: make(map[string]item)}
	r, err := of.engine.Do(ctx, &access.Request{URL: u, Login: s.Login, List: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return listedDir{absent: true}, nil
	case isWebTree(of.tree) && errors.Is(err, fs.ErrPermission) && !errors.Is(err, access.ErrPassword), errors.Is(err, errors.ErrUnsupported):
		return listedDir{opaque: true}, nil
	case err != nil:
		return found, err
	}
	defer r.Body.Close()
	if r.List == nil {
		return listedDir{opaque: true}, nil
	}
	size, read := 0, int64(0)
	err = access.Entries(r.List, func(e access.Entry) error {
		if err := cmp.Or(s.countEntry(), ctx.Err()); err != nil {
			return err
		}
		read++
		child, isBelow, err := childOf(of.tree, name, e)
		if err != nil || !isBelow {
			return err
		}
		if size += len(child) + 200; size > maxListing {
			return fmt.Errorf("%s: %w", u.Redacted(), access.ErrTooLong)
		}
		found.entries[child] = itemOf(e)
		return nil
	})
	if err != nil {
		s.entries.Add(-read) // a retry counts them again
	}
	return found, err
}

func isWebTree(t tree) bool { _, ok := t.(webTree); return ok }

// childOf returns the name of an entry in the directory dir; false if it is not directly
// in there. An entry that cannot be placed may be a file that the listing garbled: then
// the listing is incomplete.
func childOf(t tree, dir string, e access.Entry) (name string, ok bool, err error) {
	if e.URL.IsZero() {
		if _, isFTP := t.(ftpTree); isFTP {
			return "", false, fmt.Errorf("the listing has an invalid entry: %q", e.Title)
		}
		return e.Title, checkName(e.Title) == nil, nil // a device, or a socket
	}
	dirs, name, below := t.place(e.URL)
	if !below || len(dirs) == 0 && name == "" {
		return "", false, nil
	}
	if name == "" {
		dirs, name = dirs[:len(dirs)-1], dirs[len(dirs)-1]
	}
	for _, d := range append(dirs, name) {
		if err := checkName(d); err != nil {
			return "", false, err
		}
	}
	return name, path.Join(append([]string{"."}, dirs...)...) == dir, nil
}

// countEntry counts an entry of a listing. If there are too many, it stops Send and
// returns an error.
func (s *sender) countEntry() error {
	limit := int64(cmp.Or(s.MaxEntries, 10_000_000))
	if s.entries.Add(1) <= limit {
		return nil
	}
	s.store.Fail(fmt.Errorf("%w: more than %d", ErrTooManyEntries, limit))
	return s.store.Err()
}

// notify returns a function that reports retries.
func (s *sender) notify(name string) func(err error, wait time.Duration) {
	return func(err error, wait time.Duration) {
		s.Event(Event{Kind: Retrying, URL: s.target(name), Name: name, Size: -1, Wait: wait, Err: err})
	}
}

// compare returns the tasks for the entries of a directory of the source.
func (s *sender) compare(ctx context.Context, t task, source, target listedDir) *taskQueue {
	tasks := newTasks(s.store)
	for _, base := range slices.Sorted(maps.Keys(source.entries)) {
		if ctx.Err() != nil {
			break
		}
		child, ok := s.compareEntry(ctx, t, base, source.entries[base], target)
		switch {
		case !ok:
		case s.DryRun && !child.isDir: // here, so that a plan has the files of a directory together
			s.update(func() { s.report.Files++ })
			s.Event(Event{Kind: WouldFetch, URL: s.target(child.name), Name: child.name, Size: child.size})
		default:
			tasks.Add(child)
		}
	}
	return tasks
}

var (
	errSpecial  = errors.New("it is neither a file nor a directory")
	errSymbolic = errors.New("it is a symbolic link")

	// A link may lead to another directory of the target, or out of it.
	errTargetLink = errors.New("it is a symbolic link at the target; remove it there, or exclude it")
)

// compareEntry returns the task for an entry of the directory t of the source; false if
// there is nothing to do.
func (s *sender) compareEntry(ctx context.Context, t task, base string, e item, target listedDir) (task, bool) {
	name := localPath(t.name, base)
	there, exists := target.entries[base]
	isDir := e.kind == access.Directory
	switch {
	case base == stateDir:
		return task{}, false
	case !e.hasURL || hasNoFile(e.kind):
		s.skip(name, -1, errSpecial)
		return task{}, false
	case !s.Filter.Match(name, isDir):
		s.skip(name, e.Size, errExcluded)
		return task{}, false
	case exists && (isDir && there.kind == access.Object || !isDir && there.kind == access.Directory):
		s.failed(ctx, name, isDir, errClash)
		return task{}, false
	case exists && isDir && there.kind == access.Link:
		s.failed(ctx, name, isDir, errTargetLink)
		return task{}, false
	}
	u, err := s.from.at(name, isDir)
	if err != nil {
		s.failed(ctx, name, isDir, err)
		return task{}, false
	}
	child := task{
		url: u, name: name, isDir: isDir, kind: e.kind, size: e.Size, modTime: e.ModTime, level: t.level + 1,
		absent: target.absent || !exists && !target.opaque && base[0] != '.', // servers hide such names
	}
	return child, isDir || s.compareFile(ctx, &child, there, exists)
}

// compareFile reports whether a file is to be sent, and completes its task.
func (s *sender) compareFile(ctx context.Context, t *task, there item, exists bool) bool {
	s.update(func() { s.found++ })
	if (t.kind == access.Link || t.size < 0 || t.modTime.IsZero()) && !s.readSource(ctx, t) {
		return false
	}
	source, logged := version{t.size, t.modTime}, s.log.find(t.name)
	if t.absent && logged == nil {
		return true
	}
	if !exists || there.kind == access.Link {
		there = item{version: version{Size: -1}}
	}
	what := decide(source, there, false, logged)
	if what == askTarget || t.absent {
		found, ok, err := s.statTarget(ctx, t.name)
		switch {
		case err != nil:
			s.failed(ctx, t.name, false, err)
			return false
		case !ok:
			return true
		case !exists:
			there, what = found, decide(source, found, true, logged)
		default:
			what = decide(source, found, true, nil)
		}
		if what == leaveFile {
			s.log.record(sentFile{Name: t.name, Source: source, Target: there.seen()})
		}
	}
	return s.apply(t.name, t.size, what)
}

// apply reports an action, and returns whether the file is to be sent.
func (s *sender) apply(name string, size int64, what action) bool {
	switch {
	case what == leaveFile:
		s.update(func() { s.report.Skipped++ })
		s.skip(name, size, errSame)
		return false
	case what == keepNewer && !s.Replace:
		s.update(func() { s.report.Newer++ })
		s.skip(name, size, ErrNewer)
		return false
	}
	return true
}

// readSource asks the source for the size and the time of a file that the listing does
// not tell. It reports whether there is a file to send.
func (s *sender) readSource(ctx context.Context, t *task) bool {
	isLink := t.kind == access.Link
	if isLink && s.SkipLinks {
		s.skip(t.name, -1, errSymbolic)
		return false
	}
	e, err := s.statOf(ctx, s.from, t.url, t.name)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return true
	case isLink && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
		s.skip(t.name, -1, fmt.Errorf("the link does not lead to a file of the tree: %w", err))
		return false
	case err != nil:
		s.failed(ctx, t.name, false, err)
		return false
	case isLink && e.Kind == access.Directory:
		s.skip(t.name, -1, errLinked)
		return false
	}
	t.kind, t.modTime = e.Kind, e.ModTime
	if isLink || e.Size >= 0 {
		t.size = e.Size // Apache tells no size of an empty file, and its listing does
	}
	return true
}

// statTarget asks the target for a file; ok is false if there is none. If the target
// cannot tell, the item has no size and no time.
func (s *sender) statTarget(ctx context.Context, name string) (found item, ok bool, err error) {
	u, err := s.to.at(name, false)
	if err != nil {
		return found, false, err
	}
	e, err := s.statOf(ctx, s.to, u, name)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return item{version: version{Size: -1}}, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return found, false, nil
	}
	return itemOf(e), err == nil, err
}

func (s *sender) statOf(ctx context.Context, of side, u url.URL, name string) (e access.Entry, err error) {
	err = s.Retry.Do(ctx, func(ctx context.Context) error {
		r, err := of.engine.Do(ctx, &access.Request{Op: access.Stat, URL: u, Login: s.Login})
		if err == nil {
			e = r.Entry
		}
		return err
	}, s.notify(name))
	return e, err
}

// findExtra notes what the target has and the source has not.
func (s *sender) findExtra(dir string, source, target listedDir) {
	for _, base := range slices.Sorted(maps.Keys(target.entries)) {
		e, name := target.entries[base], localPath(dir, base)
		if _, ok := source.entries[base]; ok || base == stateDir || !e.hasURL {
			continue
		}
		if s.sortLeftover(name, e, source) {
			continue
		}
		if isDir := e.kind == access.Directory; s.Delete && s.Filter.Match(name, isDir) {
			s.update(func() {
				s.extra.Add(task{name: name, isDir: isDir, kind: e.kind})
				s.needReview(dir)
			})
		}
	}
}

// needReview asks for a directory to be listed again at the end. The lock is held.
func (s *sender) needReview(dir string) {
	if s.reviewed.Add(dir) {
		s.review.Add(task{name: dir, isDir: true})
	}
}
