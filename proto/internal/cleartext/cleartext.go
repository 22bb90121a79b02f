// Package cleartext says when a password may go in the clear: to this machine, and
// to others only if the user says so.
package cleartext

import (
	"errors"
	"net"
	"net/netip"
)

// ErrPassword says that a password was not sent, as others could read it.
var ErrPassword = errors.New("the server has no TLS, and the password would go in the clear")

// IsLocal reports whether what is sent on conn does not leave this machine.
func IsLocal(conn net.Conn) bool {
	a, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// Refused returns [ErrPassword] with a hint; access.Hint finds it.
func Refused(hint string) error { return &refused{ErrPassword, hint} }

type refused struct {
	error
	hint string
}

// Unwrap returns ErrPassword.
func (r *refused) Unwrap() error { return r.error }

// Hint returns what the user can do about it.
func (r *refused) Hint() string { return r.hint }
