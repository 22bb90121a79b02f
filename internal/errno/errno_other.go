//go:build !windows

package errno

import "syscall"

// ofSockets is empty, because sockets return the numbers of package syscall.
var ofSockets map[syscall.Errno]syscall.Errno
