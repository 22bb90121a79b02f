package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"locus/access"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// directory does the task t of a directory of the source: it makes the directory at the target,
// compares the two, and pushes a task for each entry to send. Failures are reported.
func (s *sender) directory(ctx context.Context, t task) {
	if t.level > tree.MaxDepth {
		s.failed(ctx, t.name, true, tree.TooDeep(t.url))
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
	s.Event(fetch.Event{Kind: fetch.Listed, URL: s.target(t.name), Name: t.name, Done: int64(len(source.entries)), Size: -1})
	s.findTwins(t.name, source, target)
	s.findExtra(t.name, source, target)
	s.pushAll(s.compareEntries(ctx, t, source, &target))
}

// makeTarget makes the directory of that name at the target, or the root of the target if name is
// ".".
func (s *sender) makeTarget(ctx context.Context, name string) error {
	if name == "." {
		return s.makeRoot(ctx)
	}
	return s.asTwin(ctx, name, true, func() error { return s.makeDir(ctx, name) })
}

// compareEntries returns the tasks for the entries of the directory t of the source that must be
// sent, in the order of their names. In a dry run it reports the files as WouldFetch instead, and
// returns only directories.
func (s *sender) compareEntries(ctx context.Context, t task, source listedDir, target *listedDir) *taskQueue {
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
			s.Event(fetch.Event{Kind: fetch.WouldFetch, URL: s.target(child.name), Name: child.name, Size: child.size})
		default:
			tasks.Add(child)
		}
	}
	return tasks
}

var (
	errSpecial  = errors.New("it is neither a file nor a folder")
	errSymbolic = errors.New("it is a symbolic link")

	// A link may lead to another directory of the target, or out of it.
	errTargetLink = errors.New("it is a symbolic link at the target; remove it there, or exclude it")
)

// compareEntry returns the task for e, the entry base of the directory t of the source. target is the
// directory at the target. ok is false if the entry is not sent. compareEntry has reported the reason
// then, except for tree.StateDir.
func (s *sender) compareEntry(ctx context.Context, t task, base string, e item, target *listedDir) (child task, ok bool) {
	name := localPath(t.name, base)
	there, exists := target.entries[base]
	isDir := e.kind == access.Directory
	switch {
	case base == tree.StateDir:
		return task{}, false
	case !e.hasURL || tree.HasNoFile(e.kind):
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
	child = task{
		url: u, name: name, isDir: isDir, kind: e.kind, size: e.Size, modTime: e.ModTime, level: t.level + 1,
		absent: target.absent || !exists && !target.opaque && base[0] != '.', // servers hide names that begin with a dot
	}
	return child, isDir || s.compareFile(ctx, &child, there, exists, target)
}

// compareFile counts the file of t as found, and reports whether it is to be sent. It sets the size
// and the time of t if the listing lacks them. there is the file in target, if exists is set. If
// compareFile returns false, it has reported the reason: an error, or that the file is skipped.
//
// It asks the server about a file that an earlier run has sent and target lacks, because servers hide
// some names. After the first such file that does not exist it relies on target, because some servers
// can only answer by another listing.
func (s *sender) compareFile(ctx context.Context, t *task, there item, exists bool, target *listedDir) bool {
	s.update(func() { s.found++ })
	if (t.kind == access.Link || t.size < 0 || t.modTime.IsZero()) && !s.readSource(ctx, t) {
		return false
	}
	source, logged := version{t.size, t.modTime}, s.log.find(t.name)
	if t.absent && (logged == nil || target.isWhole) {
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
			target.isWhole = t.absent
			return true
		case !exists:
			there, what = found, decide(source, found, true, logged)
			s.hidden.Add(t.name)
		default:
			what = decide(source, found, true, nil)
		}
		if what == leaveFile {
			s.log.record(sentFile{Name: t.name, Source: source, Target: there.seen()})
		}
	}
	return s.apply(t.name, t.size, what)
}

// apply reports whether the action what sends the named file. If not, it counts and reports the file
// as skipped.
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

// readSource asks the source for the size and the time of the file of t, because its listing lacks
// them, and stores them in t. It reports whether the file is to be compared and sent. If not, it has
// reported the reason.
func (s *sender) readSource(ctx context.Context, t *task) bool {
	isLink := t.kind == access.Link
	if isLink && s.SkipLinks {
		s.skip(t.name, -1, errSymbolic)
		return false
	}
	e, err := s.ask(ctx, s.from, access.Stat, t.name, false)
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
		t.size = e.Size // Apache sends no size for an empty file, but lists it
	}
	return true
}

// findExtra sorts the entries of the directory dir that only the target has: parts of uploads go to
// sortLeftover, and, if Delete is set, other files to s.extra.
func (s *sender) findExtra(dir string, source, target listedDir) {
	for _, base := range slices.Sorted(maps.Keys(target.entries)) {
		e, name := target.entries[base], localPath(dir, base)
		if _, ok := source.entries[base]; ok || base == tree.StateDir || !e.hasURL {
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

// needReview adds the directory dir to the directories that finish lists again, once. The caller
// holds run.mu.
func (s *sender) needReview(dir string) {
	if s.reviewed.Add(dir) {
		s.review.Add(task{name: dir, isDir: true})
	}
}
