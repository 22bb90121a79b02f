//go:build unix

package filelock

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Try locks f, an open file or folder, for this process. It does not wait: if the file is locked,
// the error is [ErrLocked]. The lock ends when [Close] closes f, or when f and all results of [Dup] for it
// are closed. It also ends with the process. A file system without locks has another error.
func Try(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return os.NewSyscallError("flock", err)
}

// Close unlocks f, even if a result of [Dup] is open, and closes it. A plain f.Close may leave the file locked
// for a moment, because a process that is being started has a copy of the descriptor.
func Close(f *os.File) error {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // the file system may lack locks
	return f.Close()
}

// Dup returns a Closer that keeps the lock of f until it is closed, even if f is closed first.
// The caller closes the Closer.
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

// Close unlocks the file, and closes the descriptor. Closing alone is not enough, because a
// process that is being started has a copy of the descriptor for a moment.
func (d descriptor) Close() error {
	err := os.NewSyscallError("flock", syscall.Flock(int(d), syscall.LOCK_UN))
	return errors.Join(err, os.NewSyscallError("close", syscall.Close(int(d))))
}
