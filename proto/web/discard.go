package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"locus/access/engine"
)

// The limits in bytes and time for reading the rest of a response that is not needed.
const (
	drainLimit = 64 << 10
	drainTime  = 100 * time.Millisecond
	seenLimit  = 1 << 20 // with a Tap
	seenTime   = 10 * time.Second
)

// discard closes a response whose rest is not needed: an error, a redirect, the response to a
// change. First it reads the rest if it is short and arrives soon, so that the connection can be
// reused. With a Tap it reads more, because the Tap records it.
func discard(ctx context.Context, resp *http.Response) {
	switch {
	case engine.TapOf(ctx) != nil:
		drain(resp.Body, seenLimit, seenTime)
	case resp.ProtoMajor < 2: // Close ends only a stream of HTTP/2, not the connection
		drain(resp.Body, drainLimit, drainTime)
	}
	resp.Body.Close()
}

// drain reads up to limit bytes of body. If that takes longer than atMost, it closes body, which
// ends a blocked Read.
func drain(body io.ReadCloser, limit int64, atMost time.Duration) {
	late := time.AfterFunc(atMost, func() { body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, limit) // after any error but io.EOF, Close ends the connection
}
