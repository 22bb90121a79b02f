package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// Requests share the memory. If all memory is taken, a request waits for another request, or until
// its context is done. One request at a time may take more, so that they never wait for each other.
func TestMemory(t *testing.T) {
	ctx := t.Context()
	var b memoryBudget
	shareOf := func(client string) *share { return &share{budget: &b, client: client} }
	first, second, third := shareOf("a"), shareOf("b"), shareOf("c")
	if err := first.reserve(ctx, uncountedMemory); err != nil || b.used != 0 {
		t.Errorf("the free memory = %v, uses %d", err, b.used)
	}
	if !first.tryReserve(maxClientMemory) || !second.tryReserve(maxMemory-maxClientMemory) {
		t.Fatal("there is less memory than promised")
	}
	if third.tryReserve(maxMemory / 2) {
		t.Error("there is more memory than promised")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := first.reserve(ctx, maxClientMemory+maxMemory); err != nil || b.exempt != first {
		t.Errorf("the first that needs more gets %v", err)
	}
	if err := third.reserve(done, maxMemory/2); !errors.Is(err, context.Canceled) || len(b.waiting) != 0 {
		t.Errorf("a request that has ended waits: %v", err)
	}
	var waits sync.WaitGroup
	waits.Go(func() {
		if err := third.reserve(ctx, maxMemory/2); err != nil {
			t.Errorf("a request that waited = %v", err)
		}
	})
	first.shrink(2 * uncountedMemory)
	waits.Wait()
	if first.held != memoryStep || third.held < maxMemory/2-uncountedMemory {
		t.Errorf("they have %d and %d bytes", first.held, third.held)
	}
	for _, s := range []*share{first, second, third, third} {
		s.release()
	}
	if b.used != 0 || len(b.ofClient) != 0 || b.exempt != nil {
		t.Errorf("%d bytes of %v are kept", b.used, b.ofClient)
	}
}

// One client cannot take the memory of other clients.
func TestMemoryOfClient(t *testing.T) {
	var b memoryBudget
	greedy := &share{budget: &b, client: "a"}
	if greedy.tryReserve(maxClientMemory + uncountedMemory + 1) {
		t.Error("one client may have everything")
	}
}

// Requests that grow step by step all end, although together they need more memory than the budget.
func TestMemoryEnds(t *testing.T) {
	var b memoryBudget
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			s := &share{budget: &b, client: fmt.Sprint(i % 3)}
			defer s.release()
			for n := 0; n < 4<<20; n += memoryStep {
				if err := s.reserve(t.Context(), n); err != nil {
					t.Error(err)
					return
				}
				if b.total() > maxMemory+4<<20 {
					t.Error("more than one request takes more than there is")
				}
			}
		})
	}
	all.Wait()
	if b.total() != 0 {
		t.Errorf("%d bytes are kept", b.total())
	}
}

func (b *memoryBudget) total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
