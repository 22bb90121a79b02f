package stream

import (
	"cmp"
	"context"
	"sync"
	"time"

	"locus/check"
)

// seeds collects the records of documents until there are enough for a message. They may wait, because a process that
// is killed before Seeded reads its documents again.
type seeds struct {
	publish publisher
	isDone  bool // the log contains all documents
	slots   chan struct{}
	running sync.WaitGroup // counts the calls of start

	mu      sync.Mutex
	pending map[string][][]byte // the records that are not published yet, by the parts of their subjects
	sizes   map[string]int      // the bytes of pending, by the same parts
	timer   *time.Timer         // publishes the pending records; nil if none are pending
	linger  time.Duration
	err     error // the error of an earlier publish

	known map[check.Job]struct{} // some of the jobs that the log contains
}

const (
	// Records wait until there are enough for a message. The first records wait only for seedLinger, because all
	// workers wait for them. Later records wait for up to maxSeedLinger.
	seedLinger    = 50 * time.Millisecond
	maxSeedLinger = time.Second

	// seedPublishes is how many messages of documents are published at the same time.
	seedPublishes = 16

	// maxKnown is how many jobs are remembered. They are remembered because most pages of a site have the same links.
	maxKnown = 1 << 14
)

// init makes s empty. s adds records to the log by publish.
func (s *seeds) init(publish publisher) {
	s.publish, s.slots, s.linger = publish, make(chan struct{}, seedPublishes), seedLinger
	s.pending, s.sizes, s.known = make(map[string][][]byte), make(map[string]int), make(map[check.Job]struct{})
}

// jobsRecords converts records of jobs for a publisher. shards has them by the numbers of the shards; the result has
// them by the parts of the subjects.
func jobsRecords(shards map[int][][]byte) map[string][][]byte {
	all := make(map[string][][]byte, len(shards))
	for n, records := range shards {
		all[jobsSubject(n)] = records
	}
	return all
}

// add adds records to the pending ones, and publishes the subjects that have enough for a message. A timer publishes
// the others after a short time. add waits while too many messages are being published. The error may be the error of
// an earlier message.
func (s *seeds) add(ctx context.Context, records map[string][][]byte) error {
	s.mu.Lock()
	full := make(map[string][][]byte)
	for part, some := range records {
		s.pending[part] = append(s.pending[part], some...)
		if s.sizes[part] += sizeOf(some); s.sizes[part] >= messageSize/2 {
			full[part] = s.pending[part]
			delete(s.pending, part)
			delete(s.sizes, part)
		}
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(s.linger, func() { _ = s.flush(context.Background()) }) // s keeps the error
		s.linger = min(2*s.linger, maxSeedLinger)
	}
	err := s.err
	if len(full) > 0 {
		s.running.Add(1) // while mu is held, so before wait is called
	}
	s.mu.Unlock()
	if len(full) > 0 {
		err = cmp.Or(err, s.start(ctx, full))
	}
	return err
}

// flush begins to publish the pending records. It returns an error only if ctx is done; fail keeps the errors of
// publishing.
func (s *seeds) flush(ctx context.Context) error {
	s.mu.Lock()
	all := s.pending
	s.pending, s.sizes = make(map[string][][]byte), make(map[string]int)
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if len(all) > 0 {
		s.running.Add(1)
	}
	s.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	return s.start(ctx, all)
}

// start publishes records in a goroutine, for which it waits for a slot. s.err gets the error of publishing. start
// itself returns an error only if ctx is done before a slot is free. The caller has added 1 to running.
func (s *seeds) start(ctx context.Context, records map[string][][]byte) error {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		s.fail(context.Cause(ctx))
		s.running.Done()
		return context.Cause(ctx)
	}
	go func() {
		defer s.running.Done()
		defer func() { <-s.slots }()
		if err := s.publish(records); err != nil {
			s.fail(err)
		}
	}()
	return nil
}

// fail makes err the error of later calls of add and finish.
func (s *seeds) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// finish publishes the pending records. It returns when all records are published or ctx is done. The error may be the
// error of an earlier message.
func (s *seeds) finish(ctx context.Context) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	finished := make(chan struct{})
	go func() {
		s.wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// wait waits until all messages were published.
func (s *seeds) wait() { s.running.Wait() }

// unseen returns the jobs that see does not remember. The log may contain some of them, because see forgets.
func (s *seeds) unseen(jobs []check.Job) (all []check.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if _, ok := s.known[j]; !ok {
			all = append(all, j)
		}
	}
	return all
}

// see remembers that the log contains jobs. When it has maxKnown jobs, it forgets all earlier ones.
func (s *seeds) see(jobs []check.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) > maxKnown {
		clear(s.known)
	}
	for _, j := range jobs {
		s.known[j] = struct{}{}
	}
}
