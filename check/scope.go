package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A scope says which URLs are checked and which pages are crawled.
type scope struct {
	include, exclude []*regexp.Regexp
	prefixes         []string
	accept           []int
	skipExamples     bool
	hosts            []string // of prefixes
}

// Check returns an error if Include or Exclude has an invalid regular expression.
func (p Policy) Check() error {
	_, err := newScope(p)
	return err
}

func newScope(p Policy) (scope, error) {
	s := scope{prefixes: p.Scope, accept: p.Accept, skipExamples: p.SkipExamples}
	for _, prefix := range p.Scope {
		s.hosts = append(s.hosts, hostsOf(prefix)...)
	}
	var err error
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
	if len(s.include) > 0 && !slices.ContainsFunc(s.include, matches) {
		return "not included"
	}
	return ""
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
