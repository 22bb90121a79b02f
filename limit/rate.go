package limit

import (
	"context"
	"sync"
	"time"
)

// A Rate bounds how many bytes a second are read, over all accesses that share
// it. The zero Rate, and nil, set no limit. It may not be copied.
type Rate struct {
	// PerSecond is how many bytes a second there may be; 0: no limit.
	PerSecond int64

	mu   sync.Mutex
	free time.Time // when the bytes read so far are within the rate
}

// wait waits until n more bytes are within the rate.
func (r *Rate) wait(ctx context.Context, n int) error {
	if r == nil || r.PerSecond <= 0 || n <= 0 {
		return nil
	}
	r.mu.Lock()
	now := time.Now()
	if r.free.Before(now) {
		r.free = now
	}
	r.free = r.free.Add(time.Duration(float64(n) / float64(r.PerSecond) * float64(time.Second)))
	wait := r.free.Sub(now)
	r.mu.Unlock()
	return sleep(ctx, wait)
}

// piece returns how much of p to read at once, so that a slow rate is a steady one.
func (r *Rate) piece(p []byte) []byte {
	if r == nil || r.PerSecond <= 0 {
		return p
	}
	return p[:min(int64(len(p)), max(r.PerSecond/8, 1))]
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
