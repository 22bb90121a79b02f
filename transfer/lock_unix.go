//go:build unix

package transfer

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// unpolled opens a regular file no differently; but package os takes it for a file
// that may be waited for, and otherwise makes it one and undoes that.
const unpolled = syscall.O_NONBLOCK

// lock keeps others from the file f of that name, until what it returns is
// closed, even when f is; the lock ends with the process, however that ends. It
// returns nil if the file system knows no locks.
func lock(root *os.Root, name string, f *os.File) (io.Closer, error) {
	locked, err := seize(root, name, f)
	if !locked {
		return nil, err
	}
	held, err := another(f)
	if err != nil {
		return nil, err
	}
	return held, nil
}

// seize keeps others from the file or directory f of that name until it is closed,
// and reports whether it does: it does not if the file system knows no locks.
func seize(root *os.Root, name string, f *os.File) (bool, error) {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), err == nil && !isStill(root, name, f):
		return false, ErrBusy
	case err != nil:
		return false, nil //nolint:nilerr // as it says above
	}
	return true, nil
}

// isStill reports whether f still has its name.
func isStill(root *os.Root, name string, f *os.File) bool {
	there, err := root.Lstat(name)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(info, there)
}

// A descriptor is an open file of which only that matters.
type descriptor int

// another returns another descriptor for f, which shares its locks.
func another(f *os.File) (descriptor, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return 0, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return descriptor(fd), nil
}

func (d descriptor) Close() error { return syscall.Close(int(d)) }
