package whatwg

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/internal/ascii"
)

// goRegexp translates a JavaScript regular expression with the flag "v" to Go's syntax. It returns a *PatternError for
// expressions that package regexp cannot match: lookaround, backreferences, "\q{}" and properties of strings.
func goRegexp(js string) (string, error) {
	t := regexpTranslator{text: js}
	for t.i < len(t.text) && t.err == nil {
		t.next()
	}
	return t.b.String(), t.err
}

// A regexpTranslator reads a JavaScript regular expression from left to right, and writes it in Go's
// syntax.
type regexpTranslator struct {
	text string          // in JavaScript's syntax
	i    int             // the offset of the next character of text
	b    strings.Builder // in Go's syntax
	err  error           // the first error
}

// fail records a *PatternError in t.err, unless t.err has an earlier error. The caller goes on, and its result does not
// matter.
func (t *regexpTranslator) fail(format string, args ...any) {
	if t.err == nil {
		t.err = &PatternError{Reason: "regular expression: " + fmt.Sprintf(format, args...)}
	}
}

// peek reports whether s comes next in the text.
func (t *regexpTranslator) peek(s string) bool { return strings.HasPrefix(t.text[t.i:], s) }

// take skips s if s comes next in the text, and reports whether it did.
func (t *regexpTranslator) take(s string) bool {
	if !t.peek(s) {
		return false
	}
	t.i += len(s)
	return true
}

// rune reads the next character. It returns utf8.RuneError at the end of the text.
func (t *regexpTranslator) rune() rune {
	r, size := utf8.DecodeRuneInString(t.text[t.i:])
	t.i += size
	return r
}

// next translates the next element of the expression: a class, an escape, the start of a group, a quantifier in braces,
// or a single character.
func (t *regexpTranslator) next() {
	switch {
	case t.peek("["):
		t.b.WriteString(t.class().text())
	case t.peek(`\`):
		t.escape()
	case t.take("(?"):
		t.group()
	case t.peek("{"):
		t.count()
	case t.peek("}"), t.peek("]"):
		t.fail("a lone %q", t.text[t.i])
	default:
		t.b.WriteRune(t.rune())
	}
}

// group translates the start of a group, after its "(?" has been read. Lookaround is an error.
func (t *regexpTranslator) group() {
	switch {
	case t.peek("="), t.peek("!"), t.peek("<="), t.peek("<!"):
		t.fail("lookaround is not supported")
	case t.take(":"):
		t.b.WriteString("(?:")
	case t.take("<"):
		t.b.WriteString("(?<")
	default:
		flags := t.text[t.i : t.i+len(t.text[t.i:])-len(strings.TrimLeft(t.text[t.i:], "ims-"))]
		if t.i += len(flags); flags == "" || !t.take(":") {
			t.fail("a bad group")
		}
		t.b.WriteString("(?" + flags + ":")
	}
}

// count translates a quantifier in braces, such as "{2,3}", whose "{" comes next.
func (t *regexpTranslator) count() {
	end := strings.IndexByte(t.text[t.i:], '}')
	if end < 0 {
		t.fail(`a lone "{"`)
		return
	}
	braces := t.text[t.i : t.i+end+1]
	least, most, _ := strings.Cut(braces[1:end], ",")
	if least == "" || strings.Trim(least+most, "0123456789") != "" {
		t.fail(`a lone "{"`)
	}
	t.i += end + 1
	t.b.WriteString(braces)
}

// escape translates an escape outside a class. The "\" comes next.
func (t *regexpTranslator) escape() {
	rest := t.text[t.i+1:]
	switch {
	case rest == "":
		t.fail(`a "\" at the end`)
	case rest[0] == 'b' || rest[0] == 'B':
		t.b.WriteString(t.text[t.i : t.i+2])
		t.i += 2
	case '1' <= rest[0] && rest[0] <= '9', rest[0] == 'k':
		t.fail("backreferences are not supported")
	default:
		if set, ok := t.classEscape(); ok {
			t.b.WriteString(set.text())
			return
		}
		t.i++
		if r := t.character(""); t.err == nil {
			fmt.Fprintf(&t.b, `\x{%x}`, r)
		}
	}
}

// character reads the rest of an escape that stands for one character, after its "\", and returns that character.
// Besides the syntax characters, the characters of more may be escaped.
func (t *regexpTranslator) character(more string) rune {
	if t.i == len(t.text) {
		t.fail(`a "\" at the end`)
		return 0
	}
	r := t.rune()
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case '0':
		if t.i < len(t.text) && ascii.IsDigit(t.text[t.i]) {
			t.fail("an octal escape")
		}
		return 0
	case 'c':
		if t.i < len(t.text) && ascii.IsLetter(t.text[t.i]) {
			return t.rune() % 32
		}
	case 'x':
		return t.hex(2)
	case 'u':
		if t.take("{") {
			end := strings.IndexByte(t.text[t.i:], '}')
			if end < 0 {
				break
			}
			r := t.hex(end)
			t.take("}")
			return r
		}
		return t.hex(4)
	}
	if !strings.ContainsRune(`^$\.*+?()[]{}|/`+more, r) {
		t.fail(`an unknown escape "\%c"`, r)
	}
	return r
}

// hex reads exactly that many hexadecimal digits, and returns the character whose number they are.
func (t *regexpTranslator) hex(digits int) rune {
	if t.i+digits > len(t.text) {
		t.fail("an escape that is cut short")
		return 0
	}
	n, err := strconv.ParseUint(t.text[t.i:t.i+digits], 16, 32)
	if err != nil || n > unicode.MaxRune {
		t.fail("a bad escape")
	}
	t.i += digits
	return rune(n)
}

