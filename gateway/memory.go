package gateway

import (
	"io"
	"time"

	"locus/internal/memory"
)

// Bounds of the memory for listings and pages, in bytes. The answers to forms have as much memory of their own, because
// a client may send a form for hours, and pages must not wait for it.
const (
	maxMemory       = 42 << 20 // for all requests
	maxClientMemory = 34 << 20 // for the requests of one client
)

// Bounds of the temporary files for the answers to forms, in bytes.
const (
	maxFormFiles       = 512 << 20 // for all requests
	maxClientFormFiles = 64 << 20  // for the requests of one client
)

// maxMemoryWait is how long a request waits for memory or for temporary files.
const maxMemoryWait = time.Minute

// newBudget returns the budget of the memory for listings and pages, or of the memory for the answers to forms.
func newBudget() *memory.Budget {
	return &memory.Budget{Max: maxMemory, MaxOfClient: maxClientMemory, MaxWait: maxMemoryWait}
}

// newFileBudget returns the budget of the temporary files for the answers to forms.
func newFileBudget() *memory.Budget {
	return &memory.Budget{Max: maxFormFiles, MaxOfClient: maxClientFormFiles, MaxWait: maxMemoryWait}
}

// A reservingReader reserves memory in proportion to the bytes that are read from it.
type reservingReader struct {
	in   io.Reader
	of   *reply
	read int
}

// Read reads from r.in, and reserves four bytes of memory for each byte that has been read. If
// it cannot reserve them, it returns the error together with the bytes.
func (r *reservingReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.read += n
	if full := r.of.reserve(4 * r.read); full != nil {
		return n, full
	}
	return n, err
}
