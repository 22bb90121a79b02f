package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

var (
	// ErrNoTLS means that TLS is required and the protocol has no TLS.
	ErrNoTLS = sentinel.New("TLS is required, and the protocol has none", errors.ErrUnsupported)
	// ErrNotOffered means that TLS is required and the server does not offer it.
	ErrNotOffered = sentinel.New("TLS is required, and the server does not offer it", errors.ErrUnsupported)
	// ErrCleartext means that a password was not sent, because it would not be
	// encrypted.
	ErrCleartext = sentinel.New("the server has no TLS, so the password would be sent unencrypted", fs.ErrPermission)
)

// An IdleError means that the server made no progress for the idle limit. It is a net.Error, and
// wraps [access.ErrTemporary]. The error of a [Conn] also wraps os.ErrDeadlineExceeded.
type IdleError struct {
	Did   string        // "sent nothing", "accepted nothing", "did not end its reply" …
	Limit time.Duration // the idle limit
	cause error         // the timeout of package net; may be nil
}

// Error returns a text such as "the server sent nothing for 1m0s".
func (e *IdleError) Error() string { return fmt.Sprintf("the server %s for %v", e.Did, e.Limit) }

// Unwrap returns access.ErrTemporary, and the timeout of package net if there is one.
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

// HasAnswer reports whether the server has sent bytes that r has not returned yet, after sending failed with err. A server
// may answer, and close the connection, before it has read everything, and its answer tells more than err. HasAnswer
// waits until bytes or the end of the connection arrive. After a timeout it returns false at once.
func HasAnswer(r *bufio.Reader, err error) bool {
	if IsTimeout(err) {
		return false
	}
	_, err = r.Peek(1)
	return err == nil
}

// Early returns io.ErrUnexpectedEOF for io.EOF. Callers use it where the protocol has promised more
// data. It returns other errors unchanged.
func Early(err error) error {
	if access.IsEnd(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Plain returns an error for err, an error of package net, whose text is only the reason, such as
// "connection refused". The text omits addresses equal to address, because the caller's error has
// that address. The result wraps err. Other errors are returned unchanged.
func Plain(err error, address string) error {
	switch e := err.(type) { //nolint:errorlint // a wrapper has its own text
	case *net.DNSError:
		return engine.Reason(lookupReason(e, address), err)
	case *net.OpError:
		return engine.Reason(operationReason(e, address), err)
	}
	return err
}

// operationReason returns the reason in e, such as "connection refused". It adds the address of e
// unless it equals address. An error of a proxy stays whole, because it names the proxy.
func operationReason(e *net.OpError, address string) string {
	if e.Op == "proxyconnect" || e.Op == "socks connect" {
		return e.Error()
	}
	if name, ok := errors.AsType[*net.DNSError](e); ok {
		return lookupReason(name, address)
	}
	text := innermost(e.Err).Error()
	if e.Addr != nil && e.Addr.String() != address {
		text += " (" + e.Addr.String() + ")"
	}
	return text
}

// lookupReason returns the reason in an error of a name lookup, such as "no such host". It adds the
// name unless it is the host of address.
func lookupReason(e *net.DNSError, address string) string {
	text := e.Err
	switch {
	case e.IsNotFound:
		text = "no such host"
	case e.IsTimeout:
		text = "the name server does not answer"
	}
	if host, _, err := net.SplitHostPort(address); err != nil || host != e.Name {
		text += " (" + e.Name + ")"
	}
	return text
}

// innermost returns the last error of err's chain, which wraps no other.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
