//go:build unix

package archive

import (
	"errors"
	"os"
	"syscall"
)

// lock locks an archive until f is closed. If another process has the lock, the error is
// ErrInUse. A file system without locks has none.
func lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return nil
}
