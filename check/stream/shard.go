package stream

import (
	"context"
	"io"
	"sync"
	"time"

	"locus/check"
	"locus/check/internal/run"
)

// A shard is a shard whose lease this worker holds, or did when its pending jobs began.
//
//	reading ──ready──▶ open ──leave──▶ leaving ──lose──▶ lost ──▶ closed
//
// It is read by a follower, gives jobs while it is open, and takes results as long as it has
// pending jobs. The lease may end in every state: then the shard is lost at once. It is closed
// when no job is pending any more.
type shard struct {
	number  int
	content *run.Shard
	life    *life         // has the goroutine that closes content
	forget  func(*shard)  // is called when the shard is lost
	news    chan struct{} // has a value if there may be new jobs
	start   func()        // begins to read the log
	stop    context.CancelFunc
	stopped chan struct{} // closed when the follower has ended

	pos     uint64   // the jobs are read up to there; for the follower alone
	holders []holder // all so far; for the follower, and then for the takeover

	mu       sync.Mutex // guards the rest
	state    state
	revision uint64    // of the lease
	expires  time.Time // unless it is renewed
	messages uint64    // with jobs that were read
	pending  int       // jobs that run, or whose results the log does not have yet
}

// A state is a state of a shard.
type state int

const (
	reading state = iota // the log is read up to the mark of this worker: no job begins yet
	open                 // jobs begin
	leaving              // no job begins any more, so that the lease can be given up
	lost                 // another worker may have the lease; pending jobs end
	closed               // the content is closed, or will be
)

// ready opens the shard once the log was read up to the mark.
func (s *shard) ready() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == reading {
		s.state = open
	}
}

// renewed records that the lease was renewed.
func (s *shard) renewed(revision uint64, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision, s.expires = revision, expires
}

// leave lets no job begin any more.
func (s *shard) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state < leaving {
		s.state = leaving
	}
}

// giveUp loses a shard that is leaving and has no pending jobs. It returns the revision of the
// lease, which can be released.
func (s *shard) giveUp() (revision uint64, ok bool) {
	s.mu.Lock()
	ok = s.state == leaving && s.pending == 0
	revision = s.revision
	s.mu.Unlock()
	if ok {
		s.lose() // no job can have begun meanwhile
	}
	return revision, ok
}

// lose records that the lease was lost or released.
func (s *shard) lose() {
	s.mu.Lock()
	isNew := s.state < lost
	if isNew {
		s.state = lost
		s.closeIfIdle()
	}
	s.mu.Unlock()
	if isNew {
		s.stop()
		s.forget(s)
	}
}

// closeIfIdle closes the content of a lost shard without pending jobs. mu is held.
func (s *shard) closeIfIdle() {
	if s.state != lost || s.pending > 0 {
		return
	}
	s.state = closed
	s.life.all.Go(func() {
		<-s.stopped
		if err := s.content.Close(); err != nil {
			s.life.stop(err)
		}
	})
}

// take returns an open job of a phase or an earlier one; io.EOF if there is none now.
func (s *shard) take(phase run.Phase) (check.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return check.Job{}, io.EOF
	}
	return s.content.Take(phase)
}

// begin reports whether an attempt at a job may begin. At the first one it counts the job as
// pending. A lease that was not renewed in time is lost.
func (s *shard) begin(isFirst bool) bool {
	s.mu.Lock()
	isLate := s.state < lost && !time.Now().Before(s.expires)
	mayBegin := s.state == open && !isLate
	if mayBegin && isFirst {
		s.pending++
	}
	s.mu.Unlock()
	if isLate {
		s.lose()
	}
	return mayBegin
}

// end records that a pending job has ended: the log has its result, or never will.
func (s *shard) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.closeIfIdle()
}

// release lets take return a job again that did not begin.
func (s *shard) release(j check.Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state >= lost {
		return nil
	}
	return s.content.Release(j)
}

// haveRead counts messages with jobs that were read.
func (s *shard) haveRead(messages int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages += uint64(messages)
}

// status returns what can be said of the shard. isRead means that the jobs and results of all
// earlier holders were read, so that others should know it.
func (s *shard) status() (now status, isRead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == closed {
		return status{s.messages, 0}, false
	}
	messages := s.messages // before the phase: more jobs make that earlier
	return status{messages, s.content.Phase()}, s.state == open || s.state == leaving
}

// lease returns the revision of the lease, and whether the shard is leaving.
func (s *shard) lease() (revision uint64, isLeaving bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision, s.state == leaving
}
