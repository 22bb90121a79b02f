// Package check finds out which of many links are dead, in every scheme that an
// Engine opens, and why.
//
// A [Checker] works through a [Queue]: it opens each URL once however often it
// stands, politely to each host, tries again what may pass, and puts what it
// found back into the queue. [Report] then joins what was found with every place
// where a link stands.
//
//	q := check.NewMemory()
//	err := check.Seed(ctx, q, check.Source{Document: "README.md", Links: links})
//	…
//	err = (&check.Checker{Engine: client}).Run(ctx, q)
//	report, err := check.NewReport(ctx, q, check.ReportOptions{})
//
// The queue is a port: a [Spool] is one process's own, in memory or in files, and
// the package locus/check/stream keeps it in NATS JetStream, where any number of processes
// share the work and one that is killed loses nothing.
//
// What is done depends on the scheme:
//
//   - http, https: HEAD and, if the server will not have that, GET; a page whose
//     fragment or whose links are wanted by GET alone.
//   - ftp, nntp, news, prospero, wais, file, mid, cid: the attributes are asked
//     for (MLST, STAT …); what has none is opened.
//   - gopher: opened. A menu of nothing but errors is a failure.
//   - mailto: the addresses are read, and their domains looked up.
//   - telnet, rlogin, tn3270: connected to.
//   - every other scheme: not checked, which is not the same as good.
//
// Notable divergences:
//   - RFC 9309 §2.3.1.4: a server whose robots.txt cannot be had is not walked
//     through at all in that run, but for the page that was asked for; see
//     [Report.Unwalked].
//   - A fragment ":~:text=…" (URL Fragment Text Directives) is not looked for.
//   - RFC 5321 §5.1: that a domain has an address, or a mail exchanger, is
//     looked up; no mail server is spoken to.
package check

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// A Policy says what is checked, and how often and how long it is tried. It can be
// written as JSON, so that several processes work by the same one.
type Policy struct {
	// Recursive walks through the pages within Scope, and not only those that
	// were asked for.
	Recursive bool `json:"recursive,omitempty"`

	// Scope are prefixes of URLs. A page is within it if its URL starts with one.
	Scope []string `json:"scope,omitempty"`

	// Depth is how many links away from the first pages are walked; 0 sets no
	// limit.
	Depth int `json:"depth,omitempty"`

	// IgnoreRobots walks where a server's robots.txt asks robots not to.
	IgnoreRobots bool `json:"ignore_robots,omitempty"`

	// Accept are HTTP status codes that are good besides those from 200 to 299.
	Accept []int `json:"accept,omitempty"`

	// Include and Exclude are regular expressions (package regexp). A URL is
	// checked if one of Include, unless there are none, and none of Exclude
	// matches a part of it, which has no fragment. So is what is no URL.
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`

	// Jobs is how many URLs are checked at once; 0 means 64.
	Jobs int `json:"jobs,omitempty"`

	// PerServer is how many of one server (see limit.Server); 0 means 4.
	PerServer int `json:"per_host,omitempty"`

	// Rate is how many accesses a second begin at one server, those that a check of
	// one URL takes one after the other, too; 0 sets no limit.
	Rate float64 `json:"rate,omitempty"`

	// Timeout bounds each try, without the time that is waited for a turn at
	// another host that a redirect leads to, for Rate, and for robots.txt, after
	// which it begins anew; 0 means 30 seconds.
	Timeout time.Duration `json:"timeout,omitempty"`

	// Tries is how many more times is tried after a failure that may pass; 0
	// means 2, a negative number none.
	Tries int `json:"tries,omitempty"`

	// Wait is the pause before the first of those, each further one being twice
	// as long; 0 means a second. A server that asks for a longer pause gets it,
	// up to a minute; what asks for more than that is not tried again.
	Wait time.Duration `json:"wait,omitempty"`

	// MaxBody is how many octets of a page are read; 0 means 16 MiB. Links and
	// fragments behind are not seen.
	MaxBody int64 `json:"max_body,omitempty"`
}

// A Checker checks URLs. No field is changed while it runs.
type Checker struct {
	Policy

	// Engine opens URLs. It follows no redirects, so that they can be reported
	// (locus.Client.NoRedirects). nil opens nothing.
	Engine access.Engine

	// Resolver looks up the domains of mail addresses; nil: only how they are
	// written is checked.
	Resolver Resolver

	// Known returns what is known of a URL from an earlier run, and need not be
	// checked again. nil: nothing.
	Known func(u string) (Result, bool)

	// Notify, if not nil, is called with every result when it is there, by
	// several goroutines at once.
	Notify func(Result)

	// UserAgent is what robots.txt calls this program; "" means "locus".
	UserAgent string
}

// A runner is one run of a Checker.
type runner struct {
	*Checker
	scope  scope
	queue  Queue
	turns  *schedule
	lender Lender // nil if q is none
	robots robotsCache
	opener access.Engine
}

// Run takes jobs from q until it is drained, and puts their results there. It
// returns the first error of q, or why a regular expression is none.
func (c *Checker) Run(ctx context.Context, q Queue) error {
	s, err := newScope(c.Policy)
	if err != nil {
		return err
	}
	r := &runner{Checker: c, scope: s, queue: q, turns: newSchedule(or(c.PerServer, 4), c.Rate), opener: c.Engine}
	if r.opener == nil {
		r.opener = access.Table(nil)
	}
	r.lender, _ = q.(Lender)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for range or(c.Jobs, 64) {
		all.Go(func() {
			if err := r.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	if err := r.feed(ctx); err != nil {
		cancel(err)
	}
	r.turns.close()
	all.Wait()
	return context.Cause(ctx)
}

// window is how many jobs are taken from the queue and not done at any time: a
// host that is slow does not hold up the others unless so many are its own.
const window = 4096

// feed hands the jobs of the queue to the workers, by host.
func (r *runner) feed(ctx context.Context) error {
	stop := context.AfterFunc(ctx, r.turns.close)
	defer stop()
	for {
		job, err := r.queue.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		r.turns.add(&task{job: job, server: serverOf(job.URL)})
	}
}

// work checks what is its turn, until there is nothing more.
func (r *runner) work(ctx context.Context) error {
	for {
		t := r.turns.take()
		if t == nil {
			return nil
		}
		if r.lender != nil && !r.lender.Begin(t.job) {
			r.turns.leave(t)
			r.turns.done()
			continue
		}
		result, links, wait := r.try(ctx, t)
		if ctx.Err() != nil {
			r.turns.leave(t)
			r.turns.done()
			return nil //nolint:nilerr // it was broken off, and is nobody's fault
		}
		if wait > 0 {
			r.turns.again(t, wait)
			continue
		}
		r.turns.leave(t)
		err := r.queue.Done(ctx, t.job, result, links)
		r.turns.done()
		if err != nil {
			return err
		}
		if r.Notify != nil {
			r.Notify(result)
		}
	}
}

// or returns n, or otherwise if n is zero.
func or[T comparable](n, otherwise T) T {
	var zero T
	if n == zero {
		return otherwise
	}
	return n
}

// serverOf returns the server of a URL; "" for a text that is no URL.
func serverOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return limit.Server(u)
}
