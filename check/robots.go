package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"locus/access"
	"locus/url"
)

// robotsRules are what a robots.txt says to one robot (RFC 9309).
type robotsRules struct {
	rules    []robotsRule
	sitemaps []string
}

// A robotsRule is a line Allow or Disallow.
type robotsRule struct {
	allow   bool
	pattern string // octets that may be written without an escape are
	line    int
}

// maxRobots is how much of a robots.txt is read; RFC 9309 §2.5 wants at least
// 500 kibibytes.
const maxRobots = 512 << 10

// parseRobots reads what a robots.txt says to an agent: the rules of all groups
// that name it or, if none does, of those for "*".
func parseRobots(r io.Reader, agent string) (robotsRules, error) {
	var own, every robotsRules
	named, group := false, robotsGroup{}
	lines := bufio.NewScanner(io.LimitReader(r, maxRobots))
	lines.Buffer(nil, maxRobots+1)
	lines.Split(scanAnyLine)
	for n := 1; lines.Scan(); n++ {
		key, value, ok := robotsLine(lines.Text(), n == 1)
		if !ok {
			continue
		}
		switch key {
		case "sitemap":
			own.sitemaps = append(own.sitemaps, value)
		case "user-agent":
			group.agent(value, agent)
			named = named || group.own
		case "allow", "disallow":
			group.rules = true
			rule := robotsRule{allow: key == "allow", pattern: plainOctets(value), line: n}
			if value == "" {
				continue // it disallows nothing
			}
			if group.own {
				own.rules = append(own.rules, rule)
			}
			if group.every {
				every.rules = append(every.rules, rule)
			}
		}
	}
	if !named {
		own.rules = every.rules
	}
	return own, lines.Err()
}

// A robotsGroup is the group of rules that is being read.
type robotsGroup struct {
	own, every bool // it is about this robot, or about all
	rules      bool // there were some, so that another agent begins another group
}

func (g *robotsGroup) agent(value, agent string) {
	if g.rules {
		*g = robotsGroup{}
	}
	end := 0
	for end < len(value) && (value[end]|0x20 >= 'a' && value[end]|0x20 <= 'z' || value[end] == '-' || value[end] == '_') {
		end++
	}
	g.own = g.own || end > 0 && strings.EqualFold(value[:end], agent)
	g.every = g.every || value == "*"
}

// robotsLine returns the key of a line, in lower case, and the value.
func robotsLine(line string, first bool) (key, value string, ok bool) {
	if first {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}

// scanAnyLine splits at CR, LF and CR LF.
func scanAnyLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	for i, c := range data {
		switch {
		case c == '\n':
			return i + 1, data[:i], nil
		case c == '\r' && i+1 < len(data):
			if data[i+1] == '\n' {
				return i + 2, data[:i], nil
			}
			return i + 1, data[:i], nil
		}
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// rule returns the rule that decides about a path with its query; ok is false if
// none does. The longest decides, and Allow of two that are as long.
func (r robotsRules) rule(path string) (decides robotsRule, ok bool) {
	path = plainOctets(path)
	for _, rule := range r.rules {
		if ok && (len(rule.pattern) < len(decides.pattern) || len(rule.pattern) == len(decides.pattern) && !rule.allow) {
			continue
		}
		if matchRobots(rule.pattern, path) {
			decides, ok = rule, true
		}
	}
	return decides, ok
}

// matchRobots reports whether a path starts as a pattern says, in which "*"
// stands for any octets, and "$" at its end for the end. It takes time in
// proportion to the product of their lengths at most.
func matchRobots(pattern, path string) bool {
	whole := strings.HasSuffix(pattern, "$")
	pieces := strings.Split(strings.TrimSuffix(pattern, "$"), "*")
	rest, ok := strings.CutPrefix(path, pieces[0])
	if !ok {
		return false
	}
	if len(pieces) == 1 {
		return !whole || rest == ""
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	if whole {
		return strings.HasSuffix(rest, pieces[last])
	}
	return strings.Contains(rest, pieces[last])
}

// plainOctets writes escapes so that two texts of the same octets are equal.
func plainOctets(s string) string {
	if plain, err := url.Unescape(s); err == nil {
		return plain
	}
	return s
}

// robotsCache keeps the rules of each server of a run.
type robotsCache struct {
	mu    sync.Mutex
	hosts map[string]*robotsHost
}

type robotsHost struct {
	once  sync.Once
	rules robotsRules
	err   error
}

// why returns why u is not to be walked through; "" if it may be.
func (c *robotsCache) why(ctx context.Context, r *runner, u url.URL) string {
	h := c.of(ctx, r, u)
	if h.err != nil {
		return "robots.txt cannot be had: " + reasonOf(h.err)
	}
	rule, ok := h.rules.rule(u.PathAndQuery())
	if !ok || rule.allow {
		return ""
	}
	return fmt.Sprintf("robots.txt disallows it (line %d)", rule.line)
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
	h.once.Do(func() { h.rules, h.err = r.fetchRobots(ctx, u) })
	return h
}

// fetchRobots reads the robots.txt of the server of u. One that is not there, or
// is refused, allows everything (RFC 9309 §2.3.1.3).
func (r *runner) fetchRobots(ctx context.Context, u url.URL) (robotsRules, error) {
	at, err := u.Resolve("/robots.txt")
	if err != nil {
		return robotsRules{}, err
	}
	res, err := access.Follow{Opener: r.opener, Max: 5}.Open(ctx, &access.Request{URL: at})
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil && e.Reply.Code/100 == 4 && e.Reply.Code != 429 {
		return robotsRules{}, nil
	}
	if err != nil {
		return robotsRules{}, err
	}
	defer res.Body.Close()
	return parseRobots(res.Body, or(r.UserAgent, "locus"))
}
