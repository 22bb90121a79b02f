package stream

import (
	"bytes"
	"maps"
	"sync"

	"locus/check/internal/run"
	"locus/internal/record"
)

// phases keeps the phase of the run, and the statements about its shards. The comment of the package explains how the
// end of a run is found.
type phases struct {
	shards      int    // the number of shards of the run
	isRecursive bool   // the run has phases of crawls
	subject     string // see runLog

	mu     sync.Mutex
	now    run.Phase         // the phase of the jobs that Next returns
	status map[int]status    // the best statement about each shard
	counts map[string]uint64 // the messages of each subject when the phase last changed
}

// newPhases returns the phases of a run without statements. subject is the beginning of the subjects of its log.
func newPhases(r Run, subject string) *phases {
	p := &phases{shards: r.Shards, isRecursive: r.Policy.Recursive, subject: subject, status: make(map[int]status)}
	if p.now = run.PhaseChecks; p.isRecursive {
		p.now = -1 // advance finds the first phase
	}
	return p
}

// A status is a statement about a shard: all jobs in its first messages that belong to an earlier phase are done. The
// statement stays true, because a job that is done never opens again.
type status struct {
	messages uint64
	phase    run.Phase
}

// current returns the phase of the jobs that Next returns.
func (p *phases) current() run.Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// count returns how many messages the subject of part had when the phase last changed.
func (p *phases) count(part string) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[p.subject+part]
}

// parts returns how many messages each subject had when the phase last changed, by the parts of the subjects.
func (p *phases) parts() map[string]uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make(map[string]uint64)
	for subject, n := range p.counts {
		all[subject[len(p.subject):]] = n
	}
	return all
}

// note adds a statement about shard n. It returns false, and has no effect, if the statement says no more than the
// known one.
func (p *phases) note(n int, s status) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.noteLocked(n, s)
}

// noteLocked adds a statement about shard n, and reports whether it says more than the known one. It has no effect
// otherwise. The caller holds mu.
func (p *phases) noteLocked(n int, s status) bool {
	known, ok := p.status[n]
	if n >= p.shards || ok && (s.messages < known.messages || s.messages == known.messages && s.phase <= known.phase) {
		return false
	}
	p.status[n] = s
	return true
}

// noteOwn notes the statements about this worker's shards. It returns the statements that other workers need, by the
// numbers of the shards: the new statements that a shard has finished the present phase. If all is set, it also returns
// old statements, for workers that do not know them.
func (p *phases) noteOwn(shards []*shard, all bool) map[int]status {
	own := make(map[int]status)
	for _, s := range shards {
		now, isRead := s.status()
		p.mu.Lock()
		if isNew := p.noteLocked(s.number, now); isRead && (isNew && now.phase > p.now || all && now.phase >= p.now) {
			own[s.number] = now
		}
		p.mu.Unlock()
	}
	return own
}

// mayAdvance reports whether the run is not done, and every known statement allows the next phase. Shards without a
// statement do not count.
func (p *phases) mayAdvance() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.status {
		if s.phase <= p.now {
			return false
		}
	}
	return p.now < run.PhaseEnd
}

// advance begins the next phase if all shards have finished the present one, and reports whether it did. counts has the
// numbers of messages of all subjects of the log at one moment; a new phase keeps a copy.
func (p *phases) advance(counts map[string]uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.nextLocked(counts)
	if next <= p.now {
		return false
	}
	p.now, p.counts = next, maps.Clone(counts)
	return true
}

// nextLocked returns the earliest phase of which any shard has an open job. It returns the present phase if documents
// are still added, if a shard has jobs that its statement does not count, or if the run is not recursive and has open
// jobs. counts has the number of messages of each subject. The caller holds mu.
func (p *phases) nextLocked(counts map[string]uint64) (next run.Phase) {
	if counts[p.subject+seededSubject] == 0 {
		return p.now
	}
	next = run.PhaseEnd
	for n := range p.shards {
		messages := counts[p.subject+jobsSubject(n)]
		if messages == 0 {
			continue // a shard without jobs
		}
		known := p.status[n]
		if known.messages != messages {
			return p.now
		}
		next = min(next, known.phase)
	}
	if !p.isRecursive && next < run.PhaseEnd {
		return p.now
	}
	return next
}

// statusText formats statements, by the numbers of their shards, as a message for parseStatus.
func statusText(all map[int]status) []byte {
	var w record.Writer
	for n, s := range all {
		w.Number(n)
		w.Uint(s.messages)
		w.Number(int(s.phase))
	}
	return w.Data
}

// parseStatus parses a message of statusText. It returns nil if the message is invalid.
func parseStatus(text []byte) map[int]status {
	all := make(map[int]status)
	from := bytes.NewReader(text)
	r := record.Reader{From: from}
	for from.Len() > 0 {
		n, s := r.Number(), status{r.Uint(), run.Phase(r.Number())}
		if r.Err() != nil {
			return nil
		}
		all[n] = s
	}
	return all
}

// newsText formats the numbers of shards with new jobs as a message for parseStatus, with zero statements.
func newsText(shards []int) []byte {
	all := make(map[int]status)
	for _, n := range shards {
		all[n] = status{}
	}
	return statusText(all)
}
