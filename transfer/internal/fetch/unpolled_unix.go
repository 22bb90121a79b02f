//go:build unix

package fetch

import (
	"syscall"
)

// unpolled is a flag for OpenFile. A regular file behaves the same with it, but package os does not
// prepare the file for polling, which saves two system calls.
const unpolled = syscall.O_NONBLOCK
