package wiretest

import (
	"sync"
	"time"
)

// A Deadline is the deadline of a connection in memory. The zero Deadline never
// passes. Several goroutines may use it at once.
type Deadline struct {
	mu     sync.Mutex
	set    int           // the number of calls to Set
	passed chan struct{} // closed when the deadline passes; nil before it is needed
	over   bool          // passed is closed
}

// Set changes the deadline, also for pending waits; zero means no deadline.
func (d *Deadline) Set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.set++
	if d.passed == nil || d.over {
		d.passed, d.over = make(chan struct{}), false
	}
	if t.IsZero() {
		return
	}
	left := time.Until(t)
	if left <= 0 {
		close(d.passed)
		d.over = true
		return
	}
	set := d.set
	time.AfterFunc(left, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.set == set {
			close(d.passed)
			d.over = true
		}
	})
}

// Passed returns a channel that is closed when the deadline passes.
func (d *Deadline) Passed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.passed == nil {
		d.passed = make(chan struct{})
	}
	return d.passed
}
