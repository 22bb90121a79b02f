package fetch

import (
	"errors"
	"io"
	"os"

	"locus/internal/filelock"
)

// lock locks f, which is open on the named file below root. The lock is held until the result is
// closed or the process ends, even if f is closed before. lock returns nil and no error if the
// file system does not support locks. The error is ErrBusy if another process has the lock, or if
// name is a different file now.
func lock(root *os.Root, name string, f *os.File) (io.Closer, error) {
	locked, err := TryLock(root, name, f)
	if !locked {
		return nil, err
	}
	return filelock.Dup(f)
}

// TryLock locks f, which is open on the named file or directory below root, until f is closed. It
// reports whether f is locked: false without an error means that the file system does not support
// locks. The error is ErrBusy if another process has the lock, or if name is a different file
// now.
func TryLock(root *os.Root, name string, f *os.File) (bool, error) {
	switch err := filelock.Try(f); {
	case errors.Is(err, filelock.ErrLocked), err == nil && !isNamed(root, name, f):
		return false, ErrBusy
	case err != nil:
		return false, nil //nolint:nilerr // no locks
	}
	return true, nil
}
