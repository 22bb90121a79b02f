package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/spill"
)

// deleteExtra removes local files and directories that are not in the remote tree.
// Before, it lists their remote directories again: a listing that was cut off between
// two lines looks complete. Files that appear locally in the meantime stay.
func (m *mirror) deleteExtra(ctx context.Context) error {
	report := &m.outcome.report
	switch {
	case m.outcome.incomplete:
		report.NotDeleted = errFailures
	case report.Disallowed > 0:
		report.NotDeleted = errDisallowed
	case m.outcome.found == 0 && m.Filter.hasPatterns():
		report.NotDeleted = errNoMatch
	case m.outcome.found == 0:
		report.NotDeleted = errNothing
	}
	if report.NotDeleted != nil {
		return nil // the report says it
	}
	extra := &extraFiles{newTasks(m.store), spill.NewSet(m.store), spill.NewSet(m.store)}
	if _, err := m.findExtra(".", extra.add); err != nil {
		return err
	}
	if report.NotDeleted = checkDeletes(extra.inOrder.Len(), m.MaxDelete); report.NotDeleted != nil {
		return nil
	}
	if report.NotDeleted = m.confirm(ctx, extra); report.NotDeleted != nil {
		return ctx.Err()
	}
	for t := range extra.inOrder.All() {
		if err := m.stopped(ctx); err != nil {
			return err
		}
		if err := m.remove(t.name); err != nil {
			return err
		}
	}
	return nil
}

// checkDeletes returns an error if n files and directories are more than limit; nil: no limit.
func checkDeletes(n int, limit *int) error {
	if limit != nil && n > *limit {
		return fmt.Errorf("%d files and directories are not in the original, and at most %d may be deleted", n, *limit)
	}
	return nil
}

// extraFiles are the local files and directories to delete.
type extraFiles struct {
	inOrder *taskQueue // the content of a directory before the directory
	names   *spill.Set
	parents *spill.Set // the directories that they are in
}

func (x *extraFiles) add(name string) {
	x.inOrder.Add(task{name: name})
	x.names.Add(name)
	x.parents.Add(path.Dir(name))
}

// chunkSize is how many names of a directory are in memory at once.
const chunkSize = 1000

// findExtra calls add for everything in a local directory that is not in the remote
// tree. The content of a directory comes before the directory. all reports whether
// everything in dir was added.
func (m *mirror) findExtra(dir string, add func(name string)) (all bool, err error) {
	f, err := m.root.Open(dir)
	if err != nil {
		return false, err
	}
	defer f.Close()
	all = true
	for {
		entries, err := f.ReadDir(chunkSize)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			isExtra, err := m.findExtraEntry(path.Join(dir, e.Name()), e.IsDir(), add)
			if err != nil {
				return false, err
			}
			all = all && isExtra
		}
		if errors.Is(err, io.EOF) {
			return all, m.store.Err()
		}
		if err != nil {
			return false, err
		}
	}
}

func (m *mirror) findExtraEntry(name string, isDir bool, add func(name string)) (isExtra bool, err error) {
	if path.Base(name) == stateDir || !m.Filter.Match(name, isDir) { // a stateDir may be that of another mirror
		return false, nil
	}
	if isDir {
		if all, err := m.findExtra(name, add); err != nil || !all {
			return false, err
		}
	}
	if m.names.has(name) {
		return false, nil
	}
	add(name)
	return true, nil
}

// remove removes and counts a file or a directory. It ignores one that is gone or not
// empty.
func (m *mirror) remove(name string) error {
	kind := WouldDelete
	if !m.DryRun {
		kind = Deleted
		err := m.root.Remove(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	m.outcome.report.Deleted++
	m.Event(Event{Kind: kind, Name: name, Size: -1})
	return nil
}

// confirm lists the remote directories of extra again. It returns an error if one of
// the names is there after all.
func (m *mirror) confirm(ctx context.Context, extra *extraFiles) error {
	for t := range m.outcome.listedDirs.All() {
		if !extra.parents.Has(t.name) {
			continue
		}
		if err := m.confirmDir(ctx, t, extra.names); err != nil {
			return err
		}
	}
	return m.store.Err()
}

func (m *mirror) confirmDir(ctx context.Context, t task, extra *spill.Set) error {
	m.entries.Store(0) // they were counted the first time
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
		if err != nil || extra.Has(local) {
			return fmt.Errorf("%s: its listing has changed", t.url.Redacted())
		}
	}
	return m.store.Err()
}
