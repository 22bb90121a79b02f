package gateway

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

// Bounds of the memory for listings and pages, in bytes.
const (
	maxMemory       = 48 << 20 // for all requests
	maxClientMemory = 36 << 20 // for the requests of one client
	uncountedMemory = 64 << 10 // for one request; the budget does not count it
	memoryStep      = 64 << 10 // a request takes memory in these steps
)

// maxMemoryWait is how long a request waits for memory.
const maxMemoryWait = time.Minute

// A memoryBudget bounds how much memory all requests use together for listings and pages. The
// zero budget is ready to use.
//
// If all memory is taken, one request at a time may take more than the budget has, because
// otherwise requests that hold some memory and wait for more could wait for each other forever.
type memoryBudget struct {
	mu       sync.Mutex
	used     int
	ofClient map[string]int // without zeros
	exempt   *share         // this share may take more than the budget has; may be nil
	waiting  []*memoryWait  // in the order of their arrival
}

// A memoryWait is a share that waits for n bytes. ready is closed when the share has them.
type memoryWait struct {
	of    *share
	n     int
	ready chan struct{}
}

// A share is a part of the memory that one request uses. Several goroutines may call its methods
// at once.
type share struct {
	budget *memoryBudget
	client string
	held   int // guarded by budget.mu
}

// reserve grows the share to at least n bytes. It waits until the budget has enough memory. It
// fails with errFull after maxMemoryWait, and with the error of ctx when ctx is done.
func (s *share) reserve(ctx context.Context, n int) error {
	b := s.budget
	b.mu.Lock()
	n = s.missing(n)
	if n == 0 || b.grant(s, n, true) {
		b.mu.Unlock()
		return nil
	}
	w := &memoryWait{s, n, make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	late := time.NewTimer(maxMemoryWait)
	defer late.Stop()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = errFull
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, w)
	if i < 0 {
		return nil // shrink granted the memory at the same time
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	return err
}

// tryReserve is like reserve, but returns false instead of waiting.
func (s *share) tryReserve(n int) bool {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	n = s.missing(n)
	return n == 0 || s.budget.grant(s, n, false)
}

// release gives all memory of the share back.
func (s *share) release() { s.shrink(0) }

// shrink gives all memory of the share beyond n bytes back to the budget, and grants it to shares
// that wait.
func (s *share) shrink(n int) {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := min(s.held, inSteps(n-uncountedMemory))
	if s.held == 0 && b.exempt != s {
		return
	}
	b.used -= s.held - keep
	if b.ofClient[s.client] -= s.held - keep; b.ofClient[s.client] <= 0 {
		delete(b.ofClient, s.client)
	}
	s.held = keep
	if b.exempt == s && (keep == 0 || b.used <= maxMemory && b.ofClient[s.client] <= maxClientMemory) {
		b.exempt = nil
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w *memoryWait) bool {
		granted := b.grant(w.of, w.n, true)
		if granted {
			close(w.ready)
		}
		return granted
	})
}

// missing returns how many bytes, in whole steps, the share must take to grow to n bytes. The
// caller holds the lock of the budget.
func (s *share) missing(n int) int {
	return inSteps(n - uncountedMemory - s.held)
}

// inSteps rounds n up to whole steps. It returns 0 for a negative n.
func inSteps(n int) int { return (max(n, 0) + memoryStep - 1) / memoryStep * memoryStep }

// grant gives n bytes to s if the budget has them. If mayExempt is set, s may become the exempt
// share and get them anyway. The caller holds the lock of the budget.
func (b *memoryBudget) grant(s *share, n int, mayExempt bool) bool {
	if b.used+n > maxMemory || b.ofClient[s.client]+n > maxClientMemory {
		if b.exempt == nil && mayExempt {
			b.exempt = s
		}
		if b.exempt != s {
			return false
		}
	}
	if b.ofClient == nil {
		b.ofClient = make(map[string]int)
	}
	b.used += n
	b.ofClient[s.client] += n
	s.held += n
	return true
}

// A reservingReader reserves memory in proportion to the bytes that are read from it.
type reservingReader struct {
	in   io.Reader
	of   *reply
	read int
}

func (r *reservingReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.read += n
	if full := r.of.reserve(4 * r.read); full != nil {
		return n, full
	}
	return n, err
}
