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
	maxMemory       = 48 << 20 // of all requests
	maxClientMemory = 36 << 20 // of one client's requests
	freeMemory      = 64 << 10 // of one request, which is not counted
	memoryStep      = 64 << 10 // what a request takes at once
)

// maxMemoryWait is how long a request waits for memory.
const maxMemoryWait = time.Minute

// A memoryBudget bounds what all requests keep in memory. The zero budget is ready.
//
// If nothing is left, one request at a time may take more than the budget has. So requests
// that have something and wait for more never wait for each other.
type memoryBudget struct {
	mu       sync.Mutex
	used     int
	ofClient map[string]int // a client without any is not in it
	exempt   *share         // it may take more than there is; nil: none
	waiting  []*memoryWait  // the first came first
}

// A memoryWait is a share that waits for n bytes. ready is closed when it has them.
type memoryWait struct {
	of    *share
	n     int
	ready chan struct{}
}

// A share is the memory that one request has. Its methods may be called at once.
type share struct {
	budget *memoryBudget
	client string
	held   int // guarded by budget.mu
}

// reserve makes the share have at least n bytes. It waits until there are as many, at most
// maxMemoryWait and until ctx is done. It fails with errFull after that time.
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
		return nil // it is ready, too
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	return err
}

// tryReserve is reserve, but returns false instead of waiting.
func (s *share) tryReserve(n int) bool {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	n = s.missing(n)
	return n == 0 || s.budget.grant(s, n, false)
}

// release gives everything back.
func (s *share) release() { s.shrink(0) }

// shrink gives back what the share has more than n bytes.
func (s *share) shrink(n int) {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := min(s.held, inSteps(n-freeMemory))
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

// missing returns how many bytes the share must take to have n, in whole steps. The caller
// holds the lock of the budget.
func (s *share) missing(n int) int {
	return inSteps(n - freeMemory - s.held)
}

// inSteps rounds up to whole steps; 0 if n is less than 1.
func inSteps(n int) int { return (max(n, 0) + memoryStep - 1) / memoryStep * memoryStep }

// grant gives n bytes to s, if there are as many. mayExempt says that s may be the request
// that takes more. The caller holds the lock.
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

type reservingReader struct {
	in   io.Reader
	of   *output
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
