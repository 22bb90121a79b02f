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
	Name      string // in dir
	Path      string // below the root of the download
	Earlier   string // name in dir of the part of an earlier run
	IsNew     bool   // an earlier run has left no part
	Exclusive bool   // nobody else uses these names
}

// openEarlier opens the part of an earlier run. It returns the size -1 if the part does not exist.
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

// takeOver gives the part of an earlier run and its state the names of this run. Of
// several runs only one succeeds.
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

// create makes the part.
func (p *partFile) create() error {
	if err := p.open(p.Name, os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
		return err
	}
	if p.IsNew {
		return nil
	}
	p.IsNew = true
	return RemoveFile(p.Dir, p.Name+StateSuffix) // its part is gone
}

// open opens and locks the file of that name.
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

// openError returns the error for the caller of Get. If the part has appeared or disappeared since
// this download looked for it, the error is ErrBusy, because another transfer uses the part.
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

// remove closes the part, and removes it and its state if they are this download's.
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

// removeState removes the state file, if there is one.
func (p *partFile) removeState() error {
	if !p.hasState {
		return nil
	}
	p.hasState, p.stateValid = false, false
	return RemoveFile(p.Dir, p.Name+StateSuffix)
}

// hasName reports whether the open file still has its name.
func (p *partFile) hasName() bool {
	return p.Exclusive || isNamed(p.Dir, p.Name, p.file)
}

// checkUnchanged returns a restart if the part has lost its name or its size.
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

// isNamed reports whether the open file or directory f has that name below root.
func isNamed(root *os.Root, name string, f *os.File) bool {
	there, err := root.Lstat(name)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(info, there)
}

// RemoveFile removes a file or link, if there is one.
func RemoveFile(root *os.Root, name string) error {
	err := root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Regular returns the regular file of that name, or nil if the name is free. It returns an error
// for a link or a directory, because writing through a link could change a file elsewhere.
func Regular(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("write %q: it is a directory", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("write %q: it is not a regular file", name)
	}
	return info, nil
}
