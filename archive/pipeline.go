package archive

import "runtime"

// A pipeline hashes, compresses and stores the pieces of a large block while later pieces
// arrive:
//
//	        ┌── encode, several at once ──┐
//	send ───┤                             ├── store, in order
//	        └── hash, in order ───────────┘
//
// The pipelines of a Writer share its slots. A piece has a slot from send until it is
// stored. A piece waits only for the pieces before it, so the first piece of a block always
// makes progress, and pipelines do not wait for each other forever.
type pipeline struct {
	slots   chan struct{}
	format  format
	hashing chan *piece
	storing chan *piece
	stored  chan struct{} // closed when all pieces are stored
}

// newSlots returns the slots that the pipelines of a Writer share. Their number bounds the memory
// of the Writer.
func newSlots() chan struct{} {
	const most = 18 // enough to compress faster than a network delivers
	return make(chan struct{}, min(2*runtime.GOMAXPROCS(0)+2, most))
}

// newPipeline returns a pipeline that stores pieces in s, and starts its goroutines. The caller
// calls wait, which ends them.
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

// send waits until a slot is free, and adds the next piece of the block, which a new goroutine
// encodes. The pipeline then owns the piece.
func (p *pipeline) send(next *piece) {
	p.slots <- struct{}{}
	next.done = make(chan struct{})
	go func() {
		defer close(next.done)
		next.encode(p.format)
	}()
	p.hashing <- next
}

// hash adds the pieces to the checksums of s, in order, and passes them to store. It returns when
// hashing is closed.
func (p *pipeline) hash(s *stored) {
	defer close(p.storing)
	for next := range p.hashing {
		s.add(next)
		p.storing <- next
	}
}

// store stores each piece in s, in order, once it is encoded. Then it frees the piece and its slot.
// It returns when storing is closed.
func (p *pipeline) store(s *stored) {
	defer close(p.stored)
	for next := range p.storing {
		<-next.done
		s.store(next)
		next.free()
		<-p.slots
	}
}

// wait returns when all pieces are stored. It ends the goroutines, so send must not be called
// afterwards.
func (p *pipeline) wait() {
	close(p.hashing)
	<-p.stored
}
