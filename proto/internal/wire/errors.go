package wire

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"locus/access"
)

var (
	// ErrNoTLS says that TLS is required and the protocol has none.
	ErrNoTLS = access.Reason("TLS is required, and the protocol has none", errors.ErrUnsupported)
	// ErrNotOffered says that TLS is required and the server does not offer it.
	ErrNotOffered = access.Reason("TLS is required, and the server does not offer it", errors.ErrUnsupported)
	// ErrCleartext says that a password was not sent, because it would not be
	// encrypted.
	ErrCleartext = access.Reason("the server has no TLS, so the password would be sent unencrypted", fs.ErrPermission)
)

// An IdleError says that the server did nothing for the idle limit. It is a
// net.Error, and wraps [access.ErrTemporary]. From a [Conn] it also wraps
// os.ErrDeadlineExceeded.
type IdleError struct {
	Did   string        // "sent nothing", "accepted nothing"
	Limit time.Duration // for how long
	cause error         // the timeout of package net; nil if there was none
}

// Error returns "the server sent nothing for 1m0s".
func (e *IdleError) Error() string { return fmt.Sprintf("the server %s for %v", e.Did, e.Limit) }

// Unwrap returns access.ErrTemporary, and the timeout of package net.
func (e *IdleError) Unwrap() []error {
	if e.cause == nil {
		return []error{access.ErrTemporary}
	}
	return []error{access.ErrTemporary, e.cause}
}

// Timeout returns true.
func (e *IdleError) Timeout() bool { return true }

// Temporary returns true.
func (e *IdleError) Temporary() bool { return true }

// Early returns io.ErrUnexpectedEOF for io.EOF, if the protocol promised more
// data. It returns other errors unchanged.
func Early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
