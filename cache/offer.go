package cache

import (
	"context"
	"io"
	"sync"
)

// An offer is a resource for one of the members of a decision:
//
//	unmade ──▶ offered ──▶ taken       by the first member
//	   │            └────▶ withdrawn   the last member has left; the Body is closed
//	   └─────────────────▶ withdrawn   the Body is closed as soon as it is made
//
// The zero offer is unmade.
type offer struct {
	mu    sync.Mutex
	state offerState
	found found
}

type offerState int

const (
	unmade offerState = iota
	offered
	taken
	withdrawn
)

// make offers f to the members. If the offer was withdrawn before, it closes the Body of f.
func (o *offer) make(f found) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state == withdrawn {
		f.Body.Close()
		return
	}
	o.state, o.found = offered, f
}

// take returns the offered resource, once, and ok is then true. ok is false for later callers,
// before make, and after withdraw.
func (o *offer) take() (f found, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state != offered {
		return found{}, false
	}
	o.state = taken
	return o.found, true
}

// withdraw closes the Body of the offer, unless a member has taken it. A later make closes its Body
// at once.
func (o *offer) withdraw() {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch o.state {
	case offered:
		o.found.Body.Close()
	case taken:
		return
	}
	o.state = withdrawn
}

// An offeredBody is the Body of an offer that a member has taken.
type offeredBody struct {
	io.ReadCloser
	leave func()
	stop  func() bool
}

// newOfferedBody wraps body for the member that has taken it. Its Close leaves the decision. When
// ctx is done, the access to the source is cancelled.
func newOfferedBody(ctx context.Context, d *decision, body io.ReadCloser) io.ReadCloser {
	return &offeredBody{ReadCloser: body, leave: d.body.leave, stop: context.AfterFunc(ctx, d.cancel)}
}

// Close closes the Body and leaves the decision, which cancels the access if this was the last
// member.
func (b *offeredBody) Close() error {
	b.stop()
	defer b.leave()
	return b.ReadCloser.Close()
}
