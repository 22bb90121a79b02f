package check

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"locus/url"
)

// A scope says which URLs are checked and which pages are crawled.
type scope struct {
	include, exclude []*regexp.Regexp
	prefixes         []string
	policy           Policy // with the expressions of its Hosts
	skipExamples     bool
	hosts            []string       // of prefixes
	parts            map[string]int // of the hosts of Policy.Split
}

// Check returns an error if Include, Exclude or Hosts is invalid.
func (p Policy) Check() error {
	_, err := newScope(p)
	return err
}

func newScope(p Policy) (scope, error) {
	p.Hosts = slices.Clone(p.Hosts)
	s := scope{prefixes: p.Scope, policy: p, skipExamples: p.SkipExamples, parts: p.partsOf()}
	for _, prefix := range p.Scope {
		s.hosts = append(s.hosts, hostsOf(prefix)...)
	}
	var err error
	for i := range p.Hosts {
		if err := p.Hosts[i].check(); err != nil {
			return s, err
		}
		p.Hosts[i].exclude, _ = compile(p.Hosts[i].Exclude) // checked
	}
	if s.include, err = compile(p.Include); err != nil {
		return s, err
	}
	s.exclude, err = compile(p.Exclude)
	return s, err
}

func compile(texts []string) ([]*regexp.Regexp, error) {
	var all []*regexp.Regexp
	for _, text := range texts {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a regular expression: %w", text, err)
		}
		all = append(all, re)
	}
	return all, nil
}

// excludes returns why a URL is excluded; "" if it is not.
func (s scope) excludes(u string) string {
	matches := func(re *regexp.Regexp) bool { return re.MatchString(u) }
	if i := slices.IndexFunc(s.exclude, matches); i >= 0 {
		return fmt.Sprintf("excluded by %q", s.exclude[i])
	}
	if at, err := url.Parse(u); err == nil && len(s.policy.Hosts) > 0 {
		exclude := s.policy.ruleFor(at).exclude
		if i := slices.IndexFunc(exclude, matches); i >= 0 {
			return fmt.Sprintf("excluded by %q", exclude[i])
		}
	}
	if len(s.include) > 0 && !slices.ContainsFunc(s.include, matches) {
		return "not included"
	}
	return ""
}

// limits returns how many tasks run at a server at once, and how many requests begin there
// a second; 0 or less: no limit.
func (s scope) limits(server string) (perServer int, rate float64) {
	var rule HostRule
	if at, err := url.Parse(server); err == nil && len(s.policy.Hosts) > 0 {
		rule = s.policy.ruleFor(at)
	}
	return s.policy.limitsBy(rule)
}

// limitsBy is limits for a server with that rule.
func (p Policy) limitsBy(rule HostRule) (perServer int, rate float64) {
	perServer = cmp.Or(rule.PerServer, p.PerServer, 8)
	if perServer < 0 {
		perServer = maxOpen
	}
	return perServer, cmp.Or(rule.Rate, p.Rate)
}

// contains reports whether a page may be crawled.
func (s scope) contains(u string) bool {
	return slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(u, p) })
}

// ScopeOf returns the Scope of everything below a page: its URL up to the last "/" of
// its path.
func ScopeOf(page string) string {
	page, _ = cutFragment(page)
	page, _, _ = strings.Cut(page, "?")
	slashes := strings.Index(page, "//")
	if end := strings.LastIndexByte(page, '/'); end > slashes+1 {
		return page[:end+1]
	}
	return page
}
