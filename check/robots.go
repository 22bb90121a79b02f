package check

import (
	"context"
	"fmt"
	"sync"

	"locus/limit"
	"locus/robots"
	"locus/url"
)

// robotsCache keeps the rules of each server of a run.
type robotsCache struct {
	mu    sync.Mutex
	hosts map[string]*robotsHost
}

type robotsHost struct {
	known chan struct{} // closed when the others are
	rules robots.Rules
	err   error
}

// of returns what is known of a host, or first to whoever is to find it out.
func (c *robotsCache) of(host string) (h *robotsHost, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h = c.hosts[host]; h != nil {
		return h, false
	}
	if c.hosts == nil {
		c.hosts = make(map[string]*robotsHost)
	}
	h = &robotsHost{known: make(chan struct{})}
	c.hosts[host] = h
	return h, true
}

// mayWalk returns why u is not to be walked through; nil if it may be.
func (v *visit) mayWalk(ctx context.Context, u url.URL) error {
	rules, err := v.rules(ctx, u)
	switch line := rules.Disallows(u); {
	case err != nil:
		v.unwalked = true
		return &errUnchecked{"robots.txt cannot be had: " + reasonOf(err)}
	case line > 0:
		return &errUnchecked{fmt.Sprintf("robots.txt disallows it (line %d)", line)}
	}
	return nil
}

// rules returns what the server of u asks of robots, which is found out once.
func (v *visit) rules(ctx context.Context, u url.URL) (rules robots.Rules, err error) {
	err = v.untimed(ctx, func() error {
		h, first := v.robots.of(limit.Server(u))
		if first {
			h.rules, h.err = v.fetchRules(ctx, u)
			close(h.known)
		}
		select {
		case <-h.known:
			rules = h.rules
			return h.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	return rules, err
}

// fetchRules gets robots.txt, and tries again as for any URL.
func (v *visit) fetchRules(ctx context.Context, u url.URL) (robots.Rules, error) {
	for tries := 1; ; tries++ {
		if err := v.turnAt(ctx, limit.Server(u)); err != nil {
			return robots.Rules{}, err
		}
		trying, cancel := context.WithTimeout(ctx, v.timeout())
		rules, err := robots.Fetch(trying, v.opener, u, or(v.UserAgent, "locus"))
		late := trying.Err() != nil && ctx.Err() == nil
		cancel()
		wait := v.pause(tries, err, late)
		if wait == 0 {
			return rules, err
		}
		if err := sleep(ctx, wait); err != nil {
			return robots.Rules{}, err
		}
	}
}
