//go:build unix

package transfer

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// unpolled is a flag for OpenFile. It changes nothing for a regular file, but saves
// package os two system calls that prepare the file for polling.
const unpolled = syscall.O_NONBLOCK

// lock locks the file f of that name. The lock ends when the result is closed, even
// if f is closed before, or with the process. The result is nil if the file system
// has no locks. If another process has the lock, the error is ErrBusy.
func lock(root *os.Root, name string, f *os.File) (io.Closer, error) {
	locked, err := tryLock(root, name, f)
	if !locked {
		return nil, err
	}
	fd, err := dup(f)
	if err != nil {
		return nil, err
	}
	return fd, nil
}

// tryLock locks the file or directory f of that name until f is closed. It reports
// false without an error if the file system has no locks.
func tryLock(root *os.Root, name string, f *os.File) (bool, error) {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), err == nil && !isNamed(root, name, f):
		return false, ErrBusy
	case err != nil:
		return false, nil //nolint:nilerr // no locks
	}
	return true, nil
}

// A descriptor is a file descriptor.
type descriptor int

// dup returns a second descriptor for f. It shares the locks of f.
func dup(f *os.File) (descriptor, error) {
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
