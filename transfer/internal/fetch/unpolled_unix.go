//go:build unix

package fetch

import (
	"syscall"
)

// unpolled is a flag for OpenFile. A regular file behaves the same with it, but package os saves
// two system calls, because it does not prepare the file for polling.
const unpolled = syscall.O_NONBLOCK
