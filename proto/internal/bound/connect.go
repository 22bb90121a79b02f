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
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return access.Reason(ofName(e, address), err)
	}
	e, ok := err.(*net.OpError) //nolint:errorlint // one that is wrapped is explained
	if !ok || e.Op == "proxyconnect" || e.Op == "socks connect" {
		return err
	}
	text := innermost(e.Err).Error()
	if e.Addr != nil && e.Addr.String() != address {
		text += " (" + e.Addr.String() + ")"
	}
	return access.Reason(text, err)
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
