package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"
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
	var doomed []string // the lowest first
	if _, err := m.sweep(".", func(name string) { doomed = append(doomed, name) }); err != nil {
		return err
	}
	if m.report.Kept = m.confirm(ctx, doomed); m.report.Kept != nil {
		return ctx.Err()
	}
	for _, name := range doomed {
		if err := m.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// sweep calls do for what a directory has and was not found, the lowest first,
// and reports whether all of it is.
func (m *mirror) sweep(dir string, do func(name string)) (all bool, err error) {
	entries, err := fs.ReadDir(m.root.FS(), dir)
	if err != nil {
		return false, err
	}
	all = true
	for _, e := range entries {
		swept, err := m.sweepEntry(path.Join(dir, e.Name()), e.IsDir(), do)
		if err != nil {
			return false, err
		}
		all = all && swept
	}
	return all, nil
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
func (m *mirror) confirm(ctx context.Context, doomed []string) error {
	names, parents := make(map[string]bool), make(map[string]bool)
	for _, name := range doomed {
		names[name] = true
		parents[path.Dir(name)] = true
	}
	for _, t := range m.listed {
		if !parents[t.name] {
			continue
		}
		if err := m.confirmOne(ctx, t, names); err != nil {
			return err
		}
	}
	return nil
}

func (m *mirror) confirmOne(ctx context.Context, t task, doomed map[string]bool) error {
	entries, err := m.entries(ctx, t)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dirs, name, below := m.tree.place(e.URL)
		if !below || e.URL.IsZero() {
			continue
		}
		if local, err := m.local(dirs, name); err != nil || doomed[local] {
			return fmt.Errorf("%s: its listing was another one the second time", t.url.Redacted())
		}
	}
	return nil
}

// isNotDir reports whether err says that what is not a directory was taken for
// one.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
