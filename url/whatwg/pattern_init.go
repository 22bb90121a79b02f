package whatwg

import (
	"strings"

	"locus/url"
)

// process returns the components of init, without the delimiters at their ends. The base URL supplies the components
// before the first component of init, and the directory of a relative pathname. If pattern is true, the components are
// patterns: process leaves them unencoded, and a missing component is absent. If pattern is false, process encodes the
// components as the URL parser does, and a missing component is empty. The error is a *PatternError if the base is not
// a URL or a component cannot be encoded.
func (init PatternInit) process(pattern bool) (values [componentCount]url.Part, err error) {
	if !pattern {
		for c := range values {
			values[c] = url.Some("")
		}
	}
	own := [componentCount]url.Part{
		init.Protocol, init.Username, init.Password, init.Hostname, init.Port, init.Pathname, init.Search, init.Hash,
	}
	own[Protocol].Text = strings.TrimSuffix(own[Protocol].Text, ":")
	own[Search].Text = strings.TrimPrefix(own[Search].Text, "?")
	own[Hash].Text = strings.TrimPrefix(own[Hash].Text, "#")
	directory := "" // of the base
	if init.BaseURL.Present {
		u, err := Parse(init.BaseURL.Text)
		if err != nil {
			return values, &PatternError{Reason: "the base is not a URL"}
		}
		base := decompose(u)
		inherit(&values, own, base.components(), pattern)
		if !base.opaque {
			directory = base.path[:strings.LastIndexByte(base.path, '/')+1]
		}
	}
	for i, part := range own {
		if !part.Present {
			continue
		}
		c, protocol := Component(i), values[Protocol].Text
		encode := componentRules(c).encode
		switch {
		case c == Port:
			encode = func(s string) (string, error) { return encodePort(s, protocol) }
		case c == Pathname && protocol != "" && !isSpecial(protocol):
			encode = encodeOpaquePathname
		}
		if c == Pathname && !isAbsolutePathname(part.Text, pattern) {
			part.Text = inherited(directory, pattern) + part.Text
		}
		if !pattern {
			if part.Text, err = encode(part.Text); err != nil {
				return values, &PatternError{Component: c.String(), Reason: reason(err)}
			}
		}
		values[c] = part
	}
	return values, nil
}

// inherit copies to values the components of base that come before the first component of own; the login of own does
// not count. It copies a user name or a password only if values are not patterns, and own has neither that part nor a
// user name, a host or a port. pattern says whether values are patterns, so that the copies must be escaped.
func inherit(values *[componentCount]url.Part, own [componentCount]url.Part, base [componentCount]string, pattern bool) {
	for i, text := range base {
		switch c := Component(i); {
		case c == Username || c == Password:
			if pattern || own[Hostname].Present || own[Port].Present || own[Username].Present || own[c].Present {
				continue
			}
		case own[c].Present:
			return
		}
		values[i] = url.Some(inherited(text, pattern))
	}
}

// inherited returns a text of the base URL, escaped for use in a pattern if pattern is true.
func inherited(text string, pattern bool) string {
	if pattern {
		return escapePattern(text)
	}
	return text
}

// isAbsolutePathname reports whether s starts with "/". In a pattern, the slash may be escaped or the first character
// in braces.
func isAbsolutePathname(s string, pattern bool) bool {
	return strings.HasPrefix(s, "/") || pattern && (strings.HasPrefix(s, `\/`) || strings.HasPrefix(s, "{/"))
}

// isIPv6Pattern reports whether s, the pattern of a host, describes an IPv6 address, because it starts with "[".
func isIPv6Pattern(s string) bool {
	return len(s) >= 2 && (s[0] == '[' || strings.HasPrefix(s, "{[") || strings.HasPrefix(s, `\[`))
}

// A constructor is the state of the constructor string parser, which divides a pattern that is written as a URL into
// its components. It first looks for the delimiter that ends a component, and rewinds when it finds out that the
// component is another one.
type constructor struct {
	text    string
	tokens  []token
	init    [componentCount]url.Part
	state   constructorState
	start   int  // the first token of the component
	i       int  // the current token
	step    int  // how many tokens to advance
	special bool // the protocol matches a special scheme
}

// A constructorState says which part is being read. A value up to stateHash is a Component.
type constructorState uint8

const (
	stateHash      = constructorState(Hash)
	stateAuthority = constructorState(componentCount)
	stateStart     = stateAuthority + 1
	stateDone      = stateStart + 1
)

// parseConstructor is the constructor string parser. It divides text, a pattern that is written as a URL, into the
// patterns of its components. The error is a *PatternError about the protocol.
func parseConstructor(text string) (PatternInit, error) {
	tokens, _ := tokenize(text, false) // it fails only if strict is true
	c := constructor{text: text, tokens: tokens, state: stateStart}
	depth, brackets := 0, 0 // of groups, and of the brackets of a host
	for c.i < len(tokens) {
		c.step = 1
		kind := tokens[c.i].kind
		if kind == tokenEnd {
			if c.state != stateStart && c.state != stateAuthority {
				break
			}
			c.atEnd()
			c.i += c.step
			continue
		}
		if kind == tokenOpen {
			depth++
			c.i++
			continue
		}
		if depth > 0 {
			if kind != tokenClose {
				c.i++
				continue
			}
			depth--
		}
		if err := c.endComponent(&brackets); err != nil {
			return PatternInit{}, err
		}
		c.i += c.step
	}
	c.change(stateDone, 0)
	if c.init[Hostname].Present && !c.init[Port].Present {
		c.init[Port] = url.Some("")
	}
	v := &c.init
	return PatternInit{
		Protocol: v[Protocol], Username: v[Username], Password: v[Password], Hostname: v[Hostname], Port: v[Port],
		Pathname: v[Pathname], Search: v[Search], Hash: v[Hash],
	}, nil
}

