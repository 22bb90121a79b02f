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
	"syscall"

	"locus/access"
)

// deleteRest removes what is here and was not found there. What a directory is
// said not to have is looked for in it once more: a listing that is cut short
// between two lines looks like one that is not. What came here meanwhile stays.
func (m *mirror) deleteRest(ctx context.Context) error {
	switch {
	case m.incomplete:
		m.report.Kept = errFailures
	case m.report.Disallowed > 0:
		m.report.Kept = errDisallowed
	case m.found == 0:
		m.report.Kept = errNothing
	}
	if m.report.Kept != nil {
		return nil //nolint:nilerr // the report says it
	}
	doomed := m.newDoomed()
	if _, err := m.sweep(".", doomed.add); err != nil {
		return err
	}
	if m.report.Kept = m.confirm(ctx, doomed); m.report.Kept != nil {
		return ctx.Err()
	}
	for t := range doomed.inOrder.all {
		if err := m.ended(ctx); err != nil {
			return err
		}
		if err := m.remove(t.name); err != nil {
			return err
		}
	}
	return nil
}

// A doomed is what is to be deleted.
type doomed struct {
	inOrder *stream // the lowest first
	names   *seen
	parents *seen // directories of which something is to be deleted
}

func (m *mirror) newDoomed() *doomed {
	return &doomed{&stream{spool: m.spool}, newSeen(m.spool), newSeen(m.spool)}
}

func (d *doomed) add(name string) {
	d.inOrder.add(streamed{task: task{name: name}})
	d.names.add(name)
	d.parents.add(path.Dir(name))
}

// sweepChunk is how many names of a directory are in memory at once.
const sweepChunk = 1000

// sweep calls do for what a directory has and was not found, the lowest first,
// and reports whether all of it is.
func (m *mirror) sweep(dir string, do func(name string)) (all bool, err error) {
	f, err := m.root.Open(dir)
	if err != nil {
		return false, err
	}
	defer f.Close()
	all = true
	for {
		entries, err := f.ReadDir(sweepChunk)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			swept, err := m.sweepEntry(path.Join(dir, e.Name()), e.IsDir(), do)
			if err != nil {
				return false, err
			}
			all = all && swept
		}
		if errors.Is(err, io.EOF) {
			return all, m.spool.failure()
		}
		if err != nil {
			return false, err
		}
	}
}

func (m *mirror) sweepEntry(name string, dir bool, do func(name string)) (swept bool, err error) {
	if path.Base(name) == stateDir || !m.Filter.Takes(name, dir) { // also that of another mirror, which may be at work
		return false, nil
	}
	wanted := m.names.has(name)
	if dir {
		all, err := m.sweep(name, do)
		if err != nil || !all {
			return false, err
		}
	}
	if wanted {
		return false, nil
	}
	do(name)
	return true, nil
}

// remove removes a file, or a directory. One that is not there any more, or is not
// empty, is not counted.
func (m *mirror) remove(name string) error {
	kind := Doomed
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
	m.report.Deleted++
	emit(m.Event, Event{Kind: kind, Name: name, Size: -1})
	return nil
}

// confirm lists again the directories of which something is to be deleted, and
// returns why it must not be.
func (m *mirror) confirm(ctx context.Context, d *doomed) error {
	for t := range m.listed.all {
		if !d.parents.has(t.name) {
			continue
		}
		if err := m.confirmOne(ctx, t.task, d.names); err != nil {
			return err
		}
	}
	return m.spool.failure()
}

func (m *mirror) confirmOne(ctx context.Context, t task, doomed *seen) error {
	m.entries.Store(0) // those of the first time have been counted
	entries, err := m.listing(ctx, t, func(access.Entry) bool { return true })
	if err != nil {
		return err
	}
	defer entries.drop()
	for e := range entries.all {
		dirs, name, below := m.tree.place(e.url)
		if !below || e.url.IsZero() {
			continue
		}
		if local, err := m.local(dirs, name); err != nil || doomed.has(local) {
			return fmt.Errorf("%s: its listing was another one the second time", t.url.Redacted())
		}
	}
	return m.spool.failure()
}

// isNotDir reports whether err says that what is not a directory was taken for
// one.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
