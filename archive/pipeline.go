package archive

import "runtime"

// A pipeline hashes, compresses and stores the pieces of a large block while others arrive:
//
//	        ┌── encode, several at once ──┐
//	send ───┤                             ├── store, in order
//	        └── hash, in order ───────────┘
//
// The pipelines of a Writer share its slots. A piece has one from send until it is stored.
// A piece waits only for those before it, so the first of a block always goes on.
type pipeline struct {
	slots   chan struct{}
	format  format
	hashing chan *piece
	storing chan *piece
	stored  chan struct{} // closed when all is stored
}

// newSlots returns the slots of a Writer. They bound its memory.
func newSlots() chan struct{} {
	const most = 18 // with that no network is faster
	return make(chan struct{}, min(2*runtime.GOMAXPROCS(0)+2, most))
}

// newPipeline returns a pipeline that stores pieces in s. The caller calls wait, which ends its
// goroutines.
func newPipeline(s *stored) *pipeline {
	slots := s.rest.writer.slots
	p := &pipeline{
		slots: slots, format: s.format, stored: make(chan struct{}),
		hashing: make(chan *piece, cap(slots)), storing: make(chan *piece, cap(slots)),
	}
	go p.hash(s)
	go p.store(s)
	return p
}

// send adds a piece. It waits for a slot.
func (p *pipeline) send(next *piece) {
	p.slots <- struct{}{}
	next.done = make(chan struct{})
	go func() {
		defer close(next.done)
		next.encode(p.format)
	}()
	p.hashing <- next
}

func (p *pipeline) hash(s *stored) {
	defer close(p.storing)
	for next := range p.hashing {
		s.add(next)
		p.storing <- next
	}
}

// store stores what is hashed and encoded. After an error it only frees it.
func (p *pipeline) store(s *stored) {
	defer close(p.stored)
	for next := range p.storing {
		<-next.done
		s.store(next)
		next.free()
		<-p.slots
	}
}

// wait returns when all pieces are stored. Nothing is sent afterwards.
func (p *pipeline) wait() {
	close(p.hashing)
	<-p.stored
}
