package web

import "context"

// WithVia returns a context for an access on behalf of a request that has come
// through gateways or proxies already. via is the Via header of that request (RFC
// 9110 §7.6.3); "" for none. A [Client] with a Via sends it on, so that a gateway
// that has seen the request before recognizes it.
func WithVia(ctx context.Context, via string) context.Context {
	if via == "" {
		return ctx
	}
	return context.WithValue(ctx, viaKey{}, via)
}

// Via returns what WithVia put into ctx; "" if nothing was.
func Via(ctx context.Context) string {
	via, _ := ctx.Value(viaKey{}).(string)
	return via
}

type viaKey struct{}
