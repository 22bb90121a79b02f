package z3950

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A QueryError reports a syntax error of a query in PQF.
type QueryError struct {
	Text   string
	Offset int    // in bytes
	Want   string // what should be there
}

// Error returns `query "@and a": at byte 6 there should be a term`.
func (e *QueryError) Error() string {
	return fmt.Sprintf("query %q: at byte %d there should be %s", e.Text, e.Offset, e.Want)
}

const (
	maxOperators  = 100       // maximum depth of a query
	maxAttributes = 50        // of a term
	maxQuery      = 256 << 10 // maximum number of bytes of the attributes of all terms, because a text can repeat them for each term
)

// parsePQF reads a query in PQF, the prefix notation of YAZ:
//
//	@attr 1=4 @and sea "old charts"
//	|         |    |   a term of two words
//	|         |    a term
//	|         an operator: @and, @or, @not, @prox
//	an attribute of what follows: type 1 (use) is 4 (title)
//
// It may start with @attrset and the name of an attribute set; without it that is bib-1.
// The error is a [*QueryError].
func parsePQF(s string) (*query, error) {
	p := &pqfParser{text: s}
	q := &query{set: bib1}
	if p.peek() == "@attrset" {
		p.next()
		q.set = p.attributeSet()
	}
	q.root = p.node(nil, termGeneral, 0)
	if p.peek() != "" {
		p.fail("the end")
	}
	if p.err != nil {
		return nil, p.err
	}
	return q, nil
}

// A pqfParser reads tokens. After an error it returns only empty tokens.
type pqfParser struct {
	text string
	at   int // offset of the next token, or of spaces before it
	size int // approximate number of bytes of the attributes of all terms
	err  error
}

// fail records an error at the current token, unless an error was recorded before. want describes
// the text that should be there.
func (p *pqfParser) fail(want string) {
	if p.err == nil {
		p.err = &QueryError{p.text, p.at, want}
	}
}

// token returns the next token without its quotes, and the offset of its end, but does not move
// past it. At the end of the text the token is "" and not quoted.
func (p *pqfParser) token() (token string, isQuoted bool, end int) {
	if p.err != nil {
		return "", false, p.at
	}
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, `"`) {
		if i := strings.IndexByte(rest, ' '); i >= 0 {
			rest = rest[:i]
		}
		return rest, false, p.at + len(rest)
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '"':
			return b.String(), true, p.at + i + 1
		case rest[i] == '\\' && i+1 < len(rest):
			i++
		}
		b.WriteByte(rest[i])
	}
	p.at = len(p.text)
	p.fail(`a quote (")`)
	return "", false, p.at
}

// peek returns the next token, but does not move past it. It returns "" at the end. For a quoted
// token it returns a quotation mark, because such a token is always a term.
func (p *pqfParser) peek() string {
	token, isQuoted, _ := p.token()
	if isQuoted {
		return `"`
	}
	return token
}

// next returns the next token and moves past it. It returns "" at the end.
func (p *pqfParser) next() string {
	token, _, end := p.token()
	p.at = end
	return token
}

// resultSet reads the name of a result set.
func (p *pqfParser) resultSet() string {
	name, _, end := p.token()
	if name == "" {
		p.fail("the name of a result set")
	}
	p.at = end
	return name
}

// number reads a number of up to 32 bits. what describes the number in an error.
func (p *pqfParser) number(what string) int64 {
	n, err := strconv.ParseInt(p.peek(), 10, 32)
	if err != nil {
		p.fail(what)
	}
	p.next()
	return n
}

// node reads an operator with its two operands, a result set or a term. The attributes and the kind
// of term before an operator apply to both operands. depth is the number of operators around the
// node.
func (p *pqfParser) node(attributes []attribute, kind termKind, depth int) *node {
	if depth > maxOperators {
		p.fail(fmt.Sprintf("no more than %d operators in one another", maxOperators))
	}
	for p.err == nil {
		token := p.peek()
		op, isOperator := operators[token]
		switch {
		case token == "":
			p.fail("a term")
		case token == "@attr":
			p.next()
			attributes = withAttribute(attributes, p.attribute())
			if len(attributes) > maxAttributes {
				p.fail(fmt.Sprintf("no more than %d attributes of a term", maxAttributes))
			}
		case token == "@term":
			p.next()
			var known bool
			if kind, known = termKinds[p.peek()]; !known {
				p.fail("general, numeric, string, oid, datetime or null")
			}
			p.next()
		case isOperator:
			p.next()
			n := &node{op: op}
			if op == opProx {
				n.proximity = p.proximity()
			}
			n.left = p.node(attributes, kind, depth+1)
			n.right = p.node(attributes, kind, depth+1)
			return n
		case token == "@set":
			p.next()
			return &node{set: p.resultSet()}
		case strings.HasPrefix(token, "@"):
			p.fail("@attr, @and, @or, @not, @prox, @set, @term or a term")
		default:
			return &node{term: p.term(attributes, kind)}
		}
	}
	return &node{}
}

// withAttribute returns a copy of list with a at its end, in the place of an attribute of the same
// type and set.
func withAttribute(list []attribute, a attribute) []attribute {
	list = slices.DeleteFunc(slices.Clone(list), func(b attribute) bool { return b.kind == a.kind && b.set == a.set })
	return append(list, a)
}

