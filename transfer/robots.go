package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locus/robots"
	"locus/url"
)

// agent is the name of a mirror in robots.txt.
const agent = "locus"

var (
	errNoRobots   = errors.New("robots.txt cannot be fetched")
	errDisallowed = errors.New("robots.txt disallows some of the remote files")
)

// robotsRules are the robots.txt of a mirror's server. It is fetched once.
type robotsRules struct {
	once  sync.Once
	rules robots.Rules
	err   error
}

// checkRobots returns an error if robots.txt disallows u, the target of a link or of
// its redirect. The URL of the mirror itself is always allowed.
func (m *mirror) checkRobots(ctx context.Context, t task, u url.URL) error {
	if m.IgnoreRobots || t.level == 0 {
		return nil
	}
	m.robots.once.Do(func() { m.fetchRobots(ctx) })
	if m.robots.err != nil {
		return m.robots.err
	}
	line := m.robots.rules.Disallows(u)
	if line == 0 {
		return nil
	}
	m.outcome.update(func() { m.outcome.report.Disallowed++ })
	return fmt.Errorf("robots.txt disallows it (line %d)", line)
}

// fetchRobots fetches robots.txt. If that fails, no link is followed (RFC 9309
// §2.3.1.4), and the mirror has one failure.
func (m *mirror) fetchRobots(ctx context.Context) {
	u := m.tree.start()
	var err error
	if m.robots.rules, err = robots.Fetch(ctx, m.retrying(""), u, agent); err == nil {
		return
	}
	m.robots.err = errNoRobots
	m.failed(u, "", true, fmt.Errorf("no link is followed without robots.txt: %w", err))
}