// atEnd is called when the text has ended and no delimiter has ended the component. In stateAuthority the text has no
// login, so atEnd reads the component again as a hostname. In stateStart the text has no protocol, so atEnd reads it
// again as a path, a search or a hash.
func (c *constructor) atEnd() {
	if c.state == stateAuthority { // there was no "@"
		c.rewind(constructorState(Hostname))
		return
	}
	c.rewind(c.state)
	switch {
	case c.isChar(c.i, "#"):
		c.change(stateHash, 1)
	case c.isSearchPrefix():
		c.change(constructorState(Search), 1)
	default:
		c.change(constructorState(Pathname), 0)
	}
}

// endComponent changes the state if the current token ends the component that is being read. It counts the open
// brackets of the host in brackets. The error is a *PatternError about the protocol.
func (c *constructor) endComponent(brackets *int) error {
	change := func(component Component, skip int) { c.change(constructorState(component), skip) }
	isHash, isSearch, isPath := c.isChar(c.i, "#"), c.isSearchPrefix(), c.isChar(c.i, "/")
	isColon, isAt := c.isChar(c.i, ":"), c.isChar(c.i, "@")
	switch c.state {
	case stateStart:
		if isColon {
			c.rewind(constructorState(Protocol))
		}
		return nil
	case constructorState(Protocol):
		if isColon {
			return c.endProtocol()
		}
		return nil
	case stateAuthority:
		switch {
		case isAt:
			c.rewind(constructorState(Username))
		case isPath, isSearch, isHash:
			c.rewind(constructorState(Hostname))
		}
		return nil
	case constructorState(Username):
		switch {
		case isColon:
			change(Password, 1)
		case isAt:
			change(Hostname, 1)
		}
		return nil
	case constructorState(Password):
		if isAt {
			change(Hostname, 1)
		}
		return nil
	case constructorState(Hostname):
		switch {
		case c.isChar(c.i, "["):
			*brackets++
			return nil
		case c.isChar(c.i, "]"):
			*brackets--
			return nil
		case isColon && *brackets == 0:
			change(Port, 1)
			return nil
		}
	case stateHash:
		return nil
	}
	switch { // the hostname, the port, the pathname or the search
	case isPath && c.state < constructorState(Pathname):
		change(Pathname, 0)
	case isSearch && c.state < constructorState(Search):
		change(Search, 1)
	case isHash:
		c.change(stateHash, 1)
	}
	return nil
}

// endProtocol ends the protocol at its colon, sets c.special, and starts the authority or the pathname that follows.
// The error is a *PatternError if the protocol is not a valid pattern.
func (c *constructor) endProtocol() error {
	compiled, err := compile(c.component(), componentRules(Protocol))
	if err != nil {
		return &PatternError{Component: Protocol.String(), Reason: reason(err)}
	}
	c.special = compiled.matchesSpecial()
	switch {
	case c.isChar(c.i+1, "/") && c.isChar(c.i+2, "/"):
		c.change(stateAuthority, len("://"))
	case c.special:
		c.change(stateAuthority, 1)
	default:
		c.change(constructorState(Pathname), 1)
	}
	return nil
}

// change stores the current component, which ends before the current token, and sets the state to to. The new component
// starts skip tokens after the current one. Absent components between the two become empty; the pathname becomes "/" if
// c.special is true.
func (c *constructor) change(to constructorState, skip int) {
	if c.state <= stateHash {
		c.init[c.state] = url.Some(c.component())
	}
	if c.state != stateStart && to != stateDone {
		hostname, pathname, search := constructorState(Hostname), constructorState(Pathname), constructorState(Search)
		beforeHost := c.state < hostname || c.state == stateAuthority
		if beforeHost && hostname < to && to <= stateHash && !c.init[Hostname].Present {
			c.init[Hostname] = url.Some("")
		}
		if (beforeHost || c.state < pathname) && (to == search || to == stateHash) && !c.init[Pathname].Present {
			c.init[Pathname] = url.Some("")
			if c.special {
				c.init[Pathname].Text = "/"
			}
		}
		if (beforeHost || c.state < search) && to == stateHash && !c.init[Search].Present {
			c.init[Search] = url.Some("")
		}
	}
	c.state = to
	c.i += skip
	c.start, c.step = c.i, 0
}

// rewind goes back to the first token of the component, and sets the state to as, so that the component is read as
// another one.
func (c *constructor) rewind(as constructorState) {
	c.i, c.step, c.state = c.start, 0, as
}

// component returns the text from the start of the component up to the current token, which is not included.
func (c *constructor) component() string {
	return c.text[c.token(c.start).at:c.token(c.i).at]
}

// token returns token i, or the last token, which is a tokenEnd, if i is too large.
func (c *constructor) token(i int) token { return c.tokens[min(i, len(c.tokens)-1)] }

// isChar reports whether token i is the character char, without a special meaning in a pattern.
func (c *constructor) isChar(i int, char string) bool {
	t := c.token(i)
	return t.value == char && (t.kind == tokenChar || t.kind == tokenEscapedChar || t.kind == tokenInvalid)
}

// isSearchPrefix reports whether the current token is a "?" that starts the search, and not a modifier.
func (c *constructor) isSearchPrefix() bool {
	switch {
	case c.isChar(c.i, "?"):
		return true
	case c.token(c.i).value != "?":
		return false
	case c.i == 0:
		return true
	}
	switch c.token(c.i - 1).kind {
	case tokenName, tokenRegexp, tokenClose, tokenAsterisk:
		return false
	}
	return true
}
