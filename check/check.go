// Package check finds dead links, in every scheme that an Engine opens.
//
// [Checker.Check] checks one link. To check many links, [Checker.Run] takes jobs from a [Queue], and puts the results
// into it. It checks each URL once, whatever the number of links to it, limits the requests to each server, and
// retries after transient failures. [Queue.Report] then joins the results with the places of the links.
//
//	q := report.NewQueue(nil)
//	err := check.Seed(ctx, q, check.Source{Document: "README.md", Links: links})
//	…
//	err = (&check.Checker{Engine: client}).Run(ctx, q)
//	r, err := q.Report(ctx, check.ReportOptions{})
//
// Package report has the queue for a single process, and the formats of reports. Package stream has a queue in NATS
// JetStream, with which any number of processes share the work, and results survive when a process is killed. Package
// site opens a site from a folder.
//
// # How the pieces work together
//
// A run has feeders, which take jobs from the Queue and push them into a schedule, and workers, each in a goroutine
// (check.go). The schedule gives turns to servers and to parts of large servers (schedule.go, split.go), by the Policy
// for each host (hosts.go, scope.go). A worker makes one visit for each attempt (visit.go), which sends the requests in
// its turns (clock.go) and judges their outcome. While a task waits for its turn, it has no goroutine, because a run
// may have far more tasks than workers. The visit reads pages (page.go, robots.go, mailto.go), asks whether a page that
// was found is the page that the link wants (suspect.go), and gives up servers that do not answer (silent.go). class.go
// classifies errors.
//
// Links come from documents. links.go makes a [Link] of each match of package document, reference.go resolves
// references in files, and pages.go reads a whole page with its anchors (anchors.go, directive.go, seen.go).
// linkcache.go keeps the links that the pages of a site have in common. queue.go has the jobs and the interfaces, and
// result.go and report.go have the data.
//
// # How a URL is checked
//
// The scheme decides how a URL is checked:
//
//   - http, https: HEAD and, if the server refuses that, GET; only GET if the links or
//     the fragments of the page are needed.
//   - gopher: opened. A menu that consists of errors is dead.
//   - mailto, mailserver: the addresses are parsed and their domains looked up.
//   - telnet, rlogin, tn3270: connected to.
//   - every other scheme that the Engine opens, such as ftp, nntp or gemini: the attributes are
//     requested (MLST, STAT …); a resource without attributes is opened.
//   - a scheme that the Engine does not open: unchecked, which is not the same as good.
//
// Notable divergences:
//   - RFC 9309 §2.3.1.4: if a server's robots.txt cannot be fetched, only the page
//     that the caller named is crawled; see [Report.NotCrawled].
//   - A fragment ":~:text=…" (URL Fragment Text Directives) may match parts of words.
//   - RFC 5321 §5.1: the package looks up the mail exchanger or the address of a domain, and does
//     not contact a mail server.
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
	"locus/internal/memory"
	"locus/internal/weburl"
	"locus/limit"
	"locus/url"
)

