package limit

import (
	"context"
	"sync"
	"time"
)

// A Rate bounds how many bytes a second are read by all requests that share it. The
// zero Rate and nil set no limit. Do not copy it.
type Rate struct {
	// PerSecond is how many bytes may be read per second; 0: no limit.
	PerSecond int64

	mu   sync.Mutex
	free time.Time // when the next byte may be read
}

// wait counts n bytes that were read, and waits until the next may be.
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

// piece returns the part of p to read at once. A slow Rate reads small pieces, so
// that it is steady.
func (r *Rate) piece(p []byte) []byte {
	if r == nil || r.PerSecond <= 0 {
		return p
	}
	return p[:min(int64(len(p)), max(r.PerSecond/8, 1))]
}

// sleep waits for d. If ctx is done first, it returns the cause.
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
