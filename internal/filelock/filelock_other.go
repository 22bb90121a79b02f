//go:build !unix && !windows

package filelock

import (
	"errors"
	"io"
	"os"
)

// Try returns [errors.ErrUnsupported], because this system lacks locks.
func Try(*os.File) error { return errors.ErrUnsupported }

// Close closes f.
func Close(f *os.File) error { return f.Close() }

// Dup returns [errors.ErrUnsupported], because this system lacks locks.
func Dup(*os.File) (io.Closer, error) { return nil, errors.ErrUnsupported }
