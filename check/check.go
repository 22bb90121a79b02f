// Package check finds dead links, in every scheme that an Engine opens.
//
// [Checker.Check] checks one link. For many, [Checker.Run] takes jobs from a [Queue], and puts the
// results into it. It checks each URL once, whatever the number of links to it. It limits the
// requests to each server, and retries after transient failures. [Queue.Report] then joins the
// results with the places of the links.
//
//	q := report.NewQueue(nil)
//	err := check.Seed(ctx, q, check.Source{Document: "README.md", Links: links})
//	…
//	err = (&check.Checker{Engine: client}).Run(ctx, q)
//	r, err := q.Report(ctx, check.ReportOptions{})
//
// Package report has the queue of one process, and the formats of reports. Package stream
// has a queue in NATS JetStream: any number of processes share the work, and nothing is lost
// when one is killed. Package site opens a site from a folder.
//
// # How the files work together
//
// A run (check.go) feeds jobs into a schedule (schedule.go), which gives turns to servers and to
// parts of large ones (split.go), by the Policy for each host (hosts.go, scope.go). A worker
// makes one visit for each attempt (visit.go), which sends the requests and judges their outcome.
// It reads pages (page.go, robots.go, mailto.go), asks whether a good page is what the link wants
// (suspect.go), and gives up servers that are silent (silent.go). class.go sorts errors.
//
// Links come from documents: links.go makes a [Link] of what package document finds,
// reference.go resolves references of files, pages.go reads a whole page with its anchors
// (anchors.go, directive.go, seen.go), and linkcache.go keeps what pages of a site have in common.
// queue.go has the jobs and the interfaces, result.go and report.go have the data.
//
// The scheme decides how a URL is checked:
//
//   - http, https: HEAD and, if the server refuses that, GET; only GET if the links or
//     the fragments of the page are needed.
//   - ftp, nntp, news, prospero, nfs, wais, z39.50, file, mid, cid: the attributes are requested
//     (MLST, STAT …); a resource without attributes is opened.
//   - gopher: opened. A menu that has only errors is dead.
//   - mailto: the addresses are parsed and their domains looked up.
//   - telnet, rlogin, tn3270: connected to.
//   - every other scheme: unchecked, which is not the same as good.
//
// Notable divergences:
//   - RFC 9309 §2.3.1.4: if a server's robots.txt cannot be fetched, only the page
//     that the caller named is crawled; see [Report.NotCrawled].
//   - A fragment ":~:text=…" (URL Fragment Text Directives) may match parts of words.
//   - RFC 5321 §5.1: the mail exchanger or the address of a domain is looked up; no
//     mail server is contacted.
package check

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/check/site"
	"locus/limit"
	"locus/url"
)

