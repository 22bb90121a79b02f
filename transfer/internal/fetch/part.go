package fetch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The suffix of a part, and the further suffix of its state file.
const (
	PartSuffix  = ".part"
	StateSuffix = ".json"
)

// ErrBusy says that another Get, perhaps in another process, is writing the same
// file, or another Mirror the same folder.
var ErrBusy = errors.New("another transfer is writing it")

// errStolen says that another process removed, replaced or changed the part.
var errStolen = errors.New("another process changed the part")

// A partFile is the file that a download writes into, with its state file.
type partFile struct {
	PartName

	file       *os.File  // nil if it is not open
	lock       io.Closer // keeps other transfers from the part; nil without a lock
	owned      bool      // this download may remove it
	hasState   bool      // there may be a state file
	stateValid bool      // the state file describes the part
}

// A PartName names a part until it is complete.
type PartName struct {
	Dir       *os.Root
	Name      string // in Dir
	Path      string // below the root of the download
	Earlier   string // name in Dir of the part of an earlier run
	IsNew     bool   // an earlier run has left no part
	Exclusive bool   // other transfers cannot use these names
}

// openEarlier opens and locks the part of an earlier run, gives it the names of this run, and
// returns its size in bytes. The size is -1 without an error if the part does not exist. A link or
// a directory is an error.
func (p *partFile) openEarlier() (size int64, err error) {
	if info, err := Regular(p.Dir, p.Earlier); err != nil || info == nil {
		return -1, err
	}
	if err := p.open(p.Earlier, os.O_RDWR); err != nil {
		return -1, err
	}
	p.hasState = true
	info, err := p.file.Stat()
	if err != nil {
		return -1, err
	}
	return info.Size(), p.takeOver()
}

// takeOver renames the part of an earlier run, and its state file, to the names of this run. Of
// several runs only one succeeds; the others get ErrBusy.
func (p *partFile) takeOver() error {
	if p.Earlier == p.Name {
		return nil
	}
	earlier := p.Earlier
	p.Earlier = p.Name
	if err := p.Dir.Rename(earlier, p.Name); err != nil {
		return p.openError(err)
	}
	err := p.Dir.Rename(earlier+StateSuffix, p.Name+StateSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// create makes an empty part, and locks it. The error wraps ErrBusy if the part exists. State
// files without their part are removed.
func (p *partFile) create() error {
	if err := p.open(p.Name, os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
		return err
	}
	if p.IsNew {
		return nil
	}
	p.IsNew = true
	return removeState(p.Dir, p.Name+StateSuffix) // its part is gone
}

// open opens the named file with the flags of os.OpenFile, and makes this download the owner of the
// part. It locks the file unless the part is Exclusive.
func (p *partFile) open(name string, flag int) error {
	f, err := p.Dir.OpenFile(name, flag|unpolled, 0o666)
	if err == nil && !p.Exclusive {
		if p.lock, err = lock(p.Dir, name, f); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return p.openError(err)
	}
	p.file, p.owned = f, true
	return nil
}

// openError returns err, the error of opening or renaming the part, with the path of the part. If
// the part has appeared or disappeared since this download looked for it, the error is ErrBusy,
// because another transfer uses the part.
func (p *partFile) openError(err error) error {
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		err = ErrBusy
	}
	return fmt.Errorf("write %q: %w", p.Path, err)
}

// unlock releases the lock of the part. It does nothing if the part is not locked.
func (p *partFile) unlock() {
	if p.lock != nil {
		p.lock.Close()
		p.lock = nil
	}
}

// remove closes and unlocks the part. It deletes the part and its state file, unless the part
// belongs to another download or has lost its name.
func (p *partFile) remove() error {
	defer p.unlock()
	if p.file != nil {
		p.owned = p.owned && p.hasName()
		p.file.Close()
		p.file = nil
	}
	if !p.owned {
		return nil
	}
	p.owned = false
	if err := p.removeState(); err != nil {
		return err
	}
	return RemoveFile(p.Dir, p.Name)
}

// removeState deletes the state file, if this download may have one.
func (p *partFile) removeState() error {
	if !p.hasState {
		return nil
	}
	p.hasState, p.stateValid = false, false
	return removeState(p.Dir, p.Name+StateSuffix)
}

// hasName reports whether p.Name is still the name of the open part.
func (p *partFile) hasName() bool {
	return p.Exclusive || isNamed(p.Dir, p.Name, p.file)
}

// checkUnchanged returns a *restart unless the open part still has its name, and size bytes. It
// does not check an Exclusive part.
func (p *partFile) checkUnchanged(size int64) error {
	if p.Exclusive {
		return nil
	}
	info, err := p.file.Stat()
	if err == nil && info.Size() == size && p.hasName() {
		return nil
	}
	return &restart{why: errStolen}
}

// isNamed reports whether name below root is the open file or directory f itself, and not a link
// to it.
func isNamed(root *os.Root, name string, f *os.File) bool {
	there, err := root.Lstat(name)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(info, there)
}

// RemoveFile removes the named file, link or empty directory. It returns nil if name does not exist.
func RemoveFile(root *os.Root, name string) error {
	err := root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Regular returns the named regular file below root, or nil without an error if name does not
// exist. It returns an error for a link or a directory, because writing through a link could
// change a file elsewhere.
func Regular(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("write %q: it is a folder", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("write %q: it is not a regular file", name)
	}
	return info, nil
}
