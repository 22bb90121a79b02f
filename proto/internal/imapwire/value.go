package imapwire

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// A Value is a value in a response (RFC 3501 §4): an atom, a string, or a list in parentheses.
type Value struct {
	Text   string  // the atom, or the content of the string
	IsAtom bool    // not a string
	List   []Value // the items of a list; nil for other values
}

// IsNil reports whether v is NIL.
func (v Value) IsNil() bool { return v.IsAtom && strings.EqualFold(v.Text, "NIL") }

// maxDepth limits how deep lists may stand in lists.
const maxDepth = 32

var errValue = errors.New("the response is not a list of values")

// ParseValues parses the values of a response with its literals. text must not have the "* " of the response.
func ParseValues(text string) ([]Value, error) {
	p := parser{rest: text}
	values, err := p.list(0)
	if err == nil && p.rest != "" {
		err = errValue
	}
	return values, err
}

// A parser reads values from the start of rest.
type parser struct{ rest string }

// list reads values up to a ")", which it leaves in rest, or to the end. depth is the number of lists around the
// values. The result is not nil if err is nil.
func (p *parser) list(depth int) ([]Value, error) {
	values := []Value{}
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		if p.rest == "" || p.rest[0] == ')' {
			return values, nil
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
}

// value reads one value. rest must not be empty.
func (p *parser) value(depth int) (Value, error) {
	switch p.rest[0] {
	case '(':
		return p.parenthesized(depth)
	case '"':
		return p.quoted()
	case '{':
		return p.literal()
	}
	n := atomLen(p.rest)
	v := Value{Text: p.rest[:n], IsAtom: true}
	p.rest = p.rest[n:]
	return v, nil
}

// parenthesized reads a list with its parentheses. depth is the number of lists around it.
func (p *parser) parenthesized(depth int) (Value, error) {
	if depth == maxDepth {
		return Value{}, errValue
	}
	p.rest = p.rest[1:]
	values, err := p.list(depth + 1)
	if err != nil || p.rest == "" {
		return Value{}, errValue
	}
	p.rest = p.rest[1:]
	return Value{List: values}, nil
}

// quoted reads a quoted string and decodes its escapes.
func (p *parser) quoted() (Value, error) {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return Value{Text: b.String()}, nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return Value{}, errValue
}

// literal reads a literal: its size in braces, CR LF, and as many bytes.
func (p *parser) literal() (Value, error) {
	head, rest, ok := strings.Cut(p.rest, "\r\n")
	n, isLiteral := literalSize(head)
	if !ok || !isLiteral || strings.LastIndexByte(head, '{') != 0 || n > int64(len(rest)) {
		return Value{}, errValue
	}
	p.rest = rest[n:]
	return Value{Text: rest[:n]}, nil
}

// atomLen returns the length of the atom at the start of s, which is at least 1. Brackets, as in
// "BODY[HEADER.FIELDS (DATE)]<0>", belong to the atom.
func atomLen(s string) int {
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '[':
			depth++
		case c == ']':
			depth = max(0, depth-1)
		case depth == 0 && strings.IndexByte(` ()"{`, c) >= 0:
			return max(1, i)
		}
	}
	return len(s)
}

// A Row has the data items of one message in a FETCH response (RFC 3501 §7.4.2).
type Row struct {
	UID      uint32    // 0 if unknown
	Size     int64     // RFC822.SIZE; -1 if unknown
	Date     time.Time // INTERNALDATE; zero if unknown
	Bytes    string    // the bytes of a section
	HasBytes bool      // Bytes is not NIL
}

// ParseRow parses a response such as "* 12 FETCH (UID 20 RFC822.SIZE 44)". ok is false for any other or invalid
// response.
func ParseRow(response string) (row Row, ok bool) {
	text, ok := strings.CutPrefix(response, "* ")
	if !ok {
		return Row{}, false
	}
	values, err := ParseValues(text)
	if err != nil || len(values) != 3 || !strings.EqualFold(values[1].Text, "FETCH") {
		return Row{}, false
	}
	row, items := Row{Size: -1}, values[2].List
	for i := 0; i+1 < len(items); i += 2 {
		row.set(strings.ToUpper(items[i].Text), items[i+1])
	}
	return row, true
}

// set sets the field of r for the data item name. It ignores unknown items and invalid values.
func (r *Row) set(name string, v Value) {
	switch name, _, _ := strings.Cut(name, "["); name {
	case "UID":
		r.UID, _ = Number(v.Text)
	case "RFC822.SIZE":
		if size, err := strconv.ParseInt(v.Text, 10, 64); err == nil && size >= 0 {
			r.Size = size
		}
	case "INTERNALDATE":
		r.Date, _ = time.Parse("_2-Jan-2006 15:04:05 -0700", v.Text)
	case "BODY":
		if r.HasBytes = !v.IsNil() && v.List == nil; r.HasBytes {
			r.Bytes = v.Text
		}
	}
}

// Number parses a decimal number from 1 to 2³²-1 (RFC 3501 §9, nz-number). ok is false for any other text.
func Number(text string) (n uint32, ok bool) {
	wide, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, false
	}
	return uint32(wide), wide > 0
}
