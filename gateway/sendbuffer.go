package gateway

import "sync"

const (
	sendPiece = 16 << 10 // bytes that are sent at once
	maxUnsent = 1 << 20  // bytes that wait for one client
)

// A sendBuffer sends what is written to it, and keeps what the client has not read yet. So the
// writer ends before a slow client has read, and what the writer needed is free. Write waits
// while it keeps maxUnsent bytes.
//
// Call written when the writer has ended, and Close, also after an error.
type sendBuffer struct {
	share   *share // of the page
	to      *clientWriter
	sent    chan struct{} // closed when nothing more is sent
	mu      sync.Mutex
	changed sync.Cond
	pieces  [][]byte // the last may have room
	waiting int      // bytes in pieces, and in the one that is being sent
	isEnded bool     // nothing more is written
	flushes bool     // what was written is sent at once
	err     error    // of to
}

// Write keeps p. It fails if an earlier byte could not be sent.
func (s *sendBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		for s.err == nil && s.waiting >= maxUnsent {
			s.changed.Wait()
		}
		if s.err != nil {
			return len(p) - len(rest), s.err
		}
		last := len(s.pieces) - 1
		if last < 0 || len(s.pieces[last]) == cap(s.pieces[last]) {
			s.pieces = append(s.pieces, make([]byte, 0, min(sendPiece, max(len(rest), 1<<10))))
			last++
		}
		at := s.pieces[last]
		n := copy(at[len(at):cap(at)], rest)
		s.pieces[last] = at[:len(at)+n]
		s.waiting += n
		rest = rest[n:]
		s.changed.Broadcast()
	}
	return len(p), nil
}

// Flush lets everything that was written be sent now: the server sends small pieces only when
// there are more. It does not wait.
func (s *sendBuffer) Flush() {
	s.mu.Lock()
	s.flushes = true
	s.changed.Broadcast()
	s.mu.Unlock()
}

// written gives back the memory of the page, except what waits for the client.
func (s *sendBuffer) written() {
	s.mu.Lock()
	waiting := s.waiting
	s.mu.Unlock()
	s.share.shrink(waiting)
}

// Close waits until everything is sent, and returns why not everything was.
func (s *sendBuffer) Close() error {
	s.mu.Lock()
	s.isEnded = true
	s.changed.Broadcast()
	s.mu.Unlock()
	<-s.sent
	s.share.release()
	return s.err
}

// send sends pieces until Close, or until the client has gone.
func (s *sendBuffer) send() {
	defer close(s.sent)
	for {
		piece, ok := s.next()
		if !ok {
			return
		}
		err := s.to.send(piece)
		s.mu.Lock()
		s.waiting -= len(piece)
		s.err = err
		s.changed.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// next waits for a piece, and takes it. The piece is nil if the pieces before must be
// flushed. ok is false if there are no more.
func (s *sendBuffer) next() (piece []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pieces) == 0 {
		if s.isEnded {
			return nil, false
		}
		if s.flushes {
			s.flushes = false
			return nil, true
		}
		s.changed.Wait()
	}
	piece = s.pieces[0]
	s.pieces[0] = nil
	s.pieces = s.pieces[1:]
	return piece, true
}
