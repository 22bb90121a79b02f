package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"locus/access/engine"
)

// How much is read of a response of which nothing is needed, and for how long.
const (
	drainLimit = 64 << 10
	drainTime  = 100 * time.Millisecond
	seenLimit  = 1 << 20 // with a Tap
	seenTime   = 10 * time.Second
)

// discard closes a response of which nothing more is needed: an error, a redirect, the answer
// to a change. A rest that is short and arrives soon is read, so that the connection can be
// reused. A Tap sees more of it.
func discard(ctx context.Context, resp *http.Response) {
	switch {
	case engine.TapOf(ctx) != nil:
		drain(resp.Body, seenLimit, seenTime)
	case resp.ProtoMajor < 2: // HTTP/2 ends a stream, and keeps the connection
		drain(resp.Body, drainLimit, drainTime)
	}
	resp.Body.Close()
}

// drain reads up to limit bytes of body. If that takes too long, it closes body, which may be
// done while it is read.
func drain(body io.ReadCloser, limit int64, atMost time.Duration) {
	late := time.AfterFunc(atMost, func() { body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, limit) // io.EOF: the connection can be reused; else Close ends it
}
