package check

import (
	"bytes"
	"context"
	"hash/fnv"
	"io"
	"strings"

	"locus/url"
)

// A Sharing says how processes share a run. Each has a Spool with all jobs.
type Sharing struct {
	// Parts is how many parts the jobs are divided into by their hosts, from 1 to
	// 256. Next returns only jobs of the parts that are owned (see Own), and none
	// before Seeded.
	Parts int

	// Publish gives records to the other processes, which call Apply. Seed and Done
	// add only what was published to the Spool.
	Publish func(ctx context.Context, records [][]byte) error

	// Helper means that another process makes the report. The Spool does not store
	// links and results.
	Helper bool
}

// A share is the part of the jobs that a Spool hands out. The zero share is all.
type share struct {
	Sharing
	owned   []bool // by part
	seeding bool   // Seeded was not called yet
}

func (s *share) owns(part int) bool { return s.Parts == 0 || s.owned[part] }

// Share makes s one of several queues of a run. It must be called first.
func (s *Spool) Share(o Sharing) {
	s.share = share{Sharing: o, owned: make([]bool, o.Parts), seeding: true}
}

// Apply adds records that another process has published, one after the other.
func (s *Spool) Apply(published []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	for at, body := range records(bytes.NewReader(published), 0) {
		e, err := body.parse(s.stores(doneKind))
		if err != nil {
			return err
		}
		if err := s.store(&e, published[at:][:headSize+len(body.data)]); err != nil {
			return err
		}
	}
	return nil
}

// Part returns the part of a URL. It depends on the host.
func (s *Spool) Part(u string) int {
	if s.share.Parts <= 1 {
		return 0
	}
	host := u
	if parsed, err := url.Parse(u); err == nil {
		if name, ok := parsed.Host(); ok {
			host = name
		}
	}
	h := fnv.New32a()
	_, _ = io.WriteString(h, strings.ToLower(host))
	return int(h.Sum32() % uint32(s.share.Parts))
}

// Own sets which parts this process owns. What other processes have done of them must
// be in the Spool before.
func (s *Spool) Own(owns func(part int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range s.share.owned {
		now := owns(part)
		if now && !s.share.owned[part] {
			s.crawls.pos, s.others.pos = 0, 0 // to find what the last owner has not done
		}
		s.share.owned[part] = now
	}
	s.changed.Broadcast()
}

// Seeded says that Seed has added all its jobs. A job that was returned before could
// have a greater Depth than one that follows.
func (s *Spool) Seeded(ctx context.Context) error {
	if s.share.Parts == 0 {
		return nil
	}
	return s.add(ctx, []entry{{kind: seededKind}})
}

// Unclaim lets Next return a job again, should this process own its part again.
func (s *Spool) Unclaim(j Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unclaim(j)
}

func (s *Spool) unclaim(j Job) error {
	at, _, ok, err := s.texts.find(textOf(j.URL, j.Bad))
	if ok {
		delete(s.claimed, at)
	}
	return err
}

// IsDone reports whether any process has done a job.
func (s *Spool) IsDone(j Job) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isDone(j)
}

func (s *Spool) isDone(j Job) (bool, error) {
	_, state, _, err := s.texts.find(textOf(j.URL, j.Bad))
	if j.Crawl {
		return state&isCrawled != 0, err
	}
	return state&(isChecked|isCrawled) != 0, err
}

// unseen returns those of jobs that were not added before. If jobs are not in the log it
// returns all, which makes no difference.
func (s *Spool) unseen(jobs []Job) ([]Job, error) {
	if !s.isKept && s.share.Publish == nil {
		return jobs, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Job
	for _, j := range jobs {
		_, state, _, err := s.texts.find(textOf(j.URL, j.Bad))
		if err != nil {
			return nil, err
		}
		if state|stateOf(j) != state {
			all = append(all, j)
		}
	}
	return all, nil
}
