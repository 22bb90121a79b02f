// Package filelock keeps other processes away from a file that this one works on.
package filelock

import "errors"

// ErrLocked is the error of [Try] if the file has a lock of another process, or of another
// open file of this one.
var ErrLocked = errors.New("another process has locked the file")
