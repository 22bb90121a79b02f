package access_test

import (
	"io"
	"testing"

	"locus/access"
)

// A brokenCloser panics when it is closed.
type brokenCloser struct{ io.Reader }

func (brokenCloser) Close() error { panic("in Close") }

// OnClose calls its function exactly once, even if Close panics, because the function may
// release a turn that others wait for.
func TestOnCloseAfterPanic(t *testing.T) {
	r := &access.Resource{Body: brokenCloser{}}
	calls := 0
	r.OnClose(func() { calls++ })
	for range 2 {
		func() {
			defer func() { _ = recover() }()
			r.Body.Close()
		}()
	}
	if calls != 1 {
		t.Errorf("the function was called %d times, want once", calls)
	}
}
