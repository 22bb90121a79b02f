package check

import (
	"context"
	"io"
	"slices"
	"sync"

	"locus/url"
)

// Check checks one link, with its fragment, and returns the result. It makes only the requests that the Policy needs
// for this link, and crawls no page. The error is the error of ctx, or of an invalid Policy. A link that cannot be
// opened is a Result, not an error.
//
//	c := &check.Checker{Engine: &locus.Client{Dial: dial, NoRedirects: true}}
//	result, err := c.Check(ctx, u)
//	if err == nil && result.Status == check.Dead {
//		…
//	}
//
// To check many links use Run, which asks for each URL once and limits the requests to each server. Several
// goroutines may call Check at once.
func (c *Checker) Check(ctx context.Context, u url.URL) (Result, error) {
	l := Link{URL: normalize(u).String()}
	q := &oneJob{job: jobOf(l)}
	one := *c
	one.Jobs = 1
	if err := one.Run(ctx, q); err != nil {
		return Result{}, err
	}
	_, fragment := cutFragment(l.URL)
	r := q.result
	slices.Sort(r.Anchors)
	r = r.At(fragment)
	r.Anchors = nil
	return r, nil
}

// A oneJob is a Feed of one job. It keeps the result of that job.
type oneJob struct {
	job Job

	mu      sync.Mutex
	isTaken bool
	result  Result
}

// Next returns the job, and io.EOF at every later call.
func (q *oneJob) Next(context.Context) (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.isTaken {
		return Job{}, io.EOF
	}
	q.isTaken = true
	return q.job, nil
}

// Done keeps the result.
func (q *oneJob) Done(_ context.Context, _ Job, r Result, _ Found) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.result = r
	return nil
}

// Begin returns true, because no other process has the job.
func (q *oneJob) Begin(context.Context, Job) bool { return true }
