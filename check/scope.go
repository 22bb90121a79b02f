package check

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"locus/internal/weburl"
	"locus/url"
)

// A scope says which URLs are checked and which pages are crawled.
type scope struct {
	include, exclude []*regexp.Regexp
	prefixes         []string
	policy           Policy // with the compiled expressions of its Hosts
	skipExamples     bool
	hosts            []string       // the hosts of prefixes
	parts            map[string]int // the number of parts of each host in Policy.Split
}

// Check returns an error if Include, Exclude or Hosts is invalid.
func (p Policy) Check() error {
	_, err := newScope(p)
	return err
}

// newScope returns the scope for p, with the regular expressions compiled. It returns an error if Include, Exclude or
// Hosts is invalid.
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
		p.Hosts[i].exclude, _ = compile(p.Hosts[i].Exclude) // check has reported an error already
	}
	if s.include, err = compile(p.Include); err != nil {
		return s, err
	}
	s.exclude, err = compile(p.Exclude)
	return s, err
}

// compile compiles regular expressions. It returns the first error.
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

// excludes returns the reason for which Include, Exclude or a HostRule excludes a URL; "" if it is checked.
func (s scope) excludes(u string) string {
	matches := func(re *regexp.Regexp) bool { return re.MatchString(u) }
	if i := slices.IndexFunc(s.exclude, matches); i >= 0 {
		return fmt.Sprintf("excluded by %q", s.exclude[i])
	}
	if at, err := weburl.Parse(u); err == nil && len(s.policy.Hosts) > 0 {
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

// limits returns the limits of a server, in the form of limit.Server: how many tasks run there at the same time, and
// how many requests per second begin there. A rate of 0 or less means no limit.
func (s scope) limits(server string) (perServer int, rate float64) {
	var rule HostRule
	if at, err := url.Parse(server); err == nil && len(s.policy.Hosts) > 0 {
		rule = s.policy.ruleFor(at)
	}
	return s.policy.limitsBy(rule)
}

// limitsBy returns the limits of p for a server to which the rule applies: how many tasks run there at the same time,
// and how many requests per second begin there. A rate of 0 or less means no limit.
func (p Policy) limitsBy(rule HostRule) (perServer int, rate float64) {
	perServer = cmp.Or(rule.PerServer, p.PerServer, 8)
	if perServer < 0 {
		perServer = maxOpen
	}
	return perServer, cmp.Or(rule.Rate, p.Rate)
}

// MaxPerServer returns the largest number of URLs of one server that are checked at the same time, whichever of Hosts
// applies. Engines need no more connections to one host and port.
func (p Policy) MaxPerServer() int {
	most, _ := p.limitsBy(HostRule{})
	for _, rule := range p.Hosts {
		perServer, _ := p.limitsBy(rule)
		most = max(most, perServer)
	}
	return most
}

// contains reports whether the URL of a page begins with one of the prefixes of Policy.Scope.
func (s scope) contains(u string) bool {
	return slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(u, p) })
}

// ScopeOf returns the prefix of the URLs below a page, for Policy.Scope: the page's URL up to the last "/" of its
// path.
func ScopeOf(page string) string {
	page, _ = cutFragment(page)
	page, _, _ = strings.Cut(page, "?")
	slashes := strings.Index(page, "//")
	if end := strings.LastIndexByte(page, '/'); end > slashes+1 {
		return page[:end+1]
	}
	return page
}
