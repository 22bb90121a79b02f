package bound

import (
	"context"
	"errors"
	"net"

	"locus/access"
)

// Connect connects to address with dial. If dial is nil it fails with
// [access.ErrNoDial].
func Connect(ctx context.Context, dial func(ctx context.Context, network, address string) (net.Conn, error), network, address string) (net.Conn, error) {
	if dial == nil {
		return nil, access.ErrNoDial
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, Plain(err, address)
	}
	return conn, nil
}

// Plain returns what is behind an error of package net, such as "connection
// refused", without what else that says: who wanted to connect to address is
// said already. What that error is to package errors it stays.
func Plain(err error, address string) error {
	switch e := err.(type) { //nolint:errorlint // one that is wrapped is explained
	case *net.DNSError:
		return access.Reason(ofName(e, address), err)
	case *net.OpError:
		return access.Reason(ofOperation(e, address), err)
	}
	return err
}

// ofOperation says why an operation on a connection failed.
func ofOperation(e *net.OpError, address string) string {
	if e.Op == "proxyconnect" || e.Op == "socks connect" {
		return e.Error()
	}
	if name, ok := errors.AsType[*net.DNSError](e); ok {
		return ofName(name, address)
	}
	text := innermost(e.Err).Error()
	if e.Addr != nil && e.Addr.String() != address {
		text += " (" + e.Addr.String() + ")"
	}
	return text
}

// ofName says why a name was not looked up.
func ofName(e *net.DNSError, address string) string {
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
