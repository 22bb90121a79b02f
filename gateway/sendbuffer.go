package gateway

import (
	"sync"

	"locus/internal/memory"
)

const (
	sendPiece = 16 << 10 // bytes of one piece
	maxUnsent = 1 << 20  // bytes that one client may leave unread
)

// A sendBuffer keeps the bytes that are written to it until the client has read them. So the maker
// of a page need not wait for a slow client, and its memory becomes free early. Write waits only
// while maxUnsent bytes are unsent.
//
//	Write ──▶ pieces ──▶ send (a goroutine) ──▶ reply
//
// Call written when the last byte was written, and then Close, also after an error.
type sendBuffer struct {
	share   *memory.Share // the memory of the page
	to      *reply
	sent    chan struct{} // closed when send has ended
	mu      sync.Mutex
	changed sync.Cond
	pieces  [][]byte // the last piece may have room
	waiting int      // bytes in pieces and in the piece that is being sent
	isEnded bool     // Close was called
	flushes bool     // Flush was called, and send has not flushed since then
	err     error    // the error of to
}

// Write copies p into pieces. It waits while maxUnsent bytes are unsent, and fails if earlier
// bytes could not be sent.
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

// Flush makes send flush the http.Server after the pieces, because the server would keep a small
// piece until more bytes come. It does not wait.
func (s *sendBuffer) Flush() {
	s.mu.Lock()
	s.flushes = true
	s.changed.Broadcast()
	s.mu.Unlock()
}

// written gives back the memory of the page, except the memory of unsent bytes. The caller does
// not write any more.
func (s *sendBuffer) written() {
	s.mu.Lock()
	waiting := s.waiting
	s.mu.Unlock()
	s.share.Shrink(waiting)
}

// Close waits until all bytes are sent, and gives back all memory of the page. It returns an error
// if some bytes could not be sent. A second Close returns the same.
func (s *sendBuffer) Close() error {
	s.mu.Lock()
	s.isEnded = true
	s.changed.Broadcast()
	s.mu.Unlock()
	<-s.sent
	s.share.Release()
	return s.err
}

// send sends the pieces to the reply. It ends after Close, when all pieces are sent, or when the
// client has gone.
func (s *sendBuffer) send() {
	defer close(s.sent)
	for {
		piece, ok := s.next()
		if !ok {
			return
		}
		var err error
		if piece == nil {
			err = s.to.FlushError()
		} else {
			_, err = s.to.Write(piece)
		}
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

// next waits for a piece and takes it. A nil piece means that send must flush. ok is false after
// the last piece.
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
