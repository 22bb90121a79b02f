package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// deletion returns how a mirror deletes local files and directories that are not in the
// remote tree. Files that appear locally in the meantime stay.
func (m *mirror) deletion() deletion {
	extra := &extraFiles{spill.NewSet(m.store), spill.NewSet(m.store)}
	return deletion{
		incomplete: ErrFailures,
		empty:      errNothing,
		refuse: func() error {
			if m.report.Disallowed > 0 {
				return ErrDisallowed
			}
			return nil
		},
		find: func(_ context.Context, order *taskQueue) (int, error) {
			_, err := m.findExtra(".", func(name string) {
				order.Add(task{name: name})
				extra.add(name)
			})
			if err != nil {
				err = fatal{err}
			}
			return order.Len(), err
		},
		confirm: func(ctx context.Context) error { return m.confirm(ctx, extra) },
		remove: func(ctx context.Context, order *taskQueue) error {
			return m.removeAll(ctx, order, func(t task) error { return m.remove(t.name) })
		},
	}
}

// extraFiles are the names of the local files and directories to delete.
type extraFiles struct {
	names   *spill.Set
	parents *spill.Set // the directories that they are in
}

func (x *extraFiles) add(name string) {
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
		if access.IsEnd(err) {
			return all, m.store.Err()
		}
		if err != nil {
			return false, err
		}
	}
}

func (m *mirror) findExtraEntry(name string, isDir bool, add func(name string)) (isExtra bool, err error) {
	if path.Base(name) == tree.StateDir || !m.Filter.Match(name, isDir) { // a tree.StateDir may be that of another mirror
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
	kind := fetch.WouldDelete
	if !m.DryRun {
		kind = fetch.Deleted
		err := m.root.Remove(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	m.report.Deleted++
	m.Event(fetch.Event{Kind: kind, Name: name, Size: -1})
	return nil
}

// confirm lists the remote directories of extra again. It returns an error if one of
// the names is there after all.
func (m *mirror) confirm(ctx context.Context, extra *extraFiles) error {
	for t := range m.listedDirs.All() {
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
	m.counted.Store(0) // they were counted the first time
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
