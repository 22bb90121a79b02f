// Package memory bounds the memory that readers of documents use together.
//
//	budget := memory.Budget{Max: 256 << 20}
//	…
//	share := budget.Share("")
//	defer share.Release()
//	if err := share.Reserve(ctx, 4*read); err != nil { … } // again and again, as the document grows
package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// Uncounted is the number of bytes of each share that the budget does not count.
	Uncounted = 64 << 10

	// Step is the number of bytes in which a share takes memory.
	Step = 64 << 10
)

// ErrFull says that a share has waited for memory as long as Budget.MaxWait.
var ErrFull = errors.New("the memory for documents is taken")

// A Budget bounds how much memory all its shares use together. Set its fields before the first call of a method.
//
// If all memory is taken, one share at a time may take more than the budget has, because otherwise shares that hold
// some memory and wait for more could wait for each other forever.
type Budget struct {
	Max         int           // bytes for all shares; a negative value means no limit
	MaxOfClient int           // bytes for the shares of one client; 0 means no limit besides Max
	MaxWait     time.Duration // how long Reserve waits; 0 means no limit

	mu       sync.Mutex
	used     int
	ofClient map[string]int // without zeros; only counted with MaxOfClient
	exempt   *Share         // this share may take more than the budget has; may be nil
	waiting  []*wait        // in the order of their arrival
}

// A wait is a share that waits for n bytes. ready is closed when the share has them.
type wait struct {
	of    *Share
	n     int
	ready chan struct{}
}

// A Share is the memory of one reader. Several goroutines may call its methods at once.
type Share struct {
	budget *Budget
	client string
	held   int // guarded by budget.mu
}

// Share returns a new share of a client that holds no memory. The caller calls Release.
func (b *Budget) Share(client string) *Share { return &Share{budget: b, client: client} }

// Used returns the number of bytes that all shares hold together.
func (b *Budget) Used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Reserve grows the share to at least n bytes. It waits until the budget has enough memory. It returns ErrFull
// after MaxWait, or the error of ctx when ctx is done; then the share keeps its size.
func (s *Share) Reserve(ctx context.Context, n int) error {
	b := s.budget
	b.mu.Lock()
	n = s.missing(n)
	if n == 0 || b.grant(s, n, true) {
		b.mu.Unlock()
		return nil
	}
	w := &wait{s, n, make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	err := w.wait(ctx, b.MaxWait)
	if err == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, w)
	if i < 0 {
		return nil // Shrink granted the memory at the same time
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	return err
}

// wait waits until the memory is granted, and returns nil. If ctx is done before, it returns the error of ctx.
// After most it returns ErrFull, unless most is 0 or negative, which means no limit.
func (w *wait) wait(ctx context.Context, most time.Duration) error {
	var late <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
		return ErrFull
	}
}

// TryReserve grows the share to at least n bytes and returns true if the budget has enough memory. Otherwise it
// returns false at once.
func (s *Share) TryReserve(n int) bool {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	n = s.missing(n)
	return n == 0 || s.budget.grant(s, n, false)
}

// Release gives all memory of the share back to the budget. The share may be used again.
func (s *Share) Release() { s.Shrink(0) }

// Shrink gives all memory of the share beyond n bytes back to the budget, and grants it to shares
// that wait.
func (s *Share) Shrink(n int) {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := min(s.held, inSteps(n-Uncounted))
	if s.held == 0 && b.exempt != s {
		return
	}
	b.add(s, keep-s.held)
	if b.exempt == s && (keep == 0 || b.has(s, 0)) {
		b.exempt = nil
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w *wait) bool {
		granted := b.grant(w.of, w.n, true)
		if granted {
			close(w.ready)
		}
		return granted
	})
}

// missing returns how many bytes, in whole steps, the share must take to grow to n bytes. The
// caller holds the lock of the budget.
func (s *Share) missing(n int) int { return inSteps(n - Uncounted - s.held) }

// inSteps rounds n up to whole steps. It returns 0 for a negative n.
func inSteps(n int) int { return (max(n, 0) + Step - 1) / Step * Step }

// grant gives n bytes to s and returns true, if the budget has them or s is the exempt share. If the budget lacks them,
// mayExempt is true and no share is exempt, s becomes the exempt share and gets the bytes. Otherwise grant returns
// false. The caller holds the lock of the budget.
func (b *Budget) grant(s *Share, n int, mayExempt bool) bool {
	if !b.has(s, n) {
		if b.exempt == nil && mayExempt {
			b.exempt = s
		}
		if b.exempt != s {
			return false
		}
	}
	b.add(s, n)
	return true
}

// has reports whether the limits of the budget and of the client allow n more bytes for s. The caller holds the
// lock of the budget.
func (b *Budget) has(s *Share, n int) bool {
	return (b.Max < 0 || b.used+n <= b.Max) && (b.MaxOfClient == 0 || b.ofClient[s.client]+n <= b.MaxOfClient)
}

// add adds n bytes, which may be negative, to s and to the counts of the budget. The caller holds the lock of the
// budget.
func (b *Budget) add(s *Share, n int) {
	b.used += n
	s.held += n
	if b.MaxOfClient == 0 {
		return
	}
	if b.ofClient == nil {
		b.ofClient = make(map[string]int)
	}
	if b.ofClient[s.client] += n; b.ofClient[s.client] <= 0 {
		delete(b.ofClient, s.client)
	}
}
