//go:build unix

package fetch

import (
	"syscall"
)

// unpolled is a flag for OpenFile. It changes nothing for a regular file, but saves
// package os two system calls that prepare the file for polling.
const unpolled = syscall.O_NONBLOCK
