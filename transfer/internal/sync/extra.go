package sync

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// An extraFiles finds and removes the local files and directories of a mirror that are not in the
// remote tree.
type extraFiles struct {
	*mirror
	extra   *spill.Set // names of the files and directories to remove
	parents *spill.Set // the directories that they are in
}

// newExtraFiles returns an empty extraFiles of the mirror m.
func newExtraFiles(m *mirror) *extraFiles {
	return &extraFiles{mirror: m, extra: spill.NewSet(m.store), parents: spill.NewSet(m.store)}
}

// deletion returns the functions by which a mirror deletes local files and directories that are
// not in the remote tree. They refuse to delete after robots.txt has disallowed a URL, because the
// copy is not complete then. Files that appear locally in the meantime stay. confirm asks the
// server again; its error keeps all files.
func (x *extraFiles) deletion(confirm func(context.Context) error) deletion {
	return deletion{
		incomplete: ErrFailures,
		empty:      errNothing,
		refuse: func() error {
			if x.report.Disallowed > 0 {
				return ErrDisallowed
			}
			return nil
		},
		find: func(_ context.Context, order *taskQueue) (int, error) {
			if _, err := x.find(".", order); err != nil {
				return 0, fatal{err}
			}
			return order.Len(), nil
		},
		confirm: confirm,
		remove: func(ctx context.Context, order *taskQueue) error {
			return x.removeAll(ctx, order, func(t task) error { return x.remove(t.name) })
		},
	}
}

// chunkSize is how many names of a directory are in memory at once.
const chunkSize = 1000

// find adds everything in the local directory dir that is not in the remote tree to order. The
// content of a directory comes before the directory. all reports whether everything in dir was
// added.
func (x *extraFiles) find(dir string, order *taskQueue) (all bool, err error) {
	f, err := x.root.Open(dir)
	if err != nil {
		return false, err
	}
	defer f.Close()
	all = true
	for {
		entries, err := f.ReadDir(chunkSize)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			isExtra, err := x.findEntry(path.Join(dir, e.Name()), e.IsDir(), order)
			if err != nil {
				return false, err
			}
			all = all && isExtra
		}
		if access.IsEnd(err) {
			return all, x.store.Err()
		}
		if err != nil {
			return false, err
		}
	}
}

// findEntry adds the named local file or directory to order if the remote tree lacks it, after its
// content if it is a directory. It also adds name to x.extra, and its directory to x.parents. It
// reports whether it has added name itself.
func (x *extraFiles) findEntry(name string, isDir bool, order *taskQueue) (isExtra bool, err error) {
	if path.Base(name) == tree.StateDir || !x.Filter.Match(name, isDir) { // another mirror may use a tree.StateDir
		return false, nil
	}
	if isDir {
		if all, err := x.find(name, order); err != nil || !all {
			return false, err
		}
	}
	if x.names.has(name) || !isDir && x.mayBeUnfetched(name) {
		return false, nil
	}
	order.Add(task{name: name})
	x.extra.Add(name)
	x.parents.Add(path.Dir(name))
	return true, nil
}

// remove removes a local file or directory, and counts and reports it. In a dry run it only counts
// and reports. It ignores a file that is gone and a directory that is not empty.
func (x *extraFiles) remove(name string) error {
	kind := fetch.WouldDelete
	if !x.DryRun {
		kind = fetch.Deleted
		err := x.root.Remove(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	x.report.Deleted++
	x.Event(fetch.Event{Kind: kind, Name: name, Size: -1})
	return nil
}
