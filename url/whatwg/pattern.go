package whatwg

import (
	"errors"
	"fmt"

	"locus/url"
)

// A URLPattern matches URLs component by component, as the WHATWG's URL Pattern Standard defines it.
//
//	https://*.example.com/books/:id(\d+)?
//	        |            |     |   |    |
//	 full wildcard   fixed text|   |  modifier: "?", "+" or "*"
//	                         name  regular expression
//
// [ParsePattern] and [PatternInit.Pattern] make patterns. Several goroutines may share a pattern.
//
// Notable divergences:
//   - Regular expressions are translated to Go's. Lookaround, backreferences and
//     properties of strings are errors.
//   - Texts are UTF-8. There are no lone surrogates.
type URLPattern struct {
	components [componentCount]component
}

// A PatternInit contains the patterns of the components of a URL or, for [URLPattern.MatchInit], the components
// themselves. An absent component is inherited from BaseURL, if BaseURL is present and all components before the
// absent one are absent too. Any other absent component is a wildcard in a pattern, and empty in a URL.
type PatternInit struct {
	Protocol url.Part // without ":"
	Username url.Part
	Password url.Part
	Hostname url.Part
	Port     url.Part
	Pathname url.Part
	Search   url.Part // without "?"
	Hash     url.Part // without "#"
	BaseURL  url.Part
}

// A Component is a part of a URL for which a [URLPattern] has a pattern.
type Component uint8

// The components, in the order in which they stand in a URL.
const (
	Protocol Component = iota
	Username
	Password
	Hostname
	Port
	Pathname
	Search
	Hash

	componentCount = iota
)

var componentNames = [componentCount]string{"protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"}

// String returns the name of the component's attribute in the standard, such as "protocol".
func (c Component) String() string {
	if c >= componentCount {
		return fmt.Sprintf("Component(%d)", uint8(c))
	}
	return componentNames[c]
}

// A PatternOptions says how a pattern matches. The zero PatternOptions distinguishes upper and lower case.
type PatternOptions struct {
	IgnoreCase bool // in the pathname, the search and the hash
}

// A PatternError describes an error in the text of a pattern.
type PatternError struct {
	Component string // such as "protocol"; "" for the whole text or a base URL
	Reason    string
}

// Error returns the component, if there is one, and the reason.
func (e *PatternError) Error() string {
	if e.Component == "" {
		return "URL pattern: " + e.Reason
	}
	return "URL pattern: " + e.Component + ": " + e.Reason
}

// A PatternMatch has the match of each component of a URL.
type PatternMatch [componentCount]ComponentMatch

// A ComponentMatch is the match of one component.
type ComponentMatch struct {
	Input string // the component of the URL

	// Groups are the texts that the groups of the pattern match, by name. The names of unnamed groups are "0", "1" and
	// so on. A group that takes no part in the match is absent.
	Groups map[string]string
}

// ParsePattern parses a pattern that is written as a URL. A relative pattern needs a base URL; base is "" if there is
// none. The error is a [*PatternError].
func ParsePattern(text, base string, options PatternOptions) (*URLPattern, error) {
	init, err := parseConstructor(text)
	if err != nil {
		return nil, err
	}
	if base != "" {
		init.BaseURL = url.Some(base)
	} else if !init.Protocol.Present {
		return nil, &PatternError{Reason: "a relative pattern without a base URL"}
	}
	return init.Pattern(options)
}

// Pattern compiles the pattern that init describes. The error is a [*PatternError].
func (init PatternInit) Pattern(options PatternOptions) (*URLPattern, error) {
	values, err := init.process(true)
	if err != nil {
		return nil, err
	}
	for c := range values {
		if !values[c].Present {
			values[c] = url.Some("*")
		}
	}
	protocol := values[Protocol].Text
	if port, special := defaultPort(protocol); special && port >= 0 && values[Port].Text == fmt.Sprint(port) {
		values[Port].Text = ""
	}
	p := &URLPattern{}
	for c := range Component(componentCount) {
		rules := componentRules(c)
		rules.ignoreCase = c >= Pathname && options.IgnoreCase
		if c == Hostname && isIPv6Pattern(values[c].Text) {
			rules.encode = encodeIPv6Hostname
		}
		if c == Pathname && !p.components[Protocol].matchesSpecial() {
			rules = compileRules{encode: encodeOpaquePathname, ignoreCase: options.IgnoreCase}
		}
		if p.components[c], err = compile(values[c].Text, rules); err != nil {
			return nil, &PatternError{Component: c.String(), Reason: reason(err)}
		}
	}
	return p, nil
}

// reason returns the Reason of the PatternError in err, or the message of any other error.
func reason(err error) string {
	if e, ok := errors.AsType[*PatternError](err); ok {
		return e.Reason
	}
	return err.Error()
}

// Component returns the normalized pattern of a component. It panics if c is not a component.
func (p *URLPattern) Component(c Component) string { return p.components[c].pattern }

// Match returns the match of u, which must be a result of this package, and reports whether u matches.
func (p *URLPattern) Match(u url.URL) (PatternMatch, bool) {
	r := decompose(u)
	return p.match(r.components())
}

// components returns the text of each component.
func (r *record) components() [componentCount]string {
	return [...]string{r.scheme, r.username, r.password, r.host, r.port, r.path, r.query.Text, r.fragment.Text}
}

// MatchText parses text in the context of base, which may be "", and returns the match of that URL. It returns false if
// the URL does not match, or if text or base is not a URL.
func (p *URLPattern) MatchText(text, base string) (PatternMatch, bool) {
	var b url.URL
	if base != "" {
		var err error
		if b, err = Parse(base); err != nil {
			return PatternMatch{}, false
		}
	}
	u, err := Resolve(b, text)
	if err != nil {
		return PatternMatch{}, false
	}
	return p.Match(u)
}

// MatchInit returns the match of the URL that has the components of init. It returns false if the URL does not match,
// or if no URL can have such components.
func (p *URLPattern) MatchInit(init PatternInit) (PatternMatch, bool) {
	values, err := init.process(false)
	if err != nil {
		return PatternMatch{}, false
	}
	var texts [componentCount]string
	for c := range values {
		texts[c] = values[c].Text
	}
	return p.match(texts)
}

// match returns the matches of the texts of all components. ok is false if one of them does not match.
func (p *URLPattern) match(values [componentCount]string) (m PatternMatch, ok bool) {
	for c := range m {
		if m[c], ok = p.components[c].match(values[c]); !ok {
			return PatternMatch{}, false
		}
	}
	return m, true
}

// Generate returns the text of a component with its groups filled in. It returns an error if the pattern of the
// component has a wildcard, a regular expression or a modifier, or if a group is missing or would not match.
func (p *URLPattern) Generate(c Component, groups map[string]string) (string, error) {
	if c >= componentCount {
		return "", &PatternError{Reason: "no such component"}
	}
	text, err := p.components[c].generate(groups)
	if err != nil {
		return "", &PatternError{Component: c.String(), Reason: reason(err)}
	}
	return text, nil
}

// Compare returns -1 if the pattern of a component in p is less specific than the one in q, 1 if it is more specific,
// and 0 if they are equally specific. Sort patterns by Compare in descending order to try the more specific patterns
// first.
func (p *URLPattern) Compare(q *URLPattern, c Component) int {
	return compareParts(p.components[c].parts, q.components[c].parts)
}
