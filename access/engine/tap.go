package engine

import "context"

// A Tap sees what a request sends and receives, above TLS and below every decoding. An
// archive records by it. [WithTap] gives it to the engines.
//
// An engine of HTTP calls Exchange for each request that it sends. Every other engine
// calls Sent and Received with what goes over the connection on which it sends its
// commands; a data connection of FTP is not seen. Several goroutines may call the methods
// at once. None may keep p.
type Tap interface {
	Sent(p []byte)
	Received(p []byte)

	// Exchange begins a request of HTTP and the response to it.
	Exchange() Exchange
}

// An Exchange sees one request of HTTP and its response, as they are sent.
type Exchange interface {
	Sent(p []byte)
	Received(p []byte)

	// End is called when the response is complete, or with the error that ended it
	// early. Later bytes belong to another Exchange. Only the first call counts. The error
	// says that the Tap has failed; the request then fails with it.
	End(err error) error
}

type tapKey struct{}

// WithTap returns a context whose requests are seen by t; nil: by nobody.
func WithTap(ctx context.Context, t Tap) context.Context {
	return context.WithValue(ctx, tapKey{}, t)
}

// TapOf returns the Tap of ctx; nil if there is none.
func TapOf(ctx context.Context) Tap {
	t, _ := ctx.Value(tapKey{}).(Tap)
	return t
}
