//go:build !windows

package errno

import "syscall"

// ofSockets is empty: sockets return the numbers of package syscall.
var ofSockets map[syscall.Errno]syscall.Errno
