package cache

import (
	"context"
	"errors"
	"time"
)

// A client that reads slowly delays the other readers of a body that passes bytes on. That is fair as long as the
// client reads at some pace, because it may be far behind when the file reaches its largest size. So awaitReaders
// adds up for each reader how long it has held others, which is how long it lacked bytes while another reader had
// all of them. A reader takes a second off that time with each minPace bytes that it reads. The body drops
// a reader that has held others for more than maxHeld.

const (
	maxHeld  = 30 * time.Second
	minPace  = 8 << 10     // bytes a second
	lookTime = time.Second // the longest time between two looks at the readers
)

// errSlow is the error of a reader that the body has dropped.
var errSlow = errors.New("reading was too slow, and delayed others that read the same resource")

// A pace says how a reader keeps up with the others.
type pace struct {
	seen int64         // where the reader was at the last look
	held time.Duration // how long it has held others
}

// isTooSlow reports whether the body drops the reader, or has dropped it.
func (p *pace) isTooSlow() bool { return p.held > maxHeld }

// awaitReaders waits until every reader has all bytes, and drops readers that are too slow. The error is
// context.Canceled if all members leave meanwhile. The caller holds mu.
func (b *sharedBody) awaitReaders() error {
	b.look(0)
	looked := time.Now()
	again := time.AfterFunc(lookTime, b.wake)
	defer again.Stop()
	for b.slowest() < b.n {
		if b.members == 0 {
			return context.Canceled
		}
		again.Reset(lookTime)
		b.changed.Wait()
		now := time.Now()
		b.look(now.Sub(looked))
		looked = now
	}
	return nil
}

// slowest returns the offset of the slowest reader; 0 if a member has not begun to read. The caller
// holds mu.
func (b *sharedBody) slowest() int64 {
	if len(b.readers) < b.members {
		return 0
	}
	slowest := b.n
	for r := range b.readers {
		slowest = min(slowest, r.at)
	}
	return slowest
}

// look updates the paces of all readers, and drops each that is too slow. The last look was the given time ago. At
// least one reader is left, because the reader that the others have held has all bytes. The caller holds mu.
func (b *sharedBody) look(ago time.Duration) {
	var isHeld bool
	for r := range b.readers {
		isHeld = isHeld || r.pace.seen == b.n
	}
	for r := range b.readers {
		if isHeld && r.pace.seen < b.n {
			r.pace.held += ago
		}
		earned := time.Duration(r.at-r.pace.seen) * time.Second / minPace
		r.pace.held = max(0, r.pace.held-earned)
		r.pace.seen = r.at
		if r.pace.isTooSlow() {
			delete(b.readers, r)
			b.members--
			b.changed.Broadcast()
		}
	}
}
