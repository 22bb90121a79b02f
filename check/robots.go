package check

import (
	"context"
	"fmt"
	"sync"

	"locus/robots"
	"locus/url"
)

// robotsCache keeps the rules of each server of a run.
type robotsCache struct {
	mu    sync.Mutex
	hosts map[string]*robotsHost
}

type robotsHost struct {
	once  sync.Once
	rules robots.Rules
	err   error
}

// why returns why u is not to be walked through; "" if it may be.
func (c *robotsCache) why(ctx context.Context, r *runner, u url.URL) string {
	h := c.of(ctx, r, u)
	if h.err != nil {
		return "robots.txt cannot be had: " + reasonOf(h.err)
	}
	if line := h.rules.Disallows(u); line > 0 {
		return fmt.Sprintf("robots.txt disallows it (line %d)", line)
	}
	return ""
}

func (c *robotsCache) of(ctx context.Context, r *runner, u url.URL) *robotsHost {
	host := hostOf(u.String())
	c.mu.Lock()
	if c.hosts == nil {
		c.hosts = make(map[string]*robotsHost)
	}
	h := c.hosts[host]
	if h == nil {
		h = new(robotsHost)
		c.hosts[host] = h
	}
	c.mu.Unlock()
	h.once.Do(func() { h.rules, h.err = robots.Fetch(ctx, r.opener, u, or(r.UserAgent, "locus")) })
	return h
}
