package whatwg

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
)

// A patternPart is a part of the pattern of a component: fixed text or a group.
type patternPart struct {
	kind     partKind
	modifier partModifier
	value    string // the fixed text, or the regular expression
	name     string // of a group
	prefix   string
	suffix   string
}

// A partKind is a kind of part. A greater kind is more specific.
type partKind uint8

const (
	fullWildcard    partKind = iota // .*
	segmentWildcard                 // all up to the delimiter
	regexpPart
	fixedText
)

// A partModifier says how often a part may occur. A greater modifier is more specific.
type partModifier uint8

const (
	zeroOrMore partModifier = iota
	optional
	oneOrMore
	once
)

var modifierText = [...]string{zeroOrMore: "*", optional: "?", oneOrMore: "+", once: ""}

// compileRules say how the pattern of a component is compiled.
type compileRules struct {
	encode     func(string) (string, error) // changes fixed text as the URL parser does
	delimiter  string                       // ends a segment; "" if the component has no segments
	prefix     string                       // belongs to the group after it
	ignoreCase bool
}

// segment returns the regular expression of a segment wildcard, in JavaScript's syntax.
func (c *compileRules) segment() string {
	if c.delimiter == "" {
		return "[^]+?"
	}
	return `[^\` + c.delimiter + "]+?"
}

const anything = ".*" // the regular expression of a full wildcard

// A partParser parses the pattern of a component into parts.
type partParser struct {
	tokenReader
	rules   compileRules
	parts   []patternPart
	pending strings.Builder // fixed text that is not in parts yet
	names   map[string]bool // of the groups in parts
	groups  int             // how many groups have no name
}

// parseParts is the pattern parser. It returns the parts of the pattern of one component, with encoded texts. The error
// is a *PatternError.
func parseParts(pattern string, rules compileRules) ([]patternPart, error) {
	tokens, err := tokenize(pattern, true)
	if err != nil {
		return nil, err
	}
	p := partParser{tokenReader: tokenReader{tokens: tokens}, rules: rules, names: map[string]bool{}}
	for p.i < len(tokens) {
		char, hasChar := p.take(tokenChar)
		name, re := p.group()
		if name.value != "" || re.value != "" {
			prefix := char.value
			if prefix != rules.prefix {
				p.pending.WriteString(prefix)
				prefix = ""
			}
			if err := p.add(prefix, name, re, "", p.modifier()); err != nil {
				return nil, err
			}
			continue
		}
		if !hasChar {
			char, hasChar = p.take(tokenEscapedChar)
		}
		if hasChar {
			p.pending.WriteString(char.value)
			continue
		}
		if _, ok := p.take(tokenOpen); ok {
			prefix := p.text()
			name, re := p.group()
			suffix := p.text()
			if _, ok := p.take(tokenClose); !ok {
				return nil, &PatternError{Reason: `a "{" without its "}"`}
			}
			if err := p.add(prefix, name, re, suffix, p.modifier()); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.flush(); err != nil {
			return nil, err
		}
		if _, ok := p.take(tokenEnd); !ok {
			return nil, &PatternError{Reason: "unexpected " + strconv.Quote(tokens[p.i].value)}
		}
		break
	}
	return p.parts, nil
}

// group takes the tokens of a group: a name, a regular expression, or both, or a "*" alone. An absent token is zero;
// both are zero if the next token does not begin a group.
func (p *partParser) group() (name, re token) {
	name, named := p.take(tokenName)
	re, ok := p.take(tokenRegexp)
	if !ok && !named {
		re, _ = p.take(tokenAsterisk)
	}
	return name, re
}

// text takes the next tokens as long as they are characters, and returns these characters. It returns "" if another
// token comes next.
func (p *partParser) text() string {
	var b strings.Builder
	for {
		t, ok := p.take(tokenChar, tokenEscapedChar)
		if !ok {
			return b.String()
		}
		b.WriteString(t.value)
	}
}

// modifier takes the next token if it is "?", "+" or "*", and returns the modifier. Otherwise it returns once.
func (p *partParser) modifier() partModifier {
	t, _ := p.take(tokenModifier, tokenAsterisk)
	switch t.value {
	case "?":
		return optional
	case "+":
		return oneOrMore
	case "*":
		return zeroOrMore
	}
	return once
}

// flush appends the pending text, encoded, as a part of fixed text, and empties it. It has no effect if there is no
// pending text. The error is a *PatternError.
func (p *partParser) flush() error {
	if p.pending.Len() == 0 {
		return nil
	}
	text, err := p.rules.encode(p.pending.String())
	p.pending.Reset()
	p.parts = append(p.parts, patternPart{kind: fixedText, modifier: once, value: text})
	return err
}

// add appends a part for the group of name and re, with the fixed texts prefix and suffix around it. If both tokens are
// zero, only prefix counts: add appends it as a part if it has a modifier. Otherwise add appends it to the pending
// text, because more fixed text may follow. It returns an error if an earlier group has the same name, or if a text
// cannot be encoded.
func (p *partParser) add(prefix string, name, re token, suffix string, modifier partModifier) error {
	isGroup := name.value != "" || re.value != ""
	if !isGroup && modifier == once {
		p.pending.WriteString(prefix)
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	encodedPrefix, err := p.rules.encode(prefix)
	if err != nil {
		return err
	}
	if !isGroup {
		if prefix != "" {
			p.parts = append(p.parts, patternPart{kind: fixedText, modifier: modifier, value: encodedPrefix})
		}
		return nil
	}
	part := patternPart{kind: regexpPart, modifier: modifier, value: re.value, name: name.value, prefix: encodedPrefix}
	switch {
	case re.value == "", re.kind == tokenRegexp && re.value == p.rules.segment():
		part.kind, part.value = segmentWildcard, ""
	case re.kind == tokenAsterisk, re.value == anything:
		part.kind, part.value = fullWildcard, ""
	}
	if part.name == "" {
		part.name = strconv.Itoa(p.groups)
		p.groups++
	}
	if p.names[part.name] {
		return &PatternError{Reason: "two groups are named " + strconv.Quote(part.name)}
	}
	p.names[part.name] = true
	part.suffix, err = p.rules.encode(suffix)
	p.parts = append(p.parts, part)
	return err
}

// toRegexp returns a regular expression, in Go's syntax, that matches the texts of the component with these parts.
// names are the names of its groups, in order. The error is a *PatternError.
func toRegexp(parts []patternPart, rules compileRules) (expression string, names []string, err error) {
	var b strings.Builder
	if rules.ignoreCase {
		b.WriteString("(?i)")
	}
	b.WriteByte('^')
	for _, p := range parts {
		modifier := modifierText[p.modifier]
		if p.kind == fixedText {
			text := regexp.QuoteMeta(p.value)
			if p.modifier != once {
				text = "(?:" + text + ")" + modifier
			}
			b.WriteString(text)
			continue
		}
		names = append(names, p.name)
		value, err := p.expression(rules)
		if err != nil {
			return "", nil, err
		}
		prefix, suffix := regexp.QuoteMeta(p.prefix), regexp.QuoteMeta(p.suffix)
		isRepeated := p.modifier == zeroOrMore || p.modifier == oneOrMore
		switch {
		case prefix == "" && suffix == "" && isRepeated:
			b.WriteString("((?:" + value + ")" + modifier + ")")
		case prefix == "" && suffix == "":
			b.WriteString("(" + value + ")" + modifier)
		case !isRepeated:
			b.WriteString("(?:" + prefix + "(" + value + ")" + suffix + ")" + modifier)
		default:
			b.WriteString("(?:" + prefix + "((?:" + value + ")(?:" + suffix + prefix + "(?:" + value + "))*)" + suffix + ")")
			if p.modifier == zeroOrMore {
				b.WriteByte('?')
			}
		}
	}
	b.WriteByte('$')
	return b.String(), names, nil
}

// expression returns the regular expression of a group, in Go's syntax, without its prefix, suffix and modifier. The
// error is a *PatternError.
func (p *patternPart) expression(rules compileRules) (string, error) {
	switch p.kind {
	case fullWildcard:
		return anything, nil
	case segmentWildcard:
		return goRegexp(rules.segment())
	}
	return goRegexp(p.value)
}

// patternText returns the normalized text of the pattern that consists of parts. parseParts would read it as parts
// again.
func patternText(parts []patternPart, rules compileRules) string {
	var b strings.Builder
	for i, p := range parts {
		modifier := modifierText[p.modifier]
		if p.kind == fixedText {
			if p.modifier == once {
				b.WriteString(escapePattern(p.value))
			} else {
				b.WriteString("{" + escapePattern(p.value) + "}" + modifier)
			}
			continue
		}
		braces := needsBraces(parts, i, rules)
		named := !ascii.IsDigit(p.name[0])
		if braces {
			b.WriteByte('{')
		}
		b.WriteString(escapePattern(p.prefix))
		if named {
			b.WriteString(":" + p.name)
		}
		switch {
		case p.kind == regexpPart:
			b.WriteString("(" + p.value + ")")
		case p.kind == segmentWildcard && !named:
			b.WriteString("(" + rules.segment() + ")")
		case p.kind == segmentWildcard:
			if first, _ := utf8.DecodeRuneInString(p.suffix); p.suffix != "" && isNameRune(first, false) {
				b.WriteByte('\\')
			}
		case !named && (i == 0 || parts[i-1].kind == fixedText || parts[i-1].modifier != once || braces || p.prefix != ""):
			b.WriteByte('*')
		default:
			b.WriteString("(" + anything + ")")
		}
		b.WriteString(escapePattern(p.suffix))
		if braces {
			b.WriteByte('}')
		}
		b.WriteString(modifier)
	}
	return b.String()
}

// needsBraces reports whether the group parts[i] must be written in braces, because the parser would otherwise read
// another pattern.
func needsBraces(parts []patternPart, i int, rules compileRules) bool {
	p := &parts[i]
	if p.suffix != "" || p.prefix != "" && p.prefix != rules.prefix {
		return true
	}
	if !ascii.IsDigit(p.name[0]) && p.kind == segmentWildcard && p.modifier == once && i+1 < len(parts) && continuesName(&parts[i+1]) {
		return true
	}
	return p.prefix == "" && i > 0 && parts[i-1].kind == fixedText && rules.prefix != "" && strings.HasSuffix(parts[i-1].value, rules.prefix)
}

// continuesName reports whether the parser would read the text of p as the continuation of a name before it.
func continuesName(p *patternPart) bool {
	if p.kind == fixedText {
		first, _ := utf8.DecodeRuneInString(p.value)
		return isNameRune(first, false)
	}
	return p.prefix == "" && p.suffix == "" && ascii.IsDigit(p.name[0])
}

// escapePattern returns s with a "\" before each character that has a meaning in a pattern.
func escapePattern(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`+*?:{}()\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// compareParts returns -1 if a is less specific than b, 1 if a is more specific, and 0 otherwise. It compares part by
// part: first the kind, then the modifier, then the texts. After the end of the shorter pattern it compares with an
// empty fixed text.
func compareParts(a, b []patternPart) int {
	end := patternPart{kind: fixedText, modifier: once}
	for i := range max(len(a), len(b)) {
		x, y := end, end
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		order := cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.modifier, y.modifier),
			cmp.Compare(x.prefix, y.prefix), cmp.Compare(x.suffix, y.suffix), cmp.Compare(x.value, y.value))
		if order != 0 {
			return order
		}
	}
	return 0
}
