// Package errno tests for the errors of connections on every system. On Windows, sockets
// return numbers of their own: errors.Is(err, syscall.ECONNRESET) is false there for a
// connection that was reset.
package errno

import (
	"errors"
	"syscall"
)

// Is reports whether err is number, or what sockets return for it on this system.
func Is(err error, number syscall.Errno) bool {
	if errors.Is(err, number) {
		return true
	}
	own, ok := ofSockets[number]
	return ok && errors.Is(err, own)
}
