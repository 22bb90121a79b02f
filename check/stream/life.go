package stream

import (
	"context"
	"sync"
)

// A life is the goroutines of a Queue. They end when ctx is done, whose cause is the error that
// Next returns then.
type life struct {
	ctx  context.Context
	stop context.CancelCauseFunc
	all  sync.WaitGroup
}

func newLife(ctx context.Context) *life {
	l := new(life)
	l.ctx, l.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return l
}

// end stops the goroutines, and waits for them.
func (l *life) end() {
	l.stop(context.Canceled)
	l.all.Wait()
}

// A bell wakes goroutines that wait for a change. The zero bell is ready.
//
//	for {
//		rung := b.next() // before the condition is read
//		if condition {
//			break
//		}
//		<-rung
//	}
type bell struct {
	mu   sync.Mutex
	rung chan struct{} // nil: nobody waits
}

// next returns a channel that is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}

// ring wakes all that wait.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung != nil {
		close(b.rung)
		b.rung = nil
	}
}

// signal wakes a receiver of c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
