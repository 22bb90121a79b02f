// Package robots parses robots.txt (RFC 9309), in which a server says which URLs programs must not visit.
//
// Notable divergences:
//   - RFC 9309 §2.2.2: every escape is compared as the byte for which it stands,
//     even the escape of "/".
package robots

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ascii"
	"locus/url"
)

// Rules are the rules of a robots.txt for one program. The zero Rules allow everything.
type Rules struct {
	rules    []rule
	sitemaps []string
}

// Fetch reads the robots.txt of the server of u, a URL of http, https or gemini, and returns its rules for agent, as
// [Parse] does. It follows redirects. The zero Rules, which allow everything, are the result for a response without
// content (RFC 9309 §2.3.1.1), a 4xx status except 429 (§2.3.1.3), and an error that wraps fs.ErrNotExist. After any
// other failure, even a panic of e, Fetch returns an error, and the caller must not visit any URL of the server
// (§2.3.1.4). A nil engine refuses every request.
func Fetch(ctx context.Context, e access.Engine, u url.URL, agent string) (rules Rules, err error) {
	defer engine.CatchPanic(&err)
	at, err := u.Resolve("/robots.txt")
	if err != nil {
		return Rules{}, err
	}
	r, err := access.Follow{Engine: e, Max: 5}.Do(ctx, &access.Request{URL: at})
	if failed, ok := errors.AsType[*access.Error](err); ok && (failed.Reply != nil && isAbsent(failed.Reply.Code) || errors.Is(err, fs.ErrNotExist)) {
		return Rules{}, nil
	}
	if err != nil {
		return Rules{}, err
	}
	defer r.Body.Close()
	return Parse(r.Body, agent)
}

// isAbsent reports whether an HTTP status means that the server has no robots.txt: 204, 205, and every 4xx except 429.
func isAbsent(code int) bool {
	switch code {
	case 204, 205: // no content (RFC 9110 §15.3.5, §15.3.6)
		return true
	case 429: // too many requests
		return false
	}
	return code/100 == 4
}

// Disallows returns the number of the line that disallows u, or 0 if u is allowed. It compares the path and the query
// of u with the rules.
func (r Rules) Disallows(u url.URL) (line int) { return r.disallows(u.PathAndQuery()) }

// disallows returns the number of the line that disallows path, an escaped path with its query, or 0 if path is
// allowed. The longest pattern that matches decides. If two are equally long, Allow wins.
func (r Rules) disallows(path string) (line int) {
	path = unescape(path)
	found := rule{allow: true, pattern: pattern{size: -1}}
	for _, one := range r.rules {
		size, most := one.pattern.size, found.pattern.size
		if (size > most || size == most && one.allow) && one.pattern.matches(path) {
			found = one
		}
	}
	if found.allow {
		return 0
	}
	return found.line
}

// Sitemaps returns the URLs of all sitemaps as they are written in the file. They hold for every agent. The caller
// may modify the slice.
func (r Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }

// A rule is an Allow or Disallow line.
type rule struct {
	allow   bool
	pattern pattern
	line    int
}

// A pattern describes the paths to which a rule applies.
type pattern struct {
	pieces []string // the text between the "*", unescaped
	whole  bool     // the pattern ends with "$", so it must match the whole path
	size   int      // the number of bytes, unescaped, because the longest pattern decides
}

// parsePattern parses a pattern (RFC 9309 §2.2.3). "%2A" and "%24" are a literal star and a literal dollar.
func parsePattern(text string) pattern {
	text, whole := strings.CutSuffix(text, "$")
	p := pattern{pieces: strings.Split(text, "*"), whole: whole, size: -1}
	if whole {
		p.size++
	}
	for i, piece := range p.pieces {
		p.pieces[i] = unescape(piece)
		p.size += len("*") + len(p.pieces[i])
	}
	return p
}

// maxSize is the number of bytes of a robots.txt that are read. RFC 9309 §2.5 requires at least 500 kibibytes.
const maxSize = 512 << 10

// lineEnds replaces every line end, CR, LF or CR LF, by LF.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Parse parses the rules of a robots.txt for agent: the rules of all groups that name agent or, if there is no such
// group, the rules of the groups for "*". The Rules also have the sitemaps in the file. Parse reads up to 512 KiB. The
// error is an error of r; then the Rules are the rules of the lines before the error.
func Parse(r io.Reader, agent string) (Rules, error) {
	var own, every Rules
	named, g := false, group{}
	text, err := io.ReadAll(io.LimitReader(r, maxSize))
	lines := lineEnds.Replace(strings.TrimPrefix(string(text), "\ufeff"))
	n := 0
	for line := range strings.SplitSeq(lines, "\n") {
		n++
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "sitemap":
			own.sitemaps = append(own.sitemaps, value)
		case "user-agent":
			g.addAgent(value, agent)
			named = named || g.own
		case "allow", "disallow":
			g.hasRules = true
			if value == "" {
				continue // an empty pattern has no effect
			}
			one := rule{allow: key == "allow", pattern: parsePattern(value), line: n}
			if g.own {
				own.rules = append(own.rules, one)
			}
			if g.every {
				every.rules = append(every.rules, one)
			}
		}
	}
	if !named {
		own.rules = every.rules
	}
	return own, err
}

// A group is the group of rules that is being read.
type group struct {
	own, every bool // the group names this program; the group names "*"
	hasRules   bool // the next User-agent line begins another group
}

// addAgent reads a User-agent line with this value. It first clears g if g has rules, because the line begins another
// group then. It sets g.own if the line names agent, and g.every if it names "*".
func (g *group) addAgent(value, agent string) {
	if g.hasRules {
		*g = group{}
	}
	end := 0
	for end < len(value) && (value[end]|0x20 >= 'a' && value[end]|0x20 <= 'z' || value[end] == '-' || value[end] == '_') {
		end++
	}
	g.own = g.own || end > 0 && strings.EqualFold(value[:end], agent)
	g.every = g.every || value == "*"
}

// matches reports whether the pattern matches the start of path or, if it ends with "$", the whole path. path is
// unescaped. The time is at most proportional to the product of both lengths.
func (p pattern) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, p.pieces[0])
	if !ok {
		return false
	}
	if len(p.pieces) == 1 {
		return !p.whole || rest == ""
	}
	last := len(p.pieces) - 1
	for _, piece := range p.pieces[1:last] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	if p.whole {
		return strings.HasSuffix(rest, p.pieces[last])
	}
	return strings.Contains(rest, p.pieces[last])
}

// unescape decodes the percent-encoded bytes of s. A "%" that does not begin an escape stands for itself, as in
// browsers.
func unescape(s string) string { return ascii.Unescape(s) }
