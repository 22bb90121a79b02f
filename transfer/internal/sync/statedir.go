package sync

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"locus/internal/filelock"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
)

// A stateDir is the open tree.StateDir of one mirror. It has the parts of files.
//
// A lock keeps other mirrors out. Each run also uses its own names for parts, because some file
// systems lock only within one machine, and people remove the directory.
type stateDir struct {
	dir       *os.Root          // nil in a dry run
	lock      *os.File          // nil if the file system has no locks
	tag       string            // is part of the names of this run's parts
	earlier   map[string]string // parts of earlier runs, by their names up to the tag
	leftovers []string          // all files of earlier runs
}

// open opens and locks tree.StateDir below root, which must exist, and notes the files that
// earlier runs left there. The error is ErrBusy if another mirror has the lock.
func (p *stateDir) open(root *os.Root) error {
	p.tag = "." + rand.Text()[:12]
	f, err := root.Open(tree.StateDir)
	if err != nil {
		return stateDirError(root, err)
	}
	locked, err := fetch.TryLock(root, tree.StateDir, f)
	if locked {
		p.lock = f
	} else {
		f.Close() // some systems do not remove an open directory
	}
	if err == nil {
		p.dir, err = root.OpenRoot(tree.StateDir)
	}
	if err != nil {
		return stateDirError(root, err)
	}
	entries, err := fs.ReadDir(p.dir.FS(), ".")
	p.earlier = make(map[string]string)
	for _, e := range entries {
		p.leftovers = append(p.leftovers, e.Name())
		if id, isPart := strings.CutSuffix(e.Name(), fetch.PartSuffix); isPart {
			id, _, _ = strings.Cut(id, ".")
			p.earlier[id] = e.Name()
		}
	}
	return err
}

// stateDirError returns err, an error of making or opening tree.StateDir, for the caller of
// Mirror. If tree.StateDir has gone since it was made, the error is ErrBusy: another mirror has
// finished, or the root itself was removed.
func stateDirError(root *os.Root, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fetch.ErrBusy
	}
	return fmt.Errorf("mirror into %q: %w", root.Name(), err)
}

// part returns the name of the part for a URL in this run, with the name of the part that an
// earlier run has left, if any.
func (p *stateDir) part(url string) fetch.PartName {
	hash := spill.HashOf(url)
	id := hex.EncodeToString(hash[:])
	name, earlier := id+p.tag+fetch.PartSuffix, p.earlier[id]
	return fetch.PartName{
		Dir: p.dir, Name: name, Path: path.Join(tree.StateDir, name), Earlier: earlier, IsNew: earlier == "", Exclusive: p.lock != nil,
	}
}

// clear removes the files of earlier runs, except the journals and the stored pages.
func (p *stateDir) clear() error {
	var all error
	for _, name := range p.leftovers {
		if name != ETagsFile && name != urlIndexFile && name != path.Base(offline.PagesDir) {
			all = errors.Join(all, fetch.RemoveFile(p.dir, name))
		}
	}
	return all
}

// isCurrent reports whether tree.StateDir below root is still the open directory, and was not
// removed or replaced.
func (p *stateDir) isCurrent(root *os.Root) bool {
	info, err := p.dir.Stat(".")
	if err != nil {
		return false
	}
	there, err := root.Lstat(tree.StateDir)
	return err == nil && os.SameFile(info, there)
}

// close closes the directory and releases its lock.
func (p *stateDir) close() {
	if p.dir != nil {
		p.dir.Close()
	}
	if p.lock != nil {
		_ = filelock.Close(p.lock)
	}
}

// foldsCase reports whether the file system of root ignores the case of names. It makes and
// removes a file in tree.StateDir.
func foldsCase(root *os.Root) (bool, error) {
	probe := "probe" + rand.Text()
	name, other := path.Join(tree.StateDir, probe), path.Join(tree.StateDir, "P"+probe[1:])
	if err := root.WriteFile(name, nil, 0o666); err != nil {
		return false, err
	}
	_, err := root.Lstat(other)
	return err == nil, root.Remove(name)
}
