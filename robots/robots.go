// Package robots reads robots.txt (RFC 9309): what a server asks programs that
// follow links to leave alone.
//
// Notable divergences:
//   - RFC 9309 §2.2.2: all escapes are compared as the octets they stand for,
//     those of "/", "*" and "$" too.
package robots

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"locus/access"
	"locus/url"
)

// Rules are what a robots.txt says to one robot. The zero Rules allow everything.
type Rules struct {
	rules    []rule
	sitemaps []string
}

// Fetch reads the robots.txt of the server of u, and follows redirects to it. One
// that has no content (RFC 9309 §2.3.1.1), is not there, or is refused (§2.3.1.3)
// allows everything; one that cannot be had otherwise is an error, after which
// nothing is allowed (§2.3.1.4). u is an http or https URL; nil opens nothing.
func Fetch(ctx context.Context, o access.Engine, u url.URL, agent string) (Rules, error) {
	at, err := u.Resolve("/robots.txt")
	if err != nil {
		return Rules{}, err
	}
	r, err := access.Follow{Engine: o, Max: 5}.Do(ctx, &access.Request{URL: at})
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil && isNone(e.Reply.Code) {
		return Rules{}, nil
	}
	if err != nil {
		return Rules{}, err
	}
	defer r.Body.Close()
	return Parse(r.Body, agent)
}

// isNone reports whether a status of HTTP says that there are no rules.
func isNone(code int) bool {
	switch code {
	case 204, 205: // an answer without content (RFC 9110 §15.3.5, §15.3.6)
		return true
	case 429: // too many requests
		return false
	}
	return code/100 == 4
}

// Disallows returns the number of the line that disallows u to the robot; 0 if
// none does. The path and the query of u are looked at.
func (r Rules) Disallows(u url.URL) (line int) { return r.disallows(u.PathAndQuery()) }

func (r Rules) disallows(path string) (line int) {
	if by, ok := r.decide(path); ok && !by.allow {
		return by.line
	}
	return 0
}

// Sitemaps returns the URLs of sitemaps, as they are written, whatever robot
// they are for.
func (r Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }

// A rule is a line Allow or Disallow.
type rule struct {
	allow   bool
	pattern string // octets that may be written without an escape are
	line    int
}

// maxSize is how much of a robots.txt is read; RFC 9309 §2.5 wants at least
// 500 kibibytes.
const maxSize = 512 << 10

// Parse reads what a robots.txt says to an agent: the rules of all groups that
// name it or, if none does, of those for "*". No more than 512 KiB are read. The
// error is that of r.
func Parse(r io.Reader, agent string) (Rules, error) {
	var own, every Rules
	named, g := false, group{}
	lines := bufio.NewScanner(io.LimitReader(r, maxSize))
	lines.Buffer(nil, maxSize+1)
	lines.Split(scanLine)
	for n := 1; lines.Scan(); n++ {
		key, value, ok := field(lines.Text(), n == 1)
		if !ok {
			continue
		}
		switch key {
		case "sitemap":
			own.sitemaps = append(own.sitemaps, value)
		case "user-agent":
			g.agent(value, agent)
			named = named || g.own
		case "allow", "disallow":
			g.rules = true
			line := rule{allow: key == "allow", pattern: plainOctets(value), line: n}
			if value == "" {
				continue // it disallows nothing
			}
			if g.own {
				own.rules = append(own.rules, line)
			}
			if g.every {
				every.rules = append(every.rules, line)
			}
		}
	}
	if !named {
		own.rules = every.rules
	}
	return own, lines.Err()
}

// A group is the group of rules that is being read.
type group struct {
	own, every bool // it is about this robot, or about all
	rules      bool // there were some, so that another agent begins another group
}

func (g *group) agent(value, agent string) {
	if g.rules {
		*g = group{}
	}
	end := 0
	for end < len(value) && (value[end]|0x20 >= 'a' && value[end]|0x20 <= 'z' || value[end] == '-' || value[end] == '_') {
		end++
	}
	g.own = g.own || end > 0 && strings.EqualFold(value[:end], agent)
	g.every = g.every || value == "*"
}

// field returns the key of a line, in lower case, and the value.
func field(line string, first bool) (key, value string, ok bool) {
	if first {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}

// scanLine splits at CR, LF and CR LF.
func scanLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
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

// decide returns the rule that decides about a path with its query; ok is false if
// none does. The longest decides, and Allow of two that are as long.
func (r Rules) decide(path string) (decides rule, ok bool) {
	path = plainOctets(path)
	for _, one := range r.rules {
		if ok && (len(one.pattern) < len(decides.pattern) || len(one.pattern) == len(decides.pattern) && !one.allow) {
			continue
		}
		if matches(one.pattern, path) {
			decides, ok = one, true
		}
	}
	return decides, ok
}

// matches reports whether a path starts as a pattern says, in which "*"
// stands for any octets, and "$" at its end for the end. It takes time in
// proportion to the product of their lengths at most.
func matches(pattern, path string) bool {
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