// A Policy says which URLs are checked, how often, and for how long. It can be written as JSON, so that processes can
// share it.
type Policy struct {
	// Which pages are crawled.

	// Recursive crawls all pages within Scope, and not only the pages that the caller named.
	Recursive bool `json:"recursive,omitempty"`

	// Scope lists prefixes of URLs. A page is within the scope if its URL has one of them.
	Scope []string `json:"scope,omitempty"`

	// Depth is how many links away from the first pages the crawl goes. 0 is the default, which is no limit, and a
	// negative value also means no limit.
	Depth int `json:"depth,omitempty"`

	// IgnoreRobots crawls pages that robots.txt disallows.
	IgnoreRobots bool `json:"ignore_robots,omitempty"`

	// Which links are checked, and which are good.

	// Accept lists HTTP status codes that are good besides 200 to 299.
	Accept []int `json:"accept,omitempty"`

	// Probe reads web pages to find the ones that say that a page is missing. If a link is redirected, it also asks
	// the link's folder for a page that cannot exist.
	Probe bool `json:"probe,omitempty"`

	// Offline excludes the URLs whose check needs the network. The domains of mail addresses are not looked up.
	Offline bool `json:"offline,omitempty"`

	// Include and Exclude are regular expressions (package regexp). They match any part of a URL without its
	// fragment, or of a text that is not a URL. A URL is checked if one of Include matches or Include is empty, and
	// if none of Exclude matches.
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`

	// How many at the same time.

	// Jobs is how many URLs are checked at the same time. 0 means 64 at first, and up to 1000 while servers are slow
	// to answer. A negative value means that only memory limits the number, to 4096.
	Jobs int `json:"jobs,omitempty"`

	// PerServer is how many URLs of one server (see limit.Server) are checked at the same time. 0 means 8, and a
	// negative value means no limit.
	PerServer int `json:"per_host,omitempty"`

	// Rate is how many requests per second begin at one server, including redirects and retries. 0 is the default,
	// which is no limit, and a negative value also means no limit.
	Rate float64 `json:"rate,omitempty"`

	// Split lists hosts that several processes of a shared run check at the same time. Their URLs are divided into up
	// to 16 parts. Each part has its share of PerServer and of Rate.
	Split []string `json:"split,omitempty"`

	// How long, how often and how much.

	// Timeout limits each attempt. 0 means 30 seconds, and a negative value means no limit. The time in which an
	// attempt waits for a turn at another server, for Rate or for robots.txt does not count. After such a wait the
	// timeout starts again.
	Timeout time.Duration `json:"timeout,omitempty"`

	// Retries is how many retries follow a transient failure. As in a retry.Policy, 0 means retry.DefaultRetries, and
	// a negative value means that there are no retries.
	Retries int `json:"tries,omitempty"`

	// Wait is the pause before the first retry. 0 means retry.DefaultWait, and a negative value means no pause. Each
	// further pause is twice as long, up to 30 times Wait and up to a minute. If the server asks for a longer pause
	// of up to a minute, it gets that pause. If it asks for more, the URL is not retried.
	Wait time.Duration `json:"wait,omitempty"`

	// Hosts holds rules for single hosts.
	Hosts []HostRule `json:"hosts,omitempty"`

	// Which parts of pages are read.

	// Read says which links of the crawled pages are read.
	Read LinkReader `json:"read,omitzero"`

	// SkipExamples leaves out URLs of hosts that exist only for examples: example.com, example.net, example.org,
	// names below .example, .invalid and .test, and localhost. Hosts of Scope and pages that the caller names are
	// still checked.
	SkipExamples bool `json:"skip_examples,omitempty"`

	// MaxBody is how many bytes of a page are read. 0 means 16 MiB, and a negative value means no limit. Links and
	// fragments after that are ignored.
	MaxBody int64 `json:"max_body,omitempty"`
}

// A Checker checks URLs. Its fields must not be changed while it runs.
type Checker struct {
	Policy

	// Engine opens URLs. It must not follow redirects, so that the Checker can report them (see
	// locus.Client.NoRedirects). A locus.Client must have Retries: -1, because the Policy has the retries. A nil
	// Engine refuses every request.
	Engine access.Engine

	// Schemes has facts about the schemes that Engine opens and this module does not know. nil means that there are
	// no such schemes.
	Schemes access.Schemes

	// Sites are the folders from which Engine opens the pages of sites. They resolve the URLs to which these pages
	// redirect by themselves.
	Sites []*site.Site

	// Sources describes a file that is in none of Sites. It may be nil. Several goroutines may call it at once.
	Sources func(file url.URL) site.Sources

	// Pages holds files that need not be read again for their anchors. It may be nil.
	Pages *Pages

	// Resolver looks up the domains of mail addresses. If it is nil, only the syntax of addresses is checked.
	Resolver Resolver

	// MaxMemory is about how many bytes of memory the pages that are read at the same time use together. A page that
	// needs more waits for the others. 0 means 256 MiB, and a negative value means no limit. If all of it is taken, one
	// page at a time may use more, so that every page is read.
	MaxMemory int64

	// Known returns the result of an earlier run for a URL that need not be checked again. It may be nil.
	Known func(u string) (Result, bool)

	// Notify, if not nil, is called with every result, by several goroutines at once.
	Notify func(Result)
}

// A runner is one run of a Checker. Its goroutines share it.
type runner struct {
	*Checker
	engine   access.Engine
	scope    scope
	queue    Feed
	feeding  chan struct{} // a semaphore, held by the goroutine that is in next
	schedule *schedule
	memory   *memory.Budget
	robots   robotsCache
	silences silences
	probes   prober
}

// Run checks the jobs of q and adds their results to q. It returns nil after the last job. It stops at the first error
// of a method of q and returns that error. If ctx is done, it returns context.Cause(ctx). If c.Policy is invalid, it
// checks no jobs and returns an error that says why.
func (c *Checker) Run(ctx context.Context, q Feed) error {
	s, err := newScope(c.Policy)
	if err != nil {
		return err
	}
	r := &runner{Checker: c, scope: s, queue: q, feeding: make(chan struct{}, 1), schedule: newSchedule(s.limitOf), memory: c.newBudget(), engine: engine.Recover{Engine: c.Engine}}
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

// The number of URLs that are checked at the same time if Policy.Jobs is 0.
const (
	firstJobs = 64
	maxJobs   = 1000
	growEvery = 250 * time.Millisecond

	// slowCheck is how long a URL must take on average before more workers are worth their memory. A URL of a nearby
	// server takes less time.
	slowCheck = 10 * time.Millisecond
)

// firstJobs returns the number of workers at the start of a run: Jobs, but the constant firstJobs if Jobs is 0, and
// maxOpen if Jobs is negative.
func (p Policy) firstJobs() int {
	if p.Jobs < 0 {
		return maxOpen
	}
	return cmp.Or(p.Jobs, firstJobs)
}

// maxBody returns the number of bytes of a page that are read: MaxBody, but 16 MiB if MaxBody is 0, and no practical
// limit if MaxBody is negative.
func (p Policy) maxBody() int64 {
	if p.MaxBody < 0 {
		return math.MaxInt64 - 1 // the reader reads one byte more to tell whether there is more
	}
	return cmp.Or(p.MaxBody, 16<<20)
}

// grow starts more workers while all workers are busy with slow servers, by calling start for each. It repeats this
// only if the last addition made the run faster, because a busy processor makes checks slow, too. It returns when ctx
// is done or maxJobs workers run.
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

// maxOpen is how many jobs are taken from the queue before they are done. A slow server delays the others only if it
// has that many jobs.
const maxOpen = 4096

// feed takes jobs from the queue until the queue is empty. It puts the results of jobs that need no request into the
// queue, and the other jobs into the schedule. It returns the first error of the queue.
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

// next takes a job from the queue. isDone is true if the job needs no request, and result is then its result. Otherwise
// next adds the job to the schedule, which may wait. At the end of the queue err is io.EOF. One goroutine at a time is
// in next, so that the schedule keeps the order of the queue.
func (r *runner) next(ctx context.Context) (job Job, result Result, isDone bool, err error) {
	r.feeding <- struct{}{}
	defer func() { <-r.feeding }()
	if job, err = r.queue.Next(ctx); err != nil {
		return job, result, false, err
	}
	if result, isDone = r.decide(job); !isDone {
		t := newTask(job, r.scope.poolOf(job.URL))
		t.memory = r.memory.Share("")
		r.schedule.add(t)
	}
	return job, result, isDone, nil
}

// done puts the result of j and the links and jobs that were found on its page into the queue, and then calls Notify.
func (r *runner) done(ctx context.Context, j Job, result Result, found Found) error {
	if err := r.queue.Done(ctx, j, result, found); err != nil {
		return err
	}
	if r.Notify != nil {
		r.Notify(result)
	}
	return nil
}

// work takes tasks from the schedule and makes an attempt at each, until the schedule is empty or ctx is done. It
// returns the first error of the queue.
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
			t.memory.Release()
			r.schedule.leave(t)
			r.schedule.done()
			return nil //nolint:nilerr // the task was cancelled and did not fail
		}
		if wait > 0 {
			t.memory.Release()
			r.schedule.retry(t, wait)
			continue
		}
		r.schedule.leave(t)
		err := r.done(ctx, t.job, result, links)
		t.memory.Release()
		r.schedule.done()
		if err != nil {
			return err
		}
	}
}

// serverOf returns the server of a URL, in the form of limit.Server; "" for a text that is not a URL.
func serverOf(text string) string {
	u, err := weburl.Parse(text)
	if err != nil {
		return ""
	}
	return limit.Server(u)
}
