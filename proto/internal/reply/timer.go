package reply

import (
	"io"
	"time"

	"locus/proto/internal/wire"
)

// A replyTimer reads from r. While a reply is being read, it fails once the idle limit of r
// has passed since the first byte, so that a server cannot send one byte at a time for ever.
type replyTimer struct {
	r     io.Reader
	start time.Time // of the reply; zero: no reply is being read
}

func (t *replyTimer) Read(p []byte) (int, error) {
	conn, ok := t.r.(interface{ IdleLimit() time.Duration })
	if ok && !t.start.IsZero() {
		if limit := conn.IdleLimit(); limit > 0 && time.Since(t.start) > limit {
			return 0, &wire.IdleError{Did: "did not end its reply", Limit: limit}
		}
	}
	return t.r.Read(p)
}
