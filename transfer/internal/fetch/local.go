package fetch

import (
	"errors"
	"runtime"
	"syscall"
)

var (
	// ErrLocal says that a file could not be written on this machine. It would be the same for any
	// other URL of the resource.
	ErrLocal = errors.New("it cannot be written here")

	// ErrDiskFull says that a disk of this machine is full. Such an error is an ErrLocal,
	// too.
	ErrDiskFull = errors.New("the disk is full")
)

// A localError is an error of this machine. It is an ErrLocal, and it is an ErrDiskFull if the disk
// is full.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

func (e *localError) Is(target error) bool {
	return target == ErrLocal || target == ErrDiskFull && IsDiskFull(e.error)
}

// Local returns err marked as an error of this machine, which wraps ErrLocal. It returns nil for
// nil, and a *restart unchanged.
func Local(err error) error {
	if _, ok := errors.AsType[*restart](err); ok || err == nil || errors.Is(err, ErrLocal) {
		return err
	}
	return &localError{err}
}

// IsDiskFull reports whether err says that a disk of this machine, or the share that the user
// has of it, is full.
func IsDiskFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	const handleDiskFull, diskFull = syscall.Errno(39), syscall.Errno(112) // of Windows
	return runtime.GOOS == "windows" && (errors.Is(err, handleDiskFull) || errors.Is(err, diskFull))
}
