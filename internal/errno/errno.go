// Package errno tests for errors of connections on every system. It exists because sockets
// on Windows return other numbers, so that errors.Is(err, syscall.ECONNRESET) is false
// there for a connection that was reset.
package errno

import (
	"errors"
	"syscall"
)

// Is reports whether err wraps number, or the number that sockets on this system return for the
// same error.
func Is(err error, number syscall.Errno) bool {
	if errors.Is(err, number) {
		return true
	}
	own, ok := ofSockets[number]
	return ok && errors.Is(err, own)
}
