package access

import "context"

// A Connection is a connection to a server that an engine uses for a request.
type Connection struct {
	Address string // of the server or its proxy, host:port; "" if unknown
	Reused  bool   // it has served another request
}

type connectedKey struct{}

// WithConnected returns a context whose requests call f with each connection on which they
// send their commands; a nil f is not called. f travels in the context, as the hooks of
// net/http/httptrace do, because the code that dials does not see the request. f must not
// block. Several goroutines may call it at once, also after the request is done.
func WithConnected(ctx context.Context, f func(Connection)) context.Context {
	return context.WithValue(ctx, connectedKey{}, f)
}

// ConnectedOf returns the function that WithConnected stored in ctx; nil if ctx has none.
func ConnectedOf(ctx context.Context) func(Connection) {
	f, _ := ctx.Value(connectedKey{}).(func(Connection))
	return f
}
