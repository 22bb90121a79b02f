package stream

import (
	"context"
	"sync"
)

// A background has the goroutines of a Queue. They end when ctx is done. Next then returns the cause of ctx.
type background struct {
	ctx  context.Context
	stop context.CancelCauseFunc
	all  sync.WaitGroup
}

// newBackground returns a background without goroutines. It outlives ctx, whose values it keeps.
func newBackground(ctx context.Context) *background {
	b := new(background)
	b.ctx, b.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return b
}

// end stops the goroutines and waits until they have ended.
func (b *background) end() {
	b.stop(context.Canceled)
	b.all.Wait()
}

// A notifier wakes all goroutines that wait for a change. The zero notifier is ready to use.
//
//	for {
//		changed := n.next() // before the condition is read, so that no change is missed
//		if condition {
//			break
//		}
//		<-changed
//	}
type notifier struct {
	mu      sync.Mutex
	changed chan struct{} // nil while no goroutine waits
}

// next returns a channel that the next call of notify closes.
func (n *notifier) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed == nil {
		n.changed = make(chan struct{})
	}
	return n.changed
}

// notify wakes the goroutines that wait.
func (n *notifier) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}

// signal puts a value into c, which has room for one, unless c already has one. It never blocks.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
