//go:build !unix && !windows

package filelock

import (
	"errors"
	"io"
	"os"
)

// Try returns [errors.ErrUnsupported], because this system lacks locks.
func Try(*os.File) error { return errors.ErrUnsupported }

// Dup returns [errors.ErrUnsupported], because this system lacks locks.
func Dup(*os.File) (io.Closer, error) { return nil, errors.ErrUnsupported }
