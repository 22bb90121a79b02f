package check

import (
	"errors"
	"os"

	"locus/internal/filelock"
)

// lockFile opens a file and locks it. It returns errLocked if another process has locked
// it. The lock ends with the process, however that ends.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = filelock.Try(f)
	if errors.Is(err, filelock.ErrLocked) {
		err = errLocked
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		return nil, err
	}
	return f, nil
}
