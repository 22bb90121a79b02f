package check

import (
	"hash/fnv"
	"io"
	"strings"

	"locus/url"
)

// A share is the part of the jobs that a Spool hands out. The zero share is all.
type share struct {
	parts   int    // 0: the queue is not shared
	owned   []bool // by part
	seeding bool   // Seeded was not called yet
}

func (s *share) owns(part int) bool { return s.parts == 0 || s.owned[part] }

// Share divides the jobs by their hosts into parts, from 1 to 256. Several processes
// share the parts, and each has a Spool with all jobs. Next returns only jobs of the
// parts that are owned (see Own), and none before Seeded. Call Share first.
func (s *Spool) Share(parts int) {
	s.share = share{parts: parts, owned: make([]bool, parts), seeding: true}
}

// Part returns the part of a URL. It depends on the host.
func (s *Spool) Part(u string) int {
	if s.share.parts <= 1 {
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
	return int(h.Sum32() % uint32(s.share.parts))
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
func (s *Spool) Seeded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.share.seeding = false
	s.changed.Broadcast()
}

// Unclaim lets Next return a job again, should this process own its part again.
func (s *Spool) Unclaim(j Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _, ok, err := s.texts.find(entry(j.URL, j.Bad))
	if ok {
		delete(s.claimed, at)
	}
	return err
}

// IsDone reports whether any process has done a job.
func (s *Spool) IsDone(j Job) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, state, _, err := s.texts.find(entry(j.URL, j.Bad))
	if j.Crawl {
		return state&isCrawled != 0, err
	}
	return state&(isChecked|isCrawled) != 0, err
}

// Unseen returns those of jobs that were not added before.
func (s *Spool) Unseen(jobs []Job) ([]Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Job
	for _, j := range jobs {
		_, state, _, err := s.texts.find(entry(j.URL, j.Bad))
		if err != nil {
			return nil, err
		}
		if state|stateOf(j) != state {
			all = append(all, j)
		}
	}
	return all, nil
}
