package check

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"locus/url"
)

// A redirectRule is a line of a file _redirects:
//
//	/old/*  /new/:splat  301
//	/blog/:year/:name  /posts/:name
//
// ":name" stands for one segment of the path, and "*" at the end for the rest. Without a
// status it is 301. A status with "!" holds even if there is a file.
type redirectRule struct {
	from   []string // the segments of the path
	to     string
	status int
	forced bool
}

const (
	// maxRedirectRules is how many rules are read. Hosts allow a few thousand.
	maxRedirectRules = 100_000

	// maxColons is how many placeholders a target may have, so that it stays small.
	maxColons = 100
)

// readRedirects reads the file _redirects. A site without one has no rules.
func readRedirects(files fs.FS) ([]redirectRule, error) {
	f, err := files.Open("_redirects")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseRedirects(f)
}

func parseRedirects(from io.Reader) ([]redirectRule, error) {
	var rules []redirectRule
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		rule, ok := parseRedirect(lines.Text())
		if !ok {
			continue
		}
		if rules = append(rules, rule); len(rules) > maxRedirectRules {
			return nil, fmt.Errorf("_redirects:%d: more than %d rules", n, maxRedirectRules)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read _redirects: %w", err)
	}
	return rules, nil
}

// parseRedirect parses a line. ok is false if it has no rule for a path of the site.
func parseRedirect(line string) (rule redirectRule, ok bool) {
	line, _, _ = strings.Cut(line, " #")
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0][0] != '/' {
		return rule, false
	}
	rule.from, rule.status = strings.Split(strings.Trim(fields[0], "/"), "/"), 301
	for _, field := range fields[1:] {
		status, forced := strings.CutSuffix(field, "!")
		n, err := strconv.Atoi(status)
		switch {
		case rule.to == "" && (field[0] == '/' || strings.Contains(field, "://")):
			rule.to = field
		case err == nil:
			rule.status, rule.forced = n, forced
		}
	}
	return rule, rule.to != "" && strings.Count(rule.to, ":") <= maxColons
}

// matchRule returns the first rule for a path, with its target.
func matchRule(rules []redirectRule, name string, forced bool) (rule redirectRule, to string, ok bool) {
	segments := strings.Split(strings.Trim(name, "/"), "/")
	for _, rule := range rules {
		if rule.forced != forced {
			continue
		}
		if to, ok := rule.match(segments); ok {
			return rule, to, true
		}
	}
	return rule, "", false
}

// escapePath escapes a part of a path for a URL.
func escapePath(text string) string {
	return url.Escape(text, url.RFC3986.Unreserved().With("/"))
}

// match returns where a rule leads a path of those segments.
func (r redirectRule) match(segments []string) (to string, ok bool) {
	var values []placeholder
	for i, want := range r.from {
		if want == "*" && i == len(r.from)-1 {
			rest := strings.Join(segments[min(i, len(segments)):], "/")
			return r.fill(append(values, placeholder{":splat", rest})), true
		}
		switch {
		case i >= len(segments):
			return "", false
		case strings.HasPrefix(want, ":"):
			values = append(values, placeholder{want, segments[i]})
		case want != segments[i]:
			return "", false
		}
	}
	return r.fill(values), len(segments) == len(r.from)
}

// A placeholder is a name such as ":year", and what it stands for.
type placeholder struct{ name, value string }

// fill returns the target with the values of its placeholders. In ":month" there is no
// ":m" if both are names.
func (r redirectRule) fill(values []placeholder) string {
	slices.SortStableFunc(values, func(a, b placeholder) int { return len(b.name) - len(a.name) })
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v.name, escapePath(v.value))
	}
	return strings.NewReplacer(pairs...).Replace(r.to)
}
