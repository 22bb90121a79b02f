package check

import (
	"hash/fnv"
	"io"
	"strings"

	"locus/url"
)

// share says which part of the jobs a Spool hands out. The zero share is all.
type share struct {
	parts int    // 0 for one process's own
	mine  []bool // by parts
	more  bool   // more jobs may come that are nobody's finding
}

func (s *share) own(part int) bool { return s.parts == 0 || s.mine[part] }

// Share divides the jobs by their hosts into parts, from 1 to 256, for several
// processes that each have a Spool of all jobs. Next then hands out those of the
// parts that Own names, and none before Seeded. It is called first.
func (s *Spool) Share(parts int) {
	s.share = share{parts: parts, mine: make([]bool, parts), more: true}
}

// Part returns which part a URL belongs to: that of its host.
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

// Own says which parts are this process's from now on. What was done of new ones
// has to be known by then.
func (s *Spool) Own(mine func(part int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range s.share.mine {
		now := mine(part)
		if now && !s.share.mine[part] {
			s.walks.at, s.others.at = 0, 0 // to see what others have left undone
		}
		s.share.mine[part] = now
	}
	s.change.Broadcast()
}

// Seeded tells that all jobs were taken that follow from no other: what is handed
// out before could be deeper than one of those that are to come.
func (s *Spool) Seeded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.share.more = false
	s.change.Broadcast()
}

// GiveBack lets a job that Next has returned be handed out again, if its part
// ever is this process's anew.
func (s *Spool) GiveBack(j Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _, ok, err := s.texts.find(entry(j.URL, j.Bad))
	if ok {
		delete(s.taken, at)
	}
	return err
}

// IsDone reports whether a job is done, by whomever.
func (s *Spool) IsDone(j Job) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, state, _, err := s.texts.find(entry(j.URL, j.Bad))
	if j.Walk {
		return state&isWalked != 0, err
	}
	return state&(isLooked|isWalked) != 0, err
}

// Unseen returns those of jobs that were not taken before.
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

// A Lender is a Queue whose jobs may become another process's before they are
// begun.
type Lender interface {
	// Begin reports whether a job that Next returned is still the caller's. It is
	// called before each try. If it is not, it needs no Done.
	Begin(j Job) bool
}

// spool returns s. A Queue that has a Spool within has its report from there.
func (s *Spool) spool() *Spool { return s }
