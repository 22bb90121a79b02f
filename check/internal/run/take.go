package run

import (
	"math"

	"locus/check"
	"locus/retry"
)

// pendingJobs are the jobs of a store, and how many of them are not done.
type pendingJobs struct {
	crawls  jobLog // jobs that crawl
	others  jobLog
	open    openJobs
	level   int             // the depth of the crawls that are returned now
	deeper  int64           // the position of the first job in crawls that was skipped because of its depth
	claimed map[int64]claim // the jobs that were returned and are not done, by the offsets of their texts
}

// A claim says that the job at pos was returned and is not done. Other jobs for the same text wait until it is done.
type claim struct {
	isCrawl       bool
	pos           int64 // in crawls or others
	crawl, others int64 // the positions of the first jobs that wait, or noJob
}

const noJob = math.MaxInt64

// setLevel sets the depth of the crawls that nextOf returns. Deeper crawls wait. Crawls that were skipped at an earlier
// level are returned now.
func (s *store) setLevel(level int) {
	if level == s.level {
		return
	}
	s.level = level
	s.crawls.pos = min(s.crawls.pos, s.deeper)
	s.deeper = noJob
}

// nextOf returns the next open job of jobs, which is &s.crawls or &s.others, and claims it. It skips jobs that are
// done, that are claimed, or that are deeper than level. The error is io.EOF if no job can be returned now.
func (s *store) nextOf(jobs *jobLog) (check.Job, error) {
	isCrawls := jobs == &s.crawls
	for {
		pos := jobs.pos
		at, err := jobs.next()
		if err != nil {
			return check.Job{}, err
		}
		if c, claimed := s.claimed[at]; claimed {
			if isCrawls {
				c.crawl = min(c.crawl, pos)
			} else {
				c.others = min(c.others, pos)
			}
			s.claimed[at] = c
			continue
		}
		text, state, err := s.texts.Text(at)
		depth := int(state >> depthBit)
		switch {
		case err != nil:
			return check.Job{}, retry.UnexpectedEOF(err)
		case isCrawls && !isOpenCrawl(state), !isCrawls && !isOpenCheck(state):
			continue
		case isCrawls && depth > s.level:
			s.deeper = min(s.deeper, pos)
			continue
		}
		s.claimed[at] = claim{isCrawl: isCrawls, pos: pos, crawl: noJob, others: noJob}
		u, bad := parseText(text)
		return check.Job{URL: u, Bad: bad, Crawl: isCrawls, Anchors: !isCrawls && state&needsAnchors != 0, Depth: depth}, nil
	}
}

// jobsOf returns the log of the jobs that crawl if isCrawl is set, and otherwise the log of the other jobs.
func (s *store) jobsOf(isCrawl bool) *jobLog {
	if isCrawl {
		return &s.crawls
	}
	return &s.others
}

// release ends the claim of the job's URL, if it is claimed.
func (s *store) release(j check.Job) error {
	at, _, ok, err := s.texts.Find(textOf(j.URL, j.Bad))
	if ok {
		s.unclaim(at)
	}
	return err
}

// unclaim ends the claim of the text at an offset, if it is claimed. The jobs that waited for it can then be returned.
func (s *store) unclaim(at int64) {
	c, ok := s.claimed[at]
	if !ok {
		return
	}
	delete(s.claimed, at)
	s.crawls.pos, s.others.pos = min(s.crawls.pos, c.crawl), min(s.others.pos, c.others)
}