// attributeSize is the approximate number of bytes of an attribute in a request, without its
// text.
const attributeSize = 16

// term reads a term of a kind. It records an error if the text is not of that kind, or if the query
// becomes too long.
func (p *pqfParser) term(attributes []attribute, kind termKind) term {
	token, _, end := p.token()
	for _, a := range attributes {
		p.size += attributeSize + len(a.text)
	}
	if p.size > maxQuery {
		p.fail("fewer terms, because each has all the attributes before it")
	}
	switch kind {
	case termNumeric:
		if n, err := strconv.ParseInt(token, 10, 64); err != nil || strconv.FormatInt(n, 10) != token {
			p.fail("a number")
		}
	case termOID:
		if !isOID(token) {
			p.fail("an object identifier, such as 1.2.840")
		}
	case termNull:
		token = ""
	}
	if p.err == nil {
		p.at = end
	}
	return term{attributes: attributes, kind: kind, text: token}
}

// attribute reads [ set ] type "=" value.
func (p *pqfParser) attribute() attribute {
	var a attribute
	if token := p.peek(); !strings.Contains(token, "=") {
		a.set = p.attributeSet()
	}
	kind, value, ok := strings.Cut(p.peek(), "=")
	n, err := strconv.ParseInt(kind, 10, 32)
	if !ok || err != nil || value == "" {
		p.fail("an attribute, such as 1=4")
	}
	a.kind = n
	if a.value, err = strconv.ParseInt(value, 10, 32); err != nil {
		a.value, a.text = 0, value
	}
	p.next()
	return a
}

// attributeSet reads the name or the object identifier of an attribute set.
func (p *pqfParser) attributeSet() string {
	token := strings.ToLower(p.peek())
	if oid := attributeSets[token]; oid != "" {
		p.next()
		return oid
	}
	if !isOID(token) {
		p.fail("an attribute set, such as bib-1")
	}
	p.next()
	return token
}

// proximity reads the parameters of @prox: exclusion distance ordered relation which-code
// unit-code. The result is not nil. If a parameter is invalid, p fails.
func (p *pqfParser) proximity() *proximity {
	prox := &proximity{}
	switch p.next() {
	case "0":
		prox.hasExclusion = true
	case "1":
		prox.hasExclusion, prox.exclusion = true, true
	case "void":
	default:
		p.fail("0, 1 or void")
	}
	prox.distance = p.number("the distance")
	prox.ordered = p.number("0 or 1") != 0
	prox.relation = p.number("a relation, 1 to 6")
	switch p.next() {
	case "k", "known":
	case "p", "private":
		prox.isPrivate = true
	default:
		p.fail("known or private")
	}
	prox.unit = p.number("a unit")
	return prox
}

// isOID reports whether s is an object identifier that BER can encode.
func isOID(s string) bool {
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 20 {
		return false
	}
	var first [2]uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || strconv.FormatUint(n, 10) != part {
			return false
		}
		if i < 2 {
			first[i] = n
		}
	}
	return first[0] < 2 && first[1] < 40 || first[0] == 2
}

// String returns the query in PQF.
func (q *query) String() string {
	var b strings.Builder
	if q.set != bib1 {
		b.WriteString("@attrset " + setName(q.set) + " ")
	}
	q.root.print(&b)
	return b.String()
}

// setName returns the name of an attribute set, or its object identifier if it has no name.
func setName(oid string) string {
	for name, known := range attributeSets {
		if known == oid {
			return name
		}
	}
	return oid
}

// print writes the node in PQF: an operator and its operands, a result set, or a term.
func (n *node) print(b *strings.Builder) {
	switch {
	case n.op != 0:
		for name, op := range operators {
			if op == n.op {
				b.WriteString(name + " ")
			}
		}
		n.proximity.print(b)
		n.left.print(b)
		b.WriteByte(' ')
		n.right.print(b)
	case n.set != "":
		b.WriteString("@set " + quotePQF(n.set))
	default:
		n.term.print(b)
	}
}

// print writes the parameters of @prox in PQF, each with a space after it. It has no effect if p is
// nil, because the operator is then another one.
func (p *proximity) print(b *strings.Builder) {
	if p == nil {
		return
	}
	digit := map[bool]string{false: "0", true: "1"}
	exclusion := "void"
	if p.hasExclusion {
		exclusion = digit[p.exclusion]
	}
	which := map[bool]string{false: "k", true: "p"}[p.isPrivate]
	fmt.Fprintf(b, "%s %d %s %d %s %d ", exclusion, p.distance, digit[p.ordered], p.relation, which, p.unit)
}

// print writes the term in PQF: its attributes, its kind unless that is general, and its text.
func (t term) print(b *strings.Builder) {
	for _, a := range t.attributes {
		b.WriteString("@attr ")
		if a.set != "" {
			b.WriteString(setName(a.set) + " ")
		}
		fmt.Fprintf(b, "%d=%s ", a.kind, cmp.Or(a.text, strconv.FormatInt(a.value, 10)))
	}
	for name, kind := range termKinds {
		if kind == t.kind && kind != termGeneral {
			b.WriteString("@term " + name + " ")
		}
	}
	b.WriteString(quotePQF(t.text))
}

// quotePQF returns a term in PQF, with quotes if it needs them.
func quotePQF(s string) string {
	if s != "" && !strings.ContainsAny(s, ` "\`) && s[0] != '@' {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
