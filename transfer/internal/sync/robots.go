package sync

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locus/limit"
	"locus/robots"
	"locus/url"
)

// agent is the name of a mirror in robots.txt.
const agent = "locus"

// ErrDisallowed forbids deletion, because the mirror does not know the files that robots.txt disallows.
var ErrDisallowed = errors.New("robots.txt disallows some of the remote files")

var errNoRobots = errors.New("robots.txt cannot be fetched")

// robotsOfServers are the robots.txt of the servers of a mirror. Each is fetched once, unless the
// mirror reads from more than maxRobots servers.
type robotsOfServers struct {
	mu  sync.Mutex
	all map[string]*robotsRules
}

// robotsRules are the robots.txt of one server.
type robotsRules struct {
	once  sync.Once
	rules robots.Rules
	err   error
}

// maxRobots is how many servers are remembered.
const maxRobots = 100

// of returns the entry for the robots.txt of the server of u. Its once has not run if robots.txt was
// not fetched yet.
func (r *robotsOfServers) of(u url.URL) *robotsRules {
	r.mu.Lock()
	defer r.mu.Unlock()
	server := limit.Server(u)
	rules, ok := r.all[server]
	if ok {
		return rules
	}
	if r.all == nil || len(r.all) >= maxRobots {
		r.all = make(map[string]*robotsRules)
	}
	rules = &robotsRules{}
	r.all[server] = rules
	return rules
}

// checkRobots returns an error if robots.txt disallows u, which is the target of t or of its
// redirect, and counts u as disallowed in the report. It also returns an error if robots.txt cannot
// be fetched. It fetches robots.txt for the first URL of a server. The URL of the mirror itself is
// always allowed.
func (m *crawl) checkRobots(ctx context.Context, t task, u url.URL) error {
	if m.IgnoreRobots || t.level == 0 {
		return nil
	}
	r := m.robots.of(u)
	r.once.Do(func() { m.fetchRobots(ctx, r, u) })
	if r.err != nil {
		return r.err
	}
	line := r.rules.Disallows(u)
	if line == 0 {
		return nil
	}
	m.update(func() { m.report.Disallowed++ })
	return fmt.Errorf("robots.txt disallows it (line %d)", line)
}

// fetchRobots fetches robots.txt for the server of u into r. If that fails, it sets r.err, so that
// every link to the server is disallowed (RFC 9309 §2.3.1.4). For the server of the mirror it also
// reports the failure.
func (m *crawl) fetchRobots(ctx context.Context, r *robotsRules, u url.URL) {
	isOther := m.isOtherServer(u)
	if !isOther {
		u = m.tree.Start
	}
	var err error
	if r.rules, err = robots.Fetch(ctx, m.retries(""), u, agent); err == nil {
		return
	}
	r.err = errNoRobots
	if !isOther {
		m.failed(u, "", true, fmt.Errorf("links are not followed, because robots.txt cannot be read: %w", err))
	}
}
