package run

import (
	"errors"
	"io"
	"math"

	"locus/check"
	"locus/retry"
)

// pendingJobs are the jobs of a queue, and how many of them are not done.
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

// next returns a job without waiting. The error is io.EOF if no job can be returned now.
func (q *Queue) next() (check.Job, error) {
	q.setLevel(q.open.level())
	j, err := q.nextOf(&q.crawls)
	if !errors.Is(err, io.EOF) || q.open.crawls > 0 {
		return j, err
	}
	return q.nextOf(&q.others)
}

// setLevel sets the depth of the crawls that are returned now.
func (q *Queue) setLevel(level int) {
	if level == q.level {
		return
	}
	q.level = level
	q.crawls.pos = min(q.crawls.pos, q.deeper)
	q.deeper = noJob
}

// nextOf returns the next job of crawls or others. It skips jobs that are done, that are claimed, or that are deeper
// than level.
func (q *Queue) nextOf(jobs *jobLog) (check.Job, error) {
	isCrawls := jobs == &q.crawls
	for {
		pos := jobs.pos
		at, err := jobs.next()
		if err != nil {
			return check.Job{}, err
		}
		if c, claimed := q.claimed[at]; claimed {
			if isCrawls {
				c.crawl = min(c.crawl, pos)
			} else {
				c.others = min(c.others, pos)
			}
			q.claimed[at] = c
			continue
		}
		text, state, err := q.texts.Text(at)
		depth := int(state >> depthBit)
		switch {
		case err != nil:
			return check.Job{}, retry.UnexpectedEOF(err)
		case isCrawls && !isOpenCrawl(state), !isCrawls && !isOpenCheck(state):
			continue
		case isCrawls && depth > q.level:
			q.deeper = min(q.deeper, pos)
			continue
		}
		q.claimed[at] = claim{isCrawl: isCrawls, pos: pos, crawl: noJob, others: noJob}
		u, bad := parseText(text)
		return check.Job{URL: u, Bad: bad, Crawl: isCrawls, Anchors: !isCrawls && state&needsAnchors != 0, Depth: depth}, nil
	}
}

// release ends the claim of a job, if it is claimed.
func (q *Queue) release(j check.Job) error {
	at, _, ok, err := q.texts.Find(textOf(j.URL, j.Bad))
	if ok {
		q.unclaim(at)
	}
	return err
}

// unclaim ends the claim of a text. The jobs that waited for it are returned again.
func (q *Queue) unclaim(at int64) {
	c, ok := q.claimed[at]
	if !ok {
		return
	}
	delete(q.claimed, at)
	q.crawls.pos, q.others.pos = min(q.crawls.pos, c.crawl), min(q.others.pos, c.others)
}
