package fetch

import (
	"errors"
	"io"
	"os"

	"locus/internal/filelock"
)

// lock locks the file f of that name. The lock ends when the result is closed, even if f is closed
// before, or with the process. It returns nil if the file system does not support locks. If another
// process has the lock, the error is ErrBusy.
func lock(root *os.Root, name string, f *os.File) (io.Closer, error) {
	locked, err := TryLock(root, name, f)
	if !locked {
		return nil, err
	}
	return filelock.Dup(f)
}

// TryLock locks the file or directory f of that name until f is closed. It returns false and no
// error if the file system cannot lock the file.
func TryLock(root *os.Root, name string, f *os.File) (bool, error) {
	switch err := filelock.Try(f); {
	case errors.Is(err, filelock.ErrLocked), err == nil && !isNamed(root, name, f):
		return false, ErrBusy
	case err != nil:
		return false, nil //nolint:nilerr // no locks
	}
	return true, nil
}
