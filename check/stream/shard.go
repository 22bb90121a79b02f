package stream

import (
	"context"
	"io"
	"sync"
	"time"

	"locus/check"
	"locus/check/internal/run"
)

// A shard is a run.Shard and its lease. This worker holds the lease, or held it when the pending jobs began.
//
//	reading ──ready──▶ open ──leave──▶ leaving ──lose──▶ lost ──▶ closed
//	      ◀──regained──
//
// A follower reads the log into the content. Jobs begin only while the shard is open and its lease has not expired. The
// results of pending jobs are accepted in every state. A lease may expire because the servers do not answer. If this
// worker then acquires the lease again, the shard is regained: it opens again if the log has no mark of another worker
// since then. If another worker has the lease, the shard is lost, whatever its state is. A lost shard is closed when it
// has no pending jobs.
type shard struct {
	number     int
	content    *run.Shard
	background *background   // runs the goroutine that closes content
	forget     func(*shard)  // called when the shard is lost
	news       chan struct{} // gets a value when the log may contain new jobs
	start      func()        // starts the follower
	stop       context.CancelFunc
	stopped    chan struct{} // closed when the follower has ended

	pos     uint64   // the sequence number of the last message that was read; only the follower uses it
	holders []holder // all holders so far; the follower uses it, and then the takeover

	mu       sync.Mutex // guards the rest
	state    state
	revision uint64    // of the lease
	expires  time.Time // when the lease expires
	isNew    bool      // the lease was acquired again, and the follower has not looked for marks since then
	messages uint64    // how many messages with jobs were read
	pending  int       // jobs that run, or whose results the log does not contain yet
}

// A state is a state of a shard.
type state int

const (
	reading state = iota // the follower reads up to the mark of this worker; no job may begin yet
	open                 // jobs may begin
	leaving              // no job may begin, so that the lease can be released when the pending jobs are done
	lost                 // another worker may have the lease; pending jobs may still end
	closed               // content is closed, or a goroutine is about to close it
)

// ready opens a reading shard, whose log was read up to the last mark of this worker. It has no effect if the lease was
// lost, or was acquired again meanwhile, because the log must then be read again.
func (s *shard) ready() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == reading && !s.isNew {
		s.state = open
	}
}

// renewed records the new revision and expiry of the lease. wasLate is true if the lease was renewed after its expiry,
// so that jobs that could not begin may begin now.
func (s *shard) renewed(revision uint64, expires time.Time) (wasLate bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wasLate = s.isLate()
	s.revision, s.expires = revision, expires
	return wasLate
}

// regained records that the lease had expired and was acquired again. It wakes the follower, which must confirm that
// other workers did not have the lease meanwhile. Until then jobs do not begin.
func (s *shard) regained(revision uint64, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision, s.expires, s.isNew = revision, expires, true
	if s.state == open {
		s.state = reading
	}
	signal(s.news)
}

// beginConfirming reports whether the lease was acquired again since the last call, so that the follower must look for
// marks of other workers.
func (s *shard) beginConfirming() (isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isNew, s.isNew = s.isNew, false
	return isNew
}

// isLate reports whether the lease has expired, because it was not renewed in time. The caller holds mu.
func (s *shard) isLate() bool { return !time.Now().Before(s.expires) }

// leave makes the shard leaving, so that no further job begins. It has no effect on a lost shard.
func (s *shard) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state < leaving {
		s.state = leaving
	}
}

// giveUp loses a shard that is leaving and has no pending jobs, and returns the revision of its lease, which the caller
// releases. ok is false for any other shard, which giveUp does not change.
func (s *shard) giveUp() (revision uint64, ok bool) {
	s.mu.Lock()
	ok = s.state == leaving && s.pending == 0
	revision = s.revision
	s.mu.Unlock()
	if ok {
		s.lose() // no job has begun meanwhile, because the shard is leaving
	}
	return revision, ok
}

// lose makes the shard lost, because its lease was lost or released. It stops the follower, and removes the shard from
// held. The content is closed when no job is pending. A second call has no effect.
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

// closeIfIdle begins to close the content if the shard is lost and has no pending jobs. The caller holds mu.
func (s *shard) closeIfIdle() {
	if s.state != lost || s.pending > 0 {
		return
	}
	s.state = closed
	s.background.all.Go(func() {
		<-s.stopped
		if err := s.content.Close(); err != nil {
			s.background.stop(err)
		}
	})
}

// take returns an open job of phase or an earlier phase. The error is io.EOF if the shard is not open or has no such
// job.
func (s *shard) take(phase run.Phase) (check.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || s.isLate() {
		return check.Job{}, io.EOF
	}
	return s.content.Take(phase)
}

// begin reports whether an attempt at a job may begin: the shard is open and its lease has not expired. isFirst says
// that the job is not pending yet; begin then makes it pending.
func (s *shard) begin(isFirst bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	mayBegin := s.state == open && !s.isLate()
	if mayBegin && isFirst {
		s.pending++
	}
	return mayBegin
}

// end records that a pending job of the shard has ended: the log contains its result, or will never contain it.
func (s *shard) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.closeIfIdle()
}

// release gives back a job that did not begin, so that take returns it again. It ignores a lost shard.
func (s *shard) release(j check.Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state >= lost {
		return nil
	}
	return s.content.Release(j)
}

// haveRead adds to the number of messages with jobs that the follower has read.
func (s *shard) haveRead(messages int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages += uint64(messages)
}

// status returns a statement about the shard for phases. isRead is true if the jobs and results of all earlier holders
// were read; only then is the statement useful for other workers.
func (s *shard) status() (now status, isRead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == closed {
		return status{s.messages, 0}, false
	}
	messages := s.messages // before the phase, because jobs that are read meanwhile may make the phase earlier
	return status{messages, s.content.Phase()}, s.state == open || s.state == leaving
}

// lease returns the revision of the lease, and whether the shard is leaving.
func (s *shard) lease() (revision uint64, isLeaving bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision, s.state == leaving
}
