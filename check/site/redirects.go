package site

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strconv"
	"strings"

	"locus/url"
)

// A redirectRule is a rule of the file _redirects, which has one in each line:
//
//	/old/*  /new/:splat  301
//	/blog/:year/:name  /posts/:name
//
// ":name" stands for one segment of the path, and "*" at the end for the rest of the path. The default status is 301. A
// rule whose status ends in "!" applies even if the path is that of a file.
//
// A rule with a condition, such as Country=de or Language=en after its status, or id=:id before its target, applies
// only to some visitors. It is not obeyed, because it is not known which visitors follow the link.
type redirectRule struct {
	from      []string // the segments of the path
	to        string
	status    int
	forced    bool
	condition string // such as "Country=de"; "" if the rule applies to all visitors
}

const (
	// maxRedirectRules is how many rules are obeyed. Hosts allow a few thousand.
	maxRedirectRules = 100_000

	// maxRedirectLine is the maximum length of a line with its line end.
	maxRedirectLine = 64 << 10

	// maxFaults is after how many ignored lines the rest of the file is not read.
	maxFaults = 100

	// maxColons is how many placeholders a target may have. It is limited because each may be replaced by a long text.
	maxColons = 100
)

// redirects contains the rules of a site, and the lines that are not obeyed.
type redirects struct {
	rules  []redirectRule
	faults []RedirectFault
}

// A RedirectFault is a line of a file _redirects that is not obeyed.
type RedirectFault struct {
	Line int    // from 1
	Why  string // why the line is not obeyed, such as "the line has more than 64 KiB, and is ignored"
}

// readRedirects reads the file _redirects. If files lacks it, the result is empty.
func readRedirects(files fs.FS) (redirects, error) {
	f, err := openFile(files, "_redirects")
	if errors.Is(err, fs.ErrNotExist) {
		return redirects{}, nil
	}
	if err != nil {
		return redirects{}, err
	}
	defer f.Close()
	return parseRedirects(f)
}

// parseRedirects parses the text of a file _redirects. It leaves out lines that are not rules, and returns lines that
// are too large as faults. The error is an error of reading.
func parseRedirects(from io.Reader) (all redirects, err error) {
	lines := bufio.NewReaderSize(from, maxRedirectLine)
	for n := 1; ; n++ {
		if len(all.faults) == maxFaults {
			all.faults = append(all.faults, RedirectFault{n, "too many lines are ignored, so the rest is, too"})
			return all, nil
		}
		line, err := lines.ReadSlice('\n')
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // a byte order mark
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			all.faults = append(all.faults, RedirectFault{n, "the line has more than 64 KiB, and is ignored"})
			err = skipLine(lines)
		} else if why := all.add(string(line)); why != "" {
			all.faults = append(all.faults, RedirectFault{n, why})
		}
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, fmt.Errorf("read _redirects: %w", err)
		case len(all.rules) > maxRedirectRules:
			all.rules = all.rules[:maxRedirectRules]
			all.faults = append(all.faults, RedirectFault{n, fmt.Sprintf("only the first %d rules are obeyed", maxRedirectRules)})
			return all, nil
		}
	}
}

// skipLine skips bytes up to the end of the line. The error is io.EOF if the file ends there.
func skipLine(from *bufio.Reader) error {
	for {
		if _, err := from.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// add adds the rule in line, if it is a rule for a path of the site, and returns "". If the rule is too large to be
// obeyed, add returns the reason instead.
func (r *redirects) add(line string) (why string) {
	rule, ok := parseRedirect(line)
	switch {
	case !ok:
		return ""
	case strings.Count(rule.to, ":") > maxColons:
		return fmt.Sprintf("the target has more than %d placeholders, and the line is ignored", maxColons)
	}
	r.rules = append(r.rules, rule)
	return ""
}

// parseRedirect parses a line of a file _redirects. ok is false if the line is not a rule for a path of the site.
func parseRedirect(line string) (rule redirectRule, ok bool) {
	fields := strings.Fields(line)
	if comment := slices.IndexFunc(fields, func(f string) bool { return f[0] == '#' }); comment >= 0 {
		fields = fields[:comment]
	}
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
		case strings.Contains(field, "="):
			rule.condition = strings.TrimLeft(rule.condition+" "+field, " ")
		}
	}
	return rule, rule.to != ""
}

// matchRule returns the first rule that matches the path in name and for which fits returns true, and its target with
// the placeholders filled. ok is false if there is no such rule.
func matchRule(rules []redirectRule, name string, fits func(redirectRule) bool) (rule redirectRule, to string, ok bool) {
	if len(rules) == 0 { // as for most sites
		return rule, "", false
	}
	segments := strings.Split(strings.Trim(name, "/"), "/")
	for _, rule := range rules {
		if !fits(rule) {
			continue
		}
		if to, ok := rule.match(segments); ok {
			return rule, to, true
		}
	}
	return rule, "", false
}

// checkConditions returns an *UncertainError if a rule with a condition matches the path in name, and nil otherwise.
func checkConditions(rules []redirectRule, name string) error {
	rule, _, ok := matchRule(rules, name, func(r redirectRule) bool { return r.condition != "" })
	if !ok {
		return nil
	}
	return &UncertainError{Why: "_redirects redirects only visitors with " + rule.condition, IsRedirect: true}
}

// escapePath escapes text for the path of a URL. It keeps slashes.
func escapePath(text string) string {
	return url.Escape(text, url.RFC3986.Unreserved().With("/"))
}

// match returns the target of the rule for a path, with its placeholders filled. segments are the segments of the path.
// ok is false if the rule does not apply to the path.
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

// A placeholder is a name such as ":year", and the part of the path that replaces it.
type placeholder struct{ name, value string }

// fill returns the target with its placeholders replaced by the escaped values. Longer names come first, so that ":m"
// is not replaced in ":month" if both are names. fill sorts values.
func (r redirectRule) fill(values []placeholder) string {
	sort.SliceStable(values, func(i, j int) bool { return len(values[i].name) > len(values[j].name) })
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v.name, escapePath(v.value))
	}
	return strings.NewReplacer(pairs...).Replace(r.to)
}
