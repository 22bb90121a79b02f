//go:build unix

package transfer

import (
	"errors"
	"os"
	"syscall"
)

// lock returns the file f of that name once nobody else has it by lock; the lock
// ends with the process, however that ends. It is nil, and f closed, if the file
// system knows no locks.
func lock(root *os.Root, name string, f *os.File) (*os.File, error) {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), err == nil && !isStill(root, name, f):
		f.Close()
		return nil, ErrBusy
	case err != nil:
		f.Close()
		return nil, nil //nolint:nilerr // as it says above
	}
	return f, nil
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
