package retry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"locus/access"
	"locus/internal/errno"
)

// Transient reports whether the same request may succeed later. It returns true after a timeout, a broken connection,
// an error while reading, and access.ErrTemporary. Any other reply of the server is final. So are a panic, and errors
// that say that something is refused, not found, changed, too long or against the protocol.
func Transient(err error) bool {
	for _, permanent := range []error{
		context.Canceled, fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, access.ErrPassword,
		access.ErrChanged, access.ErrRange, access.ErrNotModified, access.ErrProtocol, access.ErrTooLong, access.ErrFull,
		access.ErrRedirect, access.ErrForm,
	} {
		if errors.Is(err, permanent) {
			return false
		}
	}
	if _, ok := errors.AsType[*access.PanicError](err); ok {
		return false
	}
	if errors.Is(err, access.ErrTemporary) {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return false // because this is the caller's own deadline
	}
	e, ok := errors.AsType[*access.Error](err)
	if ok && e.Reply != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	return isBroken(err) || ok && e.Op == "read"
}

// RefusesRange reports whether err may mean that a server has the resource, but cannot send it from an offset: a
// permanent reply with a status like 400, 403, 416 or 501, a response with another range, or one against the
// protocol. It returns false for nil, and if the resource is missing or has changed, or the server wants a password.
func RefusesRange(err error) bool {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, access.ErrPassword) || errors.Is(err, access.ErrLogin) || errors.Is(err, access.ErrChanged) {
		return false
	}
	e, ok := errors.AsType[*access.Error](err)
	return ok && e.Reply != nil && !Transient(err) || errors.Is(err, access.ErrRange) || errors.Is(err, access.ErrProtocol)
}

// isBroken reports whether err says that the connection ended early, broke or timed out.
func isBroken(err error) bool {
	for _, broken := range []error{io.ErrUnexpectedEOF, io.EOF, io.ErrClosedPipe} {
		if errors.Is(err, broken) {
			return true
		}
	}
	for _, broken := range []syscall.Errno{syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT} {
		if errno.Is(err, broken) {
			return true
		}
	}
	late, ok := errors.AsType[timeout](err)
	return ok && late.Timeout()
}

// A timeout is an error with the Timeout method of net.Error.
type timeout interface {
	error
	Timeout() bool
}
