package engine

import "context"

// A Tap receives a copy of the bytes that a request sends and receives. It sees them
// decrypted but otherwise undecoded. An archive records with it. [WithTap] gives it to the
// engines.
//
// An engine of HTTP calls Exchange for each request that it sends. Every other engine calls
// Sent and Received with the bytes of the connection on which it sends its commands, and
// not with the bytes of FTP's data connections. Several goroutines may call the methods at
// once. The methods must not keep p.
type Tap interface {
	Sent(p []byte)
	Received(p []byte)

	// Hide tells the Tap that these texts are a password, in the forms in which the engine sends it next. The Tap must not
	// keep them. An engine need not call Hide if a command shows that its argument is a password, as PASS of FTP does.
	Hide(texts ...string)

	// Exchange begins a request of HTTP and the response to it.
	Exchange() Exchange
}

// An Exchange receives the bytes of one HTTP request and its response.
type Exchange interface {
	Sent(p []byte)
	Received(p []byte)

	// End is called when the response is complete, or with the error that ended it early.
	// Later bytes belong to another Exchange. Only the first call counts. If End returns an
	// error, the Tap has failed, and the request fails with that error.
	End(err error) error
}

type tapKey struct{}

// WithTap returns a context whose requests are copied to t; a nil t ends the copying.
func WithTap(ctx context.Context, t Tap) context.Context {
	return context.WithValue(ctx, tapKey{}, t)
}

// TapOf returns the Tap of ctx; nil if ctx has none.
func TapOf(ctx context.Context) Tap {
	t, _ := ctx.Value(tapKey{}).(Tap)
	return t
}
