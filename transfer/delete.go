package transfer

import (
	"errors"
	"io/fs"
	"syscall"

	"locus/url"
)

// deleteRest removes what is here and was not found there.
func (m *mirror) deleteRest() error {
	switch {
	case m.incomplete:
		m.report.Kept = errFailures
	case m.found == 0:
		m.report.Kept = errNothing
	}
	if m.report.Kept != nil {
		return nil
	}
	_, err := m.sweep(".")
	return err
}

// sweep removes what a directory has and was not found, and reports whether it
// is empty then.
func (m *mirror) sweep(dir string) (empty bool, err error) {
	entries, err := fs.ReadDir(m.root.FS(), dir)
	if err != nil {
		return false, err
	}
	left := 0
	for _, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		gone, err := m.sweepEntry(name, e.IsDir())
		if err != nil {
			return false, err
		}
		if !gone {
			left++
		}
	}
	return left == 0, nil
}

func (m *mirror) sweepEntry(name string, dir bool) (gone bool, err error) {
	if name == stateDir || !m.Filter.Takes(name, dir) {
		return false, nil
	}
	wanted := m.names.has(name)
	if dir {
		empty, err := m.sweep(name)
		if err != nil || wanted || !empty {
			return false, err
		}
	}
	if wanted {
		return false, nil
	}
	kind := Doomed
	if !m.DryRun {
		kind = Deleted
		if err := m.root.Remove(name); err != nil {
			return false, err
		}
	}
	m.report.Deleted++
	emit(m.Event, Event{Kind: kind, URL: url.URL{}, Name: name, Size: -1})
	return true, nil
}

// isNotDir reports whether err says that what is not a directory was taken for
// one.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
