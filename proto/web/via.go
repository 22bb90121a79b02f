package web

import "context"

// WithVia returns a context for a request made on behalf of another. via is the
// Via field of that other request (RFC 9110 §7.6.3); "" for none. A [Client]
// with a Via passes it on, so that gateways recognise loops.
func WithVia(ctx context.Context, via string) context.Context {
	if via == "" {
		return ctx
	}
	return context.WithValue(ctx, viaKey{}, via)
}

// Via returns the value that WithVia stored in ctx; "" for none.
func Via(ctx context.Context) string {
	via, _ := ctx.Value(viaKey{}).(string)
	return via
}

type viaKey struct{}
