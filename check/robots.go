package check

import (
	"context"
	"fmt"
	"sync"

	"locus/limit"
	"locus/retry"
	"locus/robots"
	"locus/url"
)

// agent is the name of a Checker in a robots.txt file.
const agent = "locus"

// A robotsCache keeps the rules in the robots.txt of each server. In a run with very many servers, rules may be
// forgotten, which costs another request for them.
type robotsCache struct {
	mu      sync.Mutex
	servers map[string]*serverRules
}

// serverRules are the rules of one server.
type serverRules struct {
	known chan struct{} // closed when rules and err are set
	rules robots.Rules
	err   error
}

// rulesFor returns the rules of a server, which may not be known yet. If isNew is true, the caller must fetch them, set
// rules and err, and close known.
func (c *robotsCache) rulesFor(server string) (s *serverRules, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s = c.servers[server]; s != nil {
		return s, false
	}
	s = &serverRules{known: make(chan struct{})}
	c.servers = remember(c.servers, server, s)
	return s, true
}

// checkRobots returns an *uncheckedError if robots.txt disallows u, or if it cannot be fetched. In the second case it
// sets notCrawled.
func (v *visit) checkRobots(ctx context.Context, u url.URL) error {
	rules, err := v.rules(ctx, u)
	switch line := rules.Disallows(u); {
	case err != nil:
		v.notCrawled = true
		return &uncheckedError{ClassRobots, "robots.txt cannot be fetched: " + reasonOf(err)}
	case line > 0:
		return &uncheckedError{ClassRobots, fmt.Sprintf("robots.txt disallows it (line %d)", line)}
	}
	return nil
}

// rules returns the rules for the server of u. The first call fetches them, and later calls wait for the result. If the
// fetch fails, every call returns its error.
func (v *visit) rules(ctx context.Context, u url.URL) (rules robots.Rules, err error) {
	err = v.clock.untimed(ctx, func() error {
		s, isNew := v.robots.rulesFor(limit.Server(u))
		if isNew {
			s.rules, s.err = v.fetchRules(ctx, u)
			close(s.known)
		}
		select {
		case <-s.known:
			rules = s.rules
			return s.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	return rules, err
}

// fetchRules fetches the robots.txt of u's server, and retries after transient failures. Before each request it waits
// until the task may send one to the server.
func (v *visit) fetchRules(ctx context.Context, u url.URL) (robots.Rules, error) {
	for tries := 1; ; tries++ {
		if err := v.clock.waitAt(ctx, v.clock.poolAt(u)); err != nil {
			return robots.Rules{}, err
		}
		attempt, cancel := context.WithTimeout(ctx, v.policy.timeout())
		rules, err := robots.Fetch(attempt, v.engine, u, agent)
		v.clock.timedOut = attempt.Err() != nil && ctx.Err() == nil
		cancel()
		wait, mayPass := v.pause(tries, err)
		if !mayPass {
			return rules, err
		}
		if err := retry.Sleep(ctx, wait); err != nil {
			return robots.Rules{}, err
		}
	}
}