// A Policy says which URLs are checked, and how often and for how long. It is written
// as JSON to share it between processes.
type Policy struct {
	// What is crawled.

	// Recursive crawls all pages within Scope, not only those that were named.
	Recursive bool `json:"recursive,omitempty"`

	// Scope are prefixes of URLs. A page is within it if its URL has one of them.
	Scope []string `json:"scope,omitempty"`

	// Depth is how many links away from the first pages is crawled; 0: the default, no limit,
	// negative: no limit.
	Depth int `json:"depth,omitempty"`

	// IgnoreRobots crawls pages that robots.txt disallows.
	IgnoreRobots bool `json:"ignore_robots,omitempty"`

	// What is checked, and what is good.

	// Accept are HTTP status codes that are good, besides 200 to 299.
	Accept []int `json:"accept,omitempty"`

	// Probe reads pages of the web to find those that say that a page is missing. If
	// links are redirected, it asks their folder for a page that cannot exist.
	Probe bool `json:"probe,omitempty"`

	// Include and Exclude are regular expressions (package regexp). They match any
	// part of a URL without its fragment, or of a text that is no URL. A URL is
	// checked if one of Include matches, or Include is empty, and none of Exclude.
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`

	// How many at once.

	// Jobs is how many URLs are checked at once; 0: 64 at first, and up to 1000 while servers
	// take long to answer; negative: no limit but memory, which is 4096.
	Jobs int `json:"jobs,omitempty"`

	// PerServer is how many URLs of one server (see limit.Server) are checked at
	// once; 0: 8, negative: no limit.
	PerServer int `json:"per_host,omitempty"`

	// Rate is how many requests a second begin at one server, redirects and
	// retries included; 0: the default, no limit, negative: no limit.
	Rate float64 `json:"rate,omitempty"`

	// Split are hosts that several processes of a shared run check at once. Their URLs
	// are divided into up to 16 parts. Each has its share of PerServer and of Rate.
	Split []string `json:"split,omitempty"`

	// How long, how often and how much.

	// Timeout bounds each attempt; 0: 30 seconds, negative: no limit. Waiting for a turn at
	// another server, for Rate and for robots.txt does not count. It restarts the
	// timeout.
	Timeout time.Duration `json:"timeout,omitempty"`

	// Retries is how many retries follow a transient failure; 0: retry.DefaultRetries,
	// negative: none, as for a retry.Policy.
	Retries int `json:"tries,omitempty"`

	// Wait is the pause before the first retry; 0: retry.DefaultWait, negative: no pause.
	// Each further pause is twice as long, up to 30 times Wait and to a minute. If the server
	// asks for a longer pause, it gets up to a minute. If it asks for more, there is no retry.
	Wait time.Duration `json:"wait,omitempty"`

	// Hosts are rules for single hosts.
	Hosts []HostRule `json:"hosts,omitempty"`

	// What is read.

	// Read says which links of the crawled pages are read.
	Read LinkReader `json:"read,omitzero"`

	// SkipExamples leaves out URLs of hosts that exist for examples: example.com,
	// example.net, example.org, names below .example, .invalid and .test, and
	// localhost. Hosts of Scope and pages that the caller names are checked.
	SkipExamples bool `json:"skip_examples,omitempty"`

	// MaxBody is how many bytes of a page are read; 0: 16 MiB, negative: no limit. Later links
	// and fragments are ignored.
	MaxBody int64 `json:"max_body,omitempty"`
}

// A Checker checks URLs. Do not change a field while it runs.
type Checker struct {
	Policy

	// Engine opens URLs. A locus.Client needs Retries: -1 here, because Policy has the retries. It
	// must not follow redirects, so that they can be
	// reported (locus.Client.NoRedirects). nil refuses every request.
	Engine access.Engine

	// Schemes has the facts about the schemes that Engine adds to those of this module; nil:
	// it adds none.
	Schemes access.Schemes

	// Sites are the folders from which Engine opens the pages of sites. They resolve the
	// URLs to which these pages lead by themselves.
	Sites []*site.Site

	// Pages are files that need not be read again for their anchors; nil: none.
	Pages *Pages

	// Resolver looks up the domains of mail addresses; nil: only their syntax is
	// checked.
	Resolver Resolver

	// Known returns the result of an earlier run for a URL that need not be checked
	// again; nil: there are none.
	Known func(u string) (Result, bool)

	// Notify, if not nil, is called with every result, by several goroutines.
	Notify func(Result)
}

// A runner is one run of a Checker.
type runner struct {
	*Checker
	engine   access.Engine
	scope    scope
	queue    Feed
	feeding  chan struct{} // has room for the one goroutine that is in next
	schedule *schedule
	robots   robotsCache
	silences silences
	probes   prober
}

// Run checks the jobs of q until none is left, and puts the results into q. It
// returns the first error of q, or that of an invalid regular expression.
func (c *Checker) Run(ctx context.Context, q Feed) error {
	s, err := newScope(c.Policy)
	if err != nil {
		return err
	}
	r := &runner{Checker: c, scope: s, queue: q, feeding: make(chan struct{}, 1), schedule: newSchedule(s.limitOf), engine: engine.Recover{Engine: c.Engine}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, r.schedule.abort)()
	var workers sync.WaitGroup
	start := func() {
		workers.Go(func() {
			if err := r.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	for range c.firstJobs() {
		start()
	}
	fed, stop := context.WithCancel(ctx)
	if c.Jobs == 0 {
		workers.Go(func() { r.grow(fed, start) })
	}
	var feeders sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		feeders.Go(func() {
			if err := r.feed(ctx); err != nil {
				cancel(err)
			}
		})
	}
	feeders.Wait()
	stop()
	r.schedule.close()
	workers.Wait()
	return context.Cause(ctx)
}

// How many URLs are checked at once if Policy.Jobs is 0.
const (
	firstJobs = 64
	maxJobs   = 1000
	growEvery = 250 * time.Millisecond

	// slowCheck is how long a URL takes if more of them at once are worth their
	// memory. A URL of a server nearby takes less.
	slowCheck = 10 * time.Millisecond
)

// firstJobs returns how many URLs are checked at once at first.
func (p Policy) firstJobs() int {
	if p.Jobs < 0 {
		return maxOpen
	}
	return cmp.Or(p.Jobs, firstJobs)
}

// maxBody returns how many bytes of a page are read.
func (p Policy) maxBody() int64 {
	if p.MaxBody < 0 {
		return math.MaxInt64 - 1 // one more is read to tell that there is more
	}
	return cmp.Or(p.MaxBody, 16<<20)
}

// grow starts more workers while all are busy with servers that take long to answer. It
// does so again only if the last ones made the run faster: a busy processor is slow, too.
// It returns when ctx is done, or when there are enough.
func (r *runner) grow(ctx context.Context, start func()) {
	tick := time.NewTicker(growEvery)
	defer tick.Stop()
	for n, last, before := firstJobs, 0, 0; n < maxJobs; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		total, isBehind := r.schedule.progress()
		done := total - last
		last = total
		if !isBehind || done == 0 || 5*done < 6*before || growEvery*time.Duration(n) < slowCheck*time.Duration(done) {
			continue
		}
		before = done
		more := min(n, maxJobs-n)
		for range more {
			start()
		}
		n += more
	}
}

// maxOpen is how many jobs are taken from the queue and not done. A slow server does
// not hold up the others unless it has that many.
const maxOpen = 4096

// feed takes the jobs of the queue. Those that need no request are done at once.
func (r *runner) feed(ctx context.Context) error {
	for {
		job, result, isDone, err := r.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !isDone, !r.queue.Begin(ctx, job):
			continue
		}
		if err := r.done(ctx, job, result, Found{}); err != nil {
			return err
		}
	}
}

// next takes a job from the queue. It returns the result of a job that needs no request, and
// adds any other job to the schedule. One goroutine at a time does this, so the schedule has
// the order of the queue.
func (r *runner) next(ctx context.Context) (job Job, result Result, isDone bool, err error) {
	r.feeding <- struct{}{}
	defer func() { <-r.feeding }()
	if job, err = r.queue.Next(ctx); err != nil {
		return job, result, false, err
	}
	if result, isDone = r.decide(job); !isDone {
		r.schedule.add(newTask(job, r.scope.poolOf(job.URL)))
	}
	return job, result, isDone, nil
}

// done puts a result into the queue.
func (r *runner) done(ctx context.Context, j Job, result Result, found Found) error {
	if err := r.queue.Done(ctx, j, result, found); err != nil {
		return err
	}
	if r.Notify != nil {
		r.Notify(result)
	}
	return nil
}

// work checks scheduled tasks until there are none.
func (r *runner) work(ctx context.Context) error {
	for {
		t := r.schedule.take()
		if t == nil {
			return nil
		}
		if !r.queue.Begin(ctx, t.job) {
			r.schedule.leave(t)
			r.schedule.done()
			continue
		}
		result, links, wait := r.check(ctx, t)
		if ctx.Err() != nil {
			r.schedule.leave(t)
			r.schedule.done()
			return nil //nolint:nilerr // it was cancelled, and did not fail
		}
		if wait > 0 {
			r.schedule.retry(t, wait)
			continue
		}
		r.schedule.leave(t)
		err := r.done(ctx, t.job, result, links)
		r.schedule.done()
		if err != nil {
			return err
		}
	}
}

// serverOf returns the server of a URL; "" for a text that is no URL.
func serverOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return limit.Server(u)
}
