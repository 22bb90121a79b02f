//go:build unix

package file

import "syscall"

// nonblock keeps a pipe that took the place of a file from stalling its opening.
const nonblock = syscall.O_NONBLOCK

// never are the octets that no name of a file has.
const never = "/\x00"
