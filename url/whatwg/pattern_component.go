package whatwg

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"locus/internal/ascii"
)

// A component is the compiled pattern of one component of a URL.
type component struct {
	pattern string
	parts   []patternPart
	re      *regexp.Regexp
	names   []string // of the groups
	rules   compileRules
}

// compile is the component compiler. It returns the compiled pattern of one component. The error is a *PatternError, or
// an error of package regexp.
func compile(pattern string, rules compileRules) (component, error) {
	parts, err := parseParts(pattern, rules)
	if err != nil {
		return component{}, err
	}
	expression, names, err := toRegexp(parts, rules)
	if err != nil {
		return component{}, err
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return component{}, err
	}
	return component{pattern: patternText(parts, rules), parts: parts, re: re, names: names, rules: rules}, nil
}

// match matches input, the text of the component in a URL, and reports whether it matches. A group that took no part in
// the match is absent.
func (c *component) match(input string) (ComponentMatch, bool) {
	at := c.re.FindStringSubmatchIndex(input)
	if at == nil {
		return ComponentMatch{}, false
	}
	m := ComponentMatch{Input: input, Groups: make(map[string]string, len(c.names))}
	for i, name := range c.names {
		start, end := at[2*i+2], at[2*i+3]
		if start < 0 || start == end && c.isBareOptional(name) {
			continue
		}
		m.Groups[name] = input[start:end]
	}
	return m, true
}

// isBareOptional reports whether the named group is "(…)?", without a prefix or suffix. In JavaScript, unlike in Go,
// such a group takes no part in a match if it would match the empty text.
func (c *component) isBareOptional(name string) bool {
	return slices.ContainsFunc(c.parts, func(p patternPart) bool {
		return p.name == name && p.modifier == optional && p.prefix == "" && p.suffix == ""
	})
}

// matchesSpecial reports whether c, the pattern of a protocol, matches the scheme of any special URL.
func (c *component) matchesSpecial() bool {
	for _, scheme := range []string{"http", "https", "ws", "wss", "ftp", "file"} {
		if c.re.MatchString(scheme) {
			return true
		}
	}
	return false
}

// generate returns the text of the component with its groups filled in. It returns a *PatternError if the pattern
// allows several texts, or if a group is missing or does not match.
func (c *component) generate(groups map[string]string) (string, error) {
	var b strings.Builder
	for _, p := range c.parts {
		if p.modifier != once || p.kind != fixedText && p.kind != segmentWildcard {
			return "", &PatternError{Reason: "a group that can match several texts"}
		}
		if p.kind == fixedText {
			b.WriteString(p.value)
			continue
		}
		value, ok := groups[p.name]
		if !ok {
			return "", &PatternError{Reason: "no text for the group " + strconv.Quote(p.name)}
		}
		encoded, err := c.rules.encode(value)
		if err != nil {
			return "", err
		}
		if encoded == "" || c.rules.delimiter != "" && strings.Contains(encoded, c.rules.delimiter) {
			return "", &PatternError{Reason: "the text for the group " + strconv.Quote(p.name) + " does not match"}
		}
		b.WriteString(p.prefix + encoded + p.suffix)
	}
	return b.String(), nil
}

// componentRules returns the rules by which the pattern of a component is compiled.
func componentRules(c Component) compileRules {
	switch c {
	case Protocol:
		return compileRules{encode: encodeProtocol}
	case Username, Password:
		return compileRules{encode: encodeLogin}
	case Hostname:
		return compileRules{encode: encodeHostname, delimiter: "."}
	case Port:
		return compileRules{encode: func(s string) (string, error) { return encodePort(s, "") }}
	case Pathname:
		return compileRules{encode: encodePathname, delimiter: "/", prefix: "/"}
	case Search:
		return compileRules{encode: encodeSearch}
	}
	return compileRules{encode: encodeHash}
}

// The encoders change the text of a component as the parser changes the component of a URL.

// encodeProtocol returns a scheme in lower case; "" stays "". The error is a *PatternError if s is not a scheme.
func encodeProtocol(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u, err := Parse(s + "://dummy.invalid")
	if err != nil {
		return "", &PatternError{Reason: "not a scheme"}
	}
	return u.Scheme(), nil
}

// encodeLogin escapes a user name or a password. The error is always nil.
func encodeLogin(s string) (string, error) { return PercentEncode(s, UserinfoSet), nil }

// encodeHostname returns a host as the parser writes it; "" stays "". The error is a *PatternError if s is not a host,
// or has a port.
func encodeHostname(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	m := dummy("https")
	m.text = withoutBreaks(s)
	if !m.overrideHost(false) {
		return "", &PatternError{Reason: "not a host"}
	}
	return m.url.host, nil
}

// encodeIPv6Hostname returns a host in lower case. It is for a pattern that starts with "[". A character other than a
// hex digit, a bracket or a colon is a *PatternError.
func encodeIPv6Hostname(s string) (string, error) {
	for i := range len(s) {
		if !ascii.IsHex(s[i]) && strings.IndexByte("[]:", s[i]) < 0 {
			return "", &PatternError{Reason: "not an IPv6 address"}
		}
	}
	return strings.ToLower(s), nil
}

// encodePort returns the port without leading zeros, or "" for the default port of the scheme and for "". The error is
// a *PatternError if s does not start with a port.
func encodePort(s, scheme string) (string, error) {
	if s == "" {
		return "", nil
	}
	m := dummy(scheme)
	if !m.overridePort(withoutBreaks(s)) {
		return "", &PatternError{Reason: "not a port"}
	}
	return m.url.port, nil
}

// encodePathname encodes a path of a special URL. A text that does not start with "/" is encoded as the middle of a
// path.
func encodePathname(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	const stem = "/-"
	partial := s[0] != '/'
	if partial {
		s = stem + s
	}
	m := dummy("https")
	m.override = true
	m.text = withoutBreaks(s)
	if err := m.segments(1); err != nil {
		return "", &PatternError{Reason: "not a path"}
	}
	path := m.url.path + string(m.path.bytes())
	if partial {
		path = path[min(len(stem), len(path)):] // segments ".." may have removed the stem
	}
	return path, nil
}

// encodeOpaquePathname encodes an opaque path. It cuts s at a "?" or "#". The error is always nil.
func encodeOpaquePathname(s string) (string, error) {
	s = withoutBreaks(s)
	if end := strings.IndexAny(s, "?#"); end >= 0 {
		s = s[:end]
	}
	return PercentEncode(s, C0Control), nil
}

// encodeSearch escapes a query. The error is always nil.
func encodeSearch(s string) (string, error) {
	return PercentEncode(withoutBreaks(s), SpecialQuerySet), nil
}

// encodeHash escapes a fragment. The error is always nil.
func encodeHash(s string) (string, error) { return PercentEncode(withoutBreaks(s), FragmentSet), nil }

// dummy returns a machine whose URL has the scheme and a meaningless host. The encoders use it to parse single parts.
func dummy(scheme string) *machine {
	m := &machine{}
	m.url.setScheme(scheme)
	m.url.hasHost, m.url.host = true, "dummy.invalid"
	return m
}
