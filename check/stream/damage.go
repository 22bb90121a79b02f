package stream

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"locus/check/internal/run"
)

// A Damage is a message of the log that cannot be read. Workers skip it.
type Damage struct {
	Subject  string
	Sequence uint64
	Err      error // the reason
}

// String returns a sentence that names the message and says which URLs are lost or checked again.
func (d Damage) String() string {
	loss := "it is skipped"
	switch {
	case d.HasJobs():
		loss = "if it had URLs to check, they are not known"
	case strings.Contains(d.Subject, "."+doneSubject("")):
		loss = "the URLs whose results it had are checked again"
	}
	return fmt.Sprintf("message %d of %s is damaged: %s", d.Sequence, d.Subject, loss)
}

// HasJobs reports whether the message may have had jobs. The report of the run may lack them.
func (d Damage) HasJobs() bool { return strings.Contains(d.Subject, ".jobs.") }

// A skipper skips damaged messages. It reports each message once.
type skipper struct {
	log    *runLog
	report func(Damage) // may be nil

	mu      sync.Mutex
	skipped map[uint64]bool // by sequence
}

// skip returns nil if err is nil or says that the message m is damaged, and reports such a message once. It returns any
// other err unchanged, because an error of a file of this worker ends the run. part is the part of the message's
// subject.
func (s *skipper) skip(part string, m message, err error) error {
	if !errors.Is(err, errBatch) && !errors.Is(err, run.ErrRecord) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.skipped[m.sequence] {
		return nil
	}
	if s.skipped == nil {
		s.skipped = make(map[uint64]bool)
	}
	s.skipped[m.sequence] = true
	if s.report != nil {
		s.report(Damage{s.log.subject + part, m.sequence, err})
	}
	return nil
}
