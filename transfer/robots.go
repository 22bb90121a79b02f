package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locus/robots"
	"locus/url"
)

// agent is what a robots.txt calls a mirror.
const agent = "locus"

var (
	errNoRobots   = errors.New("robots.txt cannot be had")
	errDisallowed = errors.New("robots.txt leaves out some of what is there")
)

// manners are what the server of a mirror asks of who follows its links.
type manners struct {
	once  sync.Once
	rules robots.Rules
	err   error
}

// disallowed returns why u, to which a link or its redirect leads, is not to be
// asked for; nil if it may be. What the caller named may always be.
func (m *mirror) disallowed(ctx context.Context, t task, u url.URL) error {
	if m.IgnoreRobots || t.level == 0 {
		return nil
	}
	m.manners.once.Do(func() { m.learn(ctx) })
	if m.manners.err != nil {
		return m.manners.err
	}
	line := m.manners.rules.Disallows(u)
	if line == 0 {
		return nil
	}
	m.counts.Lock()
	m.report.Disallowed++
	m.counts.Unlock()
	return fmt.Errorf("robots.txt disallows it (line %d)", line)
}

// learn asks for the server's robots.txt. If it cannot be had no link may be
// followed (RFC 9309 §2.3.1.4), which is one failure.
func (m *mirror) learn(ctx context.Context) {
	u := m.tree.start()
	var err error
	if m.manners.rules, err = robots.Fetch(ctx, m.retrying(""), u, agent); err == nil {
		return
	}
	m.manners.err = errNoRobots
	m.failed(u, "", true, fmt.Errorf("robots.txt, which says what links may be followed: %w", err))
}
