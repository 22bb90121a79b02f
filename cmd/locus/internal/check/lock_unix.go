//go:build unix

package check

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens a file and locks it. It returns errLocked if another process has locked
// it. The lock ends with the process, however that ends.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLocked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
