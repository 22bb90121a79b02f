package accesstest

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/url"
)

// Fuzz lets servers say anything: it opens u with an engine whose first
// connection is answered with the first of the fuzzed texts and every later one
// with the second, after which the server closes. Whatever is said, the engine
// must come to an end without a panic, and must leave nothing open
// and no goroutine. seeds are pairs of such texts.
func Fuzz(f *testing.F, engine func(Dial) access.Engine, u url.URL, seeds ...[2]string) {
	for _, seed := range seeds {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, first, later []byte) {
		s := newSuite(t, Config{New: engine, Dial: sayer(first, later)})
		ctx, cancel := context.WithTimeout(t.Context(), patience)
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

// sayer is a Dial to a server that takes in what the client says, says its own,
// and closes.
func sayer(first, later []byte) Dial {
	var dialed atomic.Bool
	return func(context.Context, string, string) (net.Conn, error) {
		text := later
		if !dialed.Swap(true) {
			text = first
		}
		client, server := net.Pipe()
		go io.Copy(io.Discard, server)
		go func() {
			defer server.Close()
			server.Write(text)
		}()
		return client, nil
	}
}

// drain reads r as a listing if it is one, and as octets if not. A resource may
// be endless: it reads a part of it.
func drain(r *access.Resource) {
	defer r.Body.Close()
	const entries, octets = 1000, 1 << 16
	if l := r.List; l != nil {
		for range entries {
			if _, err := l.Next(); err != nil {
				return
			}
		}
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, octets)
}
