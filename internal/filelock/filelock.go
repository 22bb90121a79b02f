// Package filelock locks files, so that only one process at a time works on them.
package filelock

import "errors"

// ErrLocked is the error of [Try] if another process, or another open file of this process,
// has locked the file.
var ErrLocked = errors.New("another process has locked the file")
