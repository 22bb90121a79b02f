package access

import (
	"io"
	"sync"
)

// NoBody is an empty Body, for every Op but Get.
var NoBody io.ReadCloser = noBody{}

type noBody struct{}

func (noBody) Read([]byte) (int, error) { return 0, io.EOF }
func (noBody) Close() error             { return nil }

// A closeHook is a Body that calls after when it is first closed.
type closeHook struct {
	io.ReadCloser
	once  sync.Once
	after func()
}

// Close closes the Body, and then calls after if this is the first Close.
func (h *closeHook) Close() error {
	defer h.once.Do(h.after) // also if Close panics
	return h.ReadCloser.Close()
}