// class reads a class, whose "[" comes next, and returns the set of its characters. It applies the operations "--" and
// "&&". It returns nil after an error.
func (t *regexpTranslator) class() runeSet {
	t.take("[")
	negated := t.take("^")
	var set runeSet
	for first := true; !t.take("]"); first = false {
		if t.i == len(t.text) || t.err != nil {
			t.fail(`a "[" without its "]"`)
			return nil
		}
		switch {
		case !first && t.take("--"):
			operand, _ := t.operand()
			set = set.minus(operand)
			continue
		case !first && t.take("&&"):
			operand, _ := t.operand()
			set = set.minus(set.minus(operand))
			continue
		}
		operand, single := t.operand()
		if single && t.peek("-") && !t.peek("--") {
			t.take("-")
			last, single := t.operand()
			if !single || t.err != nil || last[0].last < operand[0].first {
				t.fail("a bad range")
				return nil
			}
			operand[0].last = last[0].last
		}
		set = append(set, operand...)
	}
	if negated {
		return runeSet{{0, unicode.MaxRune}}.minus(set)
	}
	return set
}

// operand reads a character, an escape or a nested class inside a class, and returns the set of its characters. single
// reports whether it is one character, which can begin or end a range.
func (t *regexpTranslator) operand() (set runeSet, single bool) {
	if t.peek("[") {
		return t.class(), false
	}
	if set, ok := t.classEscape(); ok {
		return set, false
	}
	if t.i == len(t.text) {
		t.fail(`a "[" without its "]"`)
		return nil, false
	}
	r := t.rune()
	switch {
	case r == '\\' && t.take("b"):
		r = '\b'
	case r == '\\':
		r = t.character("-&!#%,:;<=>@`~")
	case strings.ContainsRune("()[]{}/-|", r):
		t.fail("%q in a class", r)
	case t.i < len(t.text) && rune(t.text[t.i]) == r && strings.ContainsRune("&!#$%*+,.:;<=>?@^`~", r):
		t.fail("a doubled %q in a class", r)
	}
	return runeSet{{r, r}}, true
}

// classEscape reads an escape that stands for a set of characters, such as "\d", and returns the set. It returns false,
// and reads nothing, if no such escape comes next.
func (t *regexpTranslator) classEscape() (set runeSet, ok bool) {
	if !t.peek(`\`) || t.i+1 == len(t.text) {
		return nil, false
	}
	all := runeSet{{0, unicode.MaxRune}}
	switch c := t.text[t.i+1]; c | 0x20 {
	case 'd':
		set = runeSet{{'0', '9'}}
	case 'w':
		set = runeSet{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	case 's':
		set = append(tableSet(unicode.Z), runeSet{{'\t', '\r'}, {0xfeff, 0xfeff}}...)
	case 'p':
		return t.property(), true
	default:
		return nil, false
	}
	if t.text[t.i+1]&0x20 == 0 {
		set = all.minus(set)
	}
	t.i += 2
	return set, true
}

// property reads "\p{…}" or "\P{…}", which comes next, and returns the characters with or without the property. It
// returns nil for an unknown property, which is an error.
func (t *regexpTranslator) property() runeSet {
	negated := t.text[t.i+1] == 'P'
	t.i += 2
	end := strings.IndexByte(t.text[t.i:], '}')
	if !t.take("{") || end < 0 {
		t.fail("a bad property")
		return nil
	}
	name := t.text[t.i : t.i+end-1]
	t.i += end
	table := propertyTable(name)
	if table == nil {
		t.fail("the property %q is not known", name)
		return nil
	}
	if negated {
		return runeSet{{0, unicode.MaxRune}}.minus(tableSet(table))
	}
	return tableSet(table)
}

// propertyTable returns the table of a property such as "Script=Greek", "Lu" or "White_Space", or nil if the property
// is not known.
func propertyTable(name string) *unicode.RangeTable {
	if kind, value, ok := strings.Cut(name, "="); ok {
		switch kind {
		case "Script", "sc", "Script_Extensions", "scx":
			return unicode.Scripts[value]
		case "General_Category", "gc":
			return category(value)
		}
		return nil
	}
	if table := category(name); table != nil {
		return table
	}
	return unicode.Properties[name]
}

// category returns the table of a general category, whose name may be long ("Letter") or short ("L"); nil if the
// category is unknown.
func category(name string) *unicode.RangeTable {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	return unicode.Categories[name]
}

// A runeSet is a set of characters. Its ranges may overlap.
type runeSet []runeRange

type runeRange struct{ first, last rune }

// tableSet returns the characters of a table of package unicode as a set.
func tableSet(table *unicode.RangeTable) runeSet {
	var set runeSet
	add := func(first, last, stride rune) {
		if stride == 1 {
			set = append(set, runeRange{first, last})
			return
		}
		for r := first; r <= last; r += stride {
			set = append(set, runeRange{r, r})
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return set
}

// minus returns the characters that are in s but not in other.
func (s runeSet) minus(other runeSet) runeSet {
	rest := append(runeSet(nil), s...)
	for _, o := range other {
		var kept runeSet
		for _, r := range rest {
			if r.first < o.first {
				kept = append(kept, runeRange{r.first, min(r.last, o.first-1)})
			}
			if r.last > o.last {
				kept = append(kept, runeRange{max(r.first, o.last+1), r.last})
			}
		}
		rest = kept
	}
	return rest
}

// text returns the set as a class in Go's syntax.
func (s runeSet) text() string {
	if len(s) == 0 {
		return `[^\x{0}-\x{10ffff}]`
	}
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range s {
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, r.first, r.last)
	}
	b.WriteByte(']')
	return b.String()
}
