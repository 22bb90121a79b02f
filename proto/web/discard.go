package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"locus/access"
)

const (
	drainLimit = 64 << 10               // bytes that are read so that the connection can be reused
	drainTime  = 100 * time.Millisecond // how long that may take
	seenLimit  = 1 << 20                // bytes that are read for a Tap
	seenTime   = 10 * time.Second       // how long that may take
)

// discard closes a response of which nothing is needed: an error, a redirect. If its rest is
// short and arrives soon, it is read, and the connection can be reused. A Tap sees up to
// seenLimit bytes of it, however long they take.
func discard(ctx context.Context, resp *http.Response) {
	defer resp.Body.Close()
	if access.TapOf(ctx) != nil {
		_, _ = io.CopyN(io.Discard, resp.Body, seenLimit) // the caller has its error already
		return
	}
	late := time.AfterFunc(drainTime, func() { resp.Body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, drainLimit) // after an error the connection is not reused
}
