package wire

import (
	"errors"
	"net"

	"locus/access"
)

// Plain returns the reason in an error of package net, such as "connection
// refused". It omits addresses equal to address, since the caller knows it. The
// result wraps err.
func Plain(err error, address string) error {
	switch e := err.(type) { //nolint:errorlint // a wrapper has its own text
	case *net.DNSError:
		return access.Reason(lookupReason(e, address), err)
	case *net.OpError:
		return access.Reason(operationReason(e, address), err)
	}
	return err
}

// operationReason returns why an operation on a connection failed.
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

// lookupReason returns why a name was not found.
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

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
