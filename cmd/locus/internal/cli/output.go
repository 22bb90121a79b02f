package cli

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// output is stdout. Its errors are of a type of their own. It has no ReadFrom, which
// would return other errors.
type output struct{ file *os.File }

// Write writes to the file. Its errors are outputErrors.
func (o output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// IsOutput reports whether err is an error of writing to stdout.
func IsOutput(err error) bool {
	_, ok := errors.AsType[*outputError](err)
	return ok
}

// IsBrokenPipe reports whether err says that the reader of stdout has gone.
func IsBrokenPipe(err error) bool {
	var out *outputError
	if !errors.As(err, &out) {
		return false
	}
	const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)
	if runtime.GOOS == "windows" {
		return errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData)
	}
	return errors.Is(err, syscall.EPIPE)
}
