package check

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// maxRedirectRules is how many rules are read. Hosts allow a few thousand.
const maxRedirectRules = 100_000

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
	return rule, rule.to != ""
}

// matchRule returns the first rule for a path, with its target.
func matchRule(rules []redirectRule, name string, forced bool) (rule redirectRule, to string, ok bool) {
	for _, rule := range rules {
		if rule.forced != forced {
			continue
		}
		if to, ok := rule.match(name); ok {
			return rule, to, true
		}
	}
	return rule, "", false
}

// escapePath escapes a part of a path for a URL.
func escapePath(text string) string {
	return url.Escape(text, url.RFC3986.Unreserved().With("/"))
}

// match returns where a rule leads a path.
func (r redirectRule) match(name string) (to string, ok bool) {
	segments := strings.Split(strings.Trim(name, "/"), "/")
	to = r.to
	for i, want := range r.from {
		if want == "*" && i == len(r.from)-1 {
			rest := strings.Join(segments[min(i, len(segments)):], "/")
			return strings.ReplaceAll(to, ":splat", escapePath(rest)), true
		}
		switch {
		case i >= len(segments):
			return "", false
		case strings.HasPrefix(want, ":"):
			to = strings.ReplaceAll(to, want, escapePath(segments[i]))
		case want != segments[i]:
			return "", false
		}
	}
	return to, len(segments) == len(r.from)
}
