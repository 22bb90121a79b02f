package sync

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// A folder is the local end of a mirror. It makes names and directories in there, counts
// files and bytes, and has the parts of files that are not complete.
type folder struct {
	store  *spill.Store // is stopped when the folder is full
	root   *os.Root
	dryRun bool
	naming tree.Naming
	names  names
	state  stateDir
	size   size
}

// open prepares the root for writing: it makes, opens and locks tree.StateDir, and finds out
// whether the file system ignores case. A dry run writes no files. The error may be ErrBusy.
func (f *folder) open() error {
	f.names.foldCase = f.naming.Portable
	if f.dryRun {
		return nil
	}
	if err := f.mkdir(tree.StateDir); err != nil {
		return stateDirError(f.root, err)
	}
	if err := f.state.open(f.root); err != nil {
		return err
	}
	fold, err := foldsCase(f.root)
	f.names.foldCase = f.names.foldCase || fold
	if err != nil {
		return stateDirError(f.root, err)
	}
	return nil
}

// mkdir makes a directory and the directories above it, unless they exist or this is a dry run. It
// returns an error if one of them is a link or a file. It opens each directory once, however deep
// it is.
func (f *folder) mkdir(name string) error {
	if name == "." || f.dryRun {
		return nil
	}
	at, above := f.root, ""
	for part := range strings.SplitSeq(name, "/") {
		next, err := enter(at, part, above)
		if at != f.root {
			at.Close()
		}
		above = path.Join(above, part)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Path = above // it has only the last name
		}
		if err != nil {
			return err
		}
		at = next
	}
	return at.Close()
}

// enter opens the named directory in at, and makes it if it does not exist. above is the path of
// at, for errors. A link is an error. The caller closes the result.
func enter(at *os.Root, name, above string) (*os.Root, error) {
	info, err := at.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { // another job made it
			return nil, err
		}
		info, err = at.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%q exists and is not a folder", path.Join(above, name))
	}
	return at.OpenRoot(name)
}

// isEmpty reports whether the named local directory is empty except for tree.StateDir. It returns
// false if the directory cannot be read.
func (f *folder) isEmpty(name string) bool {
	dir, err := f.root.Open(name)
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(2)
	if err != nil && !access.IsEnd(err) {
		return false
	}
	return !slices.ContainsFunc(names, func(n string) bool { return n != tree.StateDir })
}

// hasContent reports whether the named local file exists and has the content text. It returns false
// if the file cannot be read.
func (f *folder) hasContent(name string, text []byte) bool {
	info, err := f.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	old, err := f.root.ReadFile(name)
	return err == nil && bytes.Equal(old, text)
}

// writePage writes text to a temporary file, sets its time, and renames it to name. It makes the
// directory of name. If sync is set, it waits until the text is on the disk. After an error the old
// file stays.
func (f *folder) writePage(name string, text []byte, modTime time.Time, sync bool) error {
	if err := f.mkdir(path.Dir(name)); err != nil {
		return err
	}
	if _, err := fetch.Regular(f.root, name); err != nil {
		return err
	}
	temp := path.Join(tree.StateDir, "page"+f.state.tag)
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil && sync {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = f.root.Chtimes(temp, modTime, modTime)
	}
	if err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		_ = fetch.RemoveFile(f.root, temp) // the first error is returned
	}
	return err
}
