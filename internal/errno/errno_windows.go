package errno

import "syscall"

// ofSockets are the numbers of Windows Sockets.
var ofSockets = map[syscall.Errno]syscall.Errno{
	syscall.EADDRINUSE:    10048,
	syscall.EADDRNOTAVAIL: 10049,
	syscall.ECONNABORTED:  syscall.WSAECONNABORTED,
	syscall.ECONNRESET:    syscall.WSAECONNRESET,
	syscall.EPIPE:         10058, // the connection was shut down for writing
	syscall.ETIMEDOUT:     10060,
	syscall.ECONNREFUSED:  10061,
}
