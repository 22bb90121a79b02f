package accesstest

import (
	"context"
	"io"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/proto"
	"locus/url"
)

// Fuzz opens u with an engine. Its server sends the first fuzzed text on the first
// connection, the second on every later one, and closes. The engine must end, must not
// panic, and must close its connections and end its goroutines. seeds are pairs of texts.
func Fuzz(f *testing.F, engine func(proto.Dial) access.Engine, u url.URL, seeds ...[2]string) {
	for _, seed := range seeds {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, first, later []byte) {
		var dialed atomic.Bool
		server := ServeAll(t, Script{func(c *Conn) error {
			text := first
			if dialed.Swap(true) {
				text = later
			}
			_, err := c.Write(text)
			return err
		}})
		s := newSuite(t, Config{New: engine, Dial: server.Dial})
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		if r, err := s.engine.Do(ctx, &access.Request{URL: u}); err == nil {
			drain(r)
		}
		if ctx.Err() != nil {
			t.Errorf("the engine hangs")
		}
		s.leavesNothing()
	})
}

// drain reads the entries or the bytes of r up to a limit, because r may be endless, and closes r.Body.
func drain(r *access.Resource) {
	defer r.Body.Close()
	const entries, size = 1000, 1 << 16
	if l := r.List; l != nil {
		for range entries {
			if _, err := l.Next(); err != nil {
				return
			}
		}
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, size)
}
