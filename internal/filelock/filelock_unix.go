//go:build unix

package filelock

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Try locks an open file or folder, and does not wait. The lock ends when f and all that
// [Dup] returned for it are closed, or with the process. The error is [ErrLocked], or that
// of a file system without locks.
func Try(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return os.NewSyscallError("flock", err)
}

// Dup returns what keeps the lock of f until it is closed, even if f is closed before. The
// caller closes it.
func Dup(f *os.File) (io.Closer, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return descriptor(fd), nil
}

// A descriptor is a file descriptor.
type descriptor int

func (d descriptor) Close() error { return syscall.Close(int(d)) }
