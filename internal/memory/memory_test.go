package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	most         = 48 << 20
	mostOfClient = 36 << 20
)

// Readers share the memory. If all memory is taken, a reader waits for another reader, or until
// its context is done. One reader at a time may take more, so that they never wait for each other.
func TestReserve(t *testing.T) {
	ctx := t.Context()
	b := Budget{Max: most, MaxOfClient: mostOfClient}
	first, second, third := b.Share("a"), b.Share("b"), b.Share("c")
	if err := first.Reserve(ctx, Uncounted); err != nil || b.used != 0 {
		t.Errorf("the free memory = %v, uses %d", err, b.used)
	}
	if !first.TryReserve(mostOfClient) || !second.TryReserve(most-mostOfClient) {
		t.Fatal("there is less memory than promised")
	}
	if third.TryReserve(most / 2) {
		t.Error("there is more memory than promised")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := first.Reserve(ctx, mostOfClient+most); err != nil || b.exempt != first {
		t.Errorf("the first that needs more gets %v", err)
	}
	if err := third.Reserve(done, most/2); !errors.Is(err, context.Canceled) || len(b.waiting) != 0 {
		t.Errorf("a reader that has ended waits: %v", err)
	}
	var waits sync.WaitGroup
	waits.Go(func() {
		if err := third.Reserve(ctx, most/2); err != nil {
			t.Errorf("a reader that waited = %v", err)
		}
	})
	first.Shrink(2 * Uncounted)
	waits.Wait()
	if first.held != Step || third.held < most/2-Uncounted {
		t.Errorf("they have %d and %d bytes", first.held, third.held)
	}
	for _, s := range []*Share{first, second, third, third} {
		s.Release()
	}
	if b.used != 0 || len(b.ofClient) != 0 || b.exempt != nil {
		t.Errorf("%d bytes of %v are kept", b.used, b.ofClient)
	}
}

// One client cannot take the memory of other clients, and without MaxOfClient it can. A negative Max means no limit.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		max, ofClient, n int
		want             bool
	}{
		{most, mostOfClient, mostOfClient + Uncounted, true},
		{most, mostOfClient, mostOfClient + Uncounted + 1, false},
		{most, 0, most + Uncounted, true},
		{most, 0, most + Uncounted + 1, false},
		{-1, 0, 1 << 30, true},
		{-1, mostOfClient, mostOfClient + Uncounted + 1, false},
	} {
		b := Budget{Max: test.max, MaxOfClient: test.ofClient}
		if got := b.Share("a").TryReserve(test.n); got != test.want {
			t.Errorf("TryReserve(%d) of %d, and %d for a client, = %v, want %v", test.n, test.max, test.ofClient, got, test.want)
		}
	}
}

// Reserve waits at most MaxWait.
func TestMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Budget{Max: most, MaxWait: time.Minute}
		for range 2 { // the second share is exempt
			if err := b.Share("a").Reserve(t.Context(), most); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		if err := b.Share("a").Reserve(t.Context(), most); !errors.Is(err, ErrFull) || time.Since(start) != time.Minute {
			t.Errorf("Reserve = %v after %v, want %v after a minute", err, time.Since(start), ErrFull)
		}
	})
}

// Readers that grow step by step all end, although together they need more memory than the budget.
func TestAllEnd(t *testing.T) {
	b := Budget{Max: most, MaxOfClient: mostOfClient}
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			s := b.Share(fmt.Sprint(i % 3))
			defer s.Release()
			for n := 0; n < 4<<20; n += Step {
				if err := s.Reserve(t.Context(), n); err != nil {
					t.Errorf("Reserve of %d bytes by reader %d: %v", n, i, err)
					return
				}
				if b.Used() > most+4<<20 {
					t.Error("more than one reader takes more than there is")
				}
			}
		})
	}
	all.Wait()
	if b.Used() != 0 {
		t.Errorf("%d bytes are kept", b.Used())
	}
}
