package z3950

import (
	"strconv"
	"strings"

	"locus/internal/ber"
)

// The object identifiers of attribute sets.
const (
	bib1     = "1.2.840.10003.3.1"
	explain1 = "1.2.840.10003.3.2"
)

// attributeSets are the attribute sets by their names in PQF.
var attributeSets = map[string]string{
	"bib-1": bib1, "exp-1": explain1, "ext-1": "1.2.840.10003.3.3", "ccl-1": "1.2.840.10003.3.4", "gils": "1.2.840.10003.3.5",
	"stas": "1.2.840.10003.3.6", "collections-1": "1.2.840.10003.3.7", "cimi-1": "1.2.840.10003.3.8", "geo": "1.2.840.10003.3.9",
	"zbig": "1.2.840.10003.3.10", "util": "1.2.840.10003.3.11", "xd-1": "1.2.840.10003.3.12", "zthes": "1.2.840.10003.3.13",
	"fin-1": "1.2.840.10003.3.14", "dan-1": "1.2.840.10003.3.15", "holdings": "1.2.840.10003.3.16", "rus-1": "1.2.840.10003.3.17",
	"bib-2": "1.2.840.10003.3.18",
}

// A query is a type-1 query (RPN).
type query struct {
	set  string // object identifier of its attribute set
	root *node
}

// A node is an operator with two operands, a term, or the name of a result set.
type node struct {
	op          operator // 0 for an operand
	proximity   *proximity
	left, right *node

	set  string // a result set; "" for a term
	term term
}

// An operator combines two operands. Its value is its tag plus one.
type operator uint8

const (
	opAnd operator = iota + 1
	opOr
	opNot
	opProx
)

// operators are the operators by their names in PQF.
var operators = map[string]operator{"@and": opAnd, "@or": opOr, "@not": opNot, "@prox": opProx}

// A proximity says how near to each other two terms must be.
type proximity struct {
	hasExclusion, exclusion bool
	distance                int64
	ordered                 bool
	relation                int64
	isPrivate               bool
	unit                    int64
}

// A term is a word or phrase to search for, with its attributes.
type term struct {
	attributes []attribute
	kind       termKind
	text       string // a number as decimal digits, an object identifier as numbers with "."
}

// A termKind is the type of a term. Its value is its tag; 0 is a general term.
type termKind uint32

const (
	termGeneral  termKind = 0
	termNumeric  termKind = 215
	termText     termKind = 216
	termOID      termKind = 217
	termDateTime termKind = 218
	termNull     termKind = 221
)

// termKinds are the types of terms by their names in PQF.
var termKinds = map[string]termKind{"general": termGeneral, "numeric": termNumeric, "string": termText, "oid": termOID, "datetime": termDateTime, "null": termNull}

// An attribute says how the server interprets a term: type 1 (use) with the value 4 means
// "title".
type attribute struct {
	set   string // object identifier; "" means the attribute set of the query
	kind  int64
	value int64
	text  string // instead of value; "" if the attribute has a value
}

// Types of attributes in Bib-1.
const (
	useAttribute       = 1
	structureAttribute = 4
)

// Values of the use attribute in Bib-1, as bib1-attr(7) of YAZ lists them.
const (
	useTitle       = 4
	useLocalNumber = 12
	useAny         = 1016
	useDocID       = 1032
	useAnywhere    = 1035
)

// Values of the structure attribute in Bib-1.
const (
	structurePhrase = 1
	structureURx    = 104
)

// attr returns an attribute with that type and value, in the attribute set of the query.
func attr(kind, value int64) attribute { return attribute{kind: kind, value: value} }

// wordsQuery returns the query for the words that a person typed. A record must have all of
// them, each with the attributes. Words in quotes are one term, a phrase. The result is nil if
// words has no words.
func wordsQuery(words string, attributes ...attribute) *query {
	var root *node
	for _, w := range splitWords(words) {
		t := term{attributes: attributes, text: w}
		if strings.Contains(w, " ") {
			t.attributes = append([]attribute{attr(structureAttribute, structurePhrase)}, attributes...)
		}
		operand := &node{term: t}
		if root == nil {
			root = operand
		} else {
			root = &node{op: opAnd, left: root, right: operand}
		}
	}
	if root == nil {
		return nil
	}
	return &query{set: bib1, root: root}
}

// splitWords returns the words of text, without quotation marks. Text between two quotation
// marks, or after the last one if it is unpaired, is one word with single spaces. It drops
// empty words.
func splitWords(text string) []string {
	var words []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			if phrase := strings.Join(strings.Fields(part), " "); phrase != "" {
				words = append(words, phrase)
			}
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// termQuery returns the query for one term.
func termQuery(text string, attributes ...attribute) *query {
	return &query{set: bib1, root: &node{term: term{attributes: attributes, text: text}}}
}

// write writes q as the Query of a SearchRequest.
func (q *query) write(b *ber.Builder) {
	b.In(21, func(b *ber.Builder) {
		b.In(1, func(b *ber.Builder) {
			b.OID(q.set)
			q.root.write(b)
		})
	})
}

// write writes n, with the nodes below it, as an RPNStructure.
func (n *node) write(b *ber.Builder) {
	if n.op == 0 {
		b.In(0, n.writeOperand)
		return
	}
	b.In(1, func(b *ber.Builder) {
		n.left.write(b)
		n.right.write(b)
		b.In(46, func(b *ber.Builder) {
			tag := uint32(n.op - opAnd)
			if n.op == opProx {
				b.In(tag, n.proximity.write)
				return
			}
			b.Primitive(ber.Context, tag, nil)
		})
	})
}

// writeOperand writes an Operand: the name of a result set, or a term.
func (n *node) writeOperand(b *ber.Builder) {
	if n.set != "" {
		b.Text(31, n.set)
		return
	}
	n.term.write(b)
}

// write writes t as an AttributesPlusTerm.
func (t term) write(b *ber.Builder) {
	b.In(102, func(b *ber.Builder) {
		b.In(44, func(b *ber.Builder) {
			for _, a := range t.attributes {
				b.Sequence(a.write)
			}
		})
		switch t.kind {
		case termGeneral:
			b.Text(45, t.text)
		case termNumeric:
			n, _ := strconv.ParseInt(t.text, 10, 64) // the parser has checked it
			b.Int(uint32(termNumeric), n)
		case termOID:
			b.OIDAs(uint32(termOID), t.text)
		case termNull:
			b.Primitive(ber.Context, uint32(termNull), nil)
		default:
			b.Text(uint32(t.kind), t.text)
		}
	})
}

// write writes a as an AttributeElement.
func (a attribute) write(b *ber.Builder) {
	if a.set != "" {
		b.OIDAs(1, a.set)
	}
	b.Int(120, a.kind)
	if a.text == "" {
		b.Int(121, a.value)
		return
	}
	b.In(224, func(b *ber.Builder) {
		b.In(1, func(b *ber.Builder) { b.Text(1, a.text) })
	})
}

// write writes p as a ProximityOperator.
func (p *proximity) write(b *ber.Builder) {
	if p.hasExclusion {
		b.Bool(1, p.exclusion)
	}
	b.Int(2, p.distance)
	b.Bool(3, p.ordered)
	b.Int(4, p.relation)
	b.In(5, func(b *ber.Builder) {
		tag := uint32(1)
		if p.isPrivate {
			tag = 2
		}
		b.Int(tag, p.unit)
	})
}
