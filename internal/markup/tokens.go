// Package markup splits HTML into tags and text, and reads attributes.
package markup

import (
	"bytes"

	"locus/internal/ascii"
)

// A Tokenizer splits HTML into tags and text, as browsers do (HTML §13.2.5). It does not copy text. It skips
// comments, doctypes, and an incomplete tag at the end of the document. One goroutine at a time may use it.
type Tokenizer struct {
	Text []byte // the document; not changed

	// Wanted, if not nil, limits the tokens. Read then returns only the start tags that have one of these attributes,
	// with these attributes alone, and the tags and the content of raw text elements. Wanted may be changed between
	// two tokens.
	Wanted *Names

	at         int
	raw        string      // the raw text element whose content comes next, or ""
	attributes []Attribute // the attributes of the last tag; the memory is reused
	known      *Names      // knownNames, set when it is first needed
}

// A Token is a tag or a piece of text.
type Token struct {
	Kind     Kind
	From, To int // the range in the document

	// Name is the name of a tag in lower case. For text it is the raw text element that contains the text, or "" if
	// there is none.
	Name string

	// Attributes are the attributes of a start tag in order. They have the first attribute of each name, and at most
	// MaxAttributes. They are valid until the next token.
	Attributes  []Attribute
	SelfClosing bool // the tag ends in "/>"
}

// A Kind is a kind of Token.
type Kind uint8

// The kinds of tokens. Comments are not tokens.
const (
	Text Kind = iota
	StartTag
	EndTag
)

// An Attribute is a name and the range of its value.
type Attribute struct {
	Name     string // in lower case if a Tokenizer returned it
	From, To int    // the range of the value, without quotation marks
}

// Next returns the next token. ok is false at the end of Text.
func (z *Tokenizer) Next() (t Token, ok bool) {
	ok = z.Read(&t)
	return t, ok
}

// Read replaces t by the next token, and returns true. At the end of Text it returns false. Unlike Next, it does not
// copy the token.
func (z *Tokenizer) Read(t *Token) bool {
	*t = Token{}
	if z.raw != "" {
		t.Name, t.From, t.To = z.raw, z.at, z.at+rawLength(z.Text[z.at:], z.raw)
		z.raw, z.at = "", t.To
		if t.From < t.To {
			return true
		}
		t.Name = ""
	}
	if z.Wanted != nil {
		return z.readWanted(t)
	}
	for z.at < len(z.Text) {
		if z.Text[z.at] != '<' {
			t.From, t.To = z.textUntilMarkup()
			return true
		}
		switch rest := z.Text[z.at+1:]; {
		case len(rest) > 0 && ascii.IsLetter(rest[0]):
			t.Kind = StartTag
			return z.readTag(t, z.at+1)
		case len(rest) > 1 && rest[0] == '/' && ascii.IsLetter(rest[1]):
			t.Kind = EndTag
			return z.readTag(t, z.at+2)
		case bytes.HasPrefix(rest, []byte("!--")):
			z.at += len("<!--") + commentLength(rest[len("!--"):])
		case len(rest) > 0 && (rest[0] == '!' || rest[0] == '?' || rest[0] == '/' && len(rest) > 1):
			z.at = after(z.Text, z.at, '>')
		default:
			t.From, t.To = z.textUntilMarkup()
			return true
		}
	}
	return false
}

// after returns the offset after the first byte c in text[at:], or len(text) if there is no such byte.
func after(text []byte, at int, c byte) int {
	if n := bytes.IndexByte(text[at:], c); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// textUntilMarkup returns the range of the text from z.at up to the next "<" that begins a tag or a comment, and
// moves z.at to its end. The range is not empty.
func (z *Tokenizer) textUntilMarkup() (from, to int) {
	from = z.at
	for z.at++; z.at < len(z.Text); z.at++ {
		n := bytes.IndexByte(z.Text[z.at:], '<')
		if n < 0 {
			z.at = len(z.Text)
			break
		}
		z.at += n
		if z.at+1 == len(z.Text) {
			continue
		}
		c := z.Text[z.at+1]
		if ascii.IsLetter(c) || c == '!' || c == '?' || c == '/' && z.at+2 < len(z.Text) {
			break
		}
	}
	return from, z.at
}

// readTag reads the tag at z.at into t, whose Kind is set, and moves z.at behind it. The name of the tag starts at
// z.Text[at]. It returns false if the document ends before the tag does.
func (z *Tokenizer) readTag(t *Token, at int) bool {
	t.From = z.at
	end := at
	for end < len(z.Text) && !EndsName(z.Text[end]) {
		end++
	}
	if z.known == nil {
		z.known = knownNames
	}
	t.Name = lower(z.known, z.Text[at:end])
	var last int
	t.Attributes, last, t.To = z.readAttributes(end)
	if t.To == len(z.Text) {
		z.at = t.To
		return false // the document ends within the tag
	}
	z.finishTag(t, last)
	return true
}

// finishTag completes t, a tag whose ">" is at t.To, and moves z.at behind it. After the start tag of a raw text
// element, the next token is raw text. last is the offset at which the last value of the tag ends.
func (z *Tokenizer) finishTag(t *Token, last int) {
	t.SelfClosing = z.Text[t.To-1] == '/' && last < t.To // <a href=b/> is not self-closing
	t.To++
	z.at = t.To
	if t.Kind == StartTag && !t.SelfClosing && isRaw(t.Name) {
		z.raw = t.Name
	}
}

// readAttributes returns the attributes of a tag, from offset at on: the first of each name, at most MaxAttributes and,
// if z.Wanted is set, only the wanted ones. last is the offset at which the last value ends, or at. end is the offset
// of the tag's ">", or the end of the document.
func (z *Tokenizer) readAttributes(at int) (all []Attribute, last, end int) {
	all, last = z.attributes[:0], at
	for {
		a, name, next, ok := nextAttribute(z.Text, at)
		if !ok {
			z.attributes = all
			return all, last, next
		}
		at, last = next, a.To
		if z.Wanted == nil {
			a.Name = lower(z.known, name)
		} else if a.Name, ok = z.Wanted.findLower(name); !ok {
			continue
		}
		if len(all) < MaxAttributes && !hasName(all, a.Name) { // only the first attribute of a name counts
			all = append(all, a)
		}
	}
}

// hasName reports whether one of the attributes has this name.
func hasName(all []Attribute, name string) bool {
	for i := range all {
		if all[i].Name == name {
			return true
		}
	}
	return false
}

// MaxAttributes is the number of attributes of a tag that are kept. Further attributes are ignored.
const MaxAttributes = 200

// Attributes returns all attributes of a tag, which begins with "<", as offsets in tag. Their names keep their case.
// Unlike a Tokenizer, it returns attributes with the same name, too.
func Attributes(tag []byte) []Attribute {
	at := min(1, len(tag))
	for at < len(tag) && !EndsName(tag[at]) {
		at++
	}
	var all []Attribute
	for {
		a, name, next, ok := nextAttribute(tag, at)
		if !ok {
			return all
		}
		a.Name = string(name)
		all, at = append(all, a), next
	}
}

// nextAttribute returns the first attribute at or after offset at, without its Name, and the name as written. next is
// the offset after the attribute. If there is no further attribute, ok is false and next is the offset of the ">" or
// the end of text.
func nextAttribute(text []byte, at int) (a Attribute, name []byte, next int, ok bool) {
	for at < len(text) && kinds[text[at]]&beforeName != 0 {
		at++
	}
	if at == len(text) || text[at] == '>' {
		return a, nil, at, false
	}
	end := at + 1
	for end < len(text) && kinds[text[end]]&endsAttribute == 0 {
		end++
	}
	name, a.From, a.To = text[at:end], end, end
	if end+1 < len(text) && text[end] == '=' && (text[end+1] == '"' || text[end+1] == '\'') { // the most common form
		a.From, a.To, next = valueAt(text, end+1)
		return a, name, next, true
	}
	value := SkipSpace(text, end)
	if value == len(text) || text[value] != '=' {
		return a, name, end, true
	}
	a.From, a.To, next = valueAt(text, SkipSpace(text, value+1))
	return a, name, next, true
}

// valueAt returns the range of the attribute value at offset at, without its quotation marks if it has any. next is
// the offset after the value and its quotation mark.
func valueAt(text []byte, at int) (from, to, next int) {
	if at < len(text) && (text[at] == '"' || text[at] == '\'') {
		from = at + 1
		if n := bytes.IndexByte(text[from:], text[at]); n >= 0 {
			return from, from + n, from + n + 1
		}
		return from, len(text), len(text)
	}
	next = at
	for next < len(text) && !IsSpace(text[next]) && text[next] != '>' {
		next++
	}
	return at, next, next
}

// EndsName reports whether c ends the name of a tag. These bytes are white space, "/" and ">".
func EndsName(c byte) bool { return kinds[c]&endsName != 0 }

// kinds says of each byte which roles it may have in a tag.
var kinds = [256]uint8{
	' ': blank, '\t': blank, '\n': blank, '\f': blank, '\r': blank,
	'>': endsName | endsAttribute, '/': beforeName | endsName | endsAttribute, '=': endsAttribute,
}

const (
	space         = 1 << iota // white space in HTML (Infra §4.6)
	endsName                  // ends the name of a tag
	endsAttribute             // ends the name of an attribute, unless it is its first byte
	beforeName                // may precede the name of an attribute

	blank = space | endsName | endsAttribute | beforeName
)

// commentLength returns the length of a comment and its end, of which rest is the text after "<!--". A comment
// without an end extends to the end of rest.
func commentLength(rest []byte) int {
	for _, end := range []string{">", "->"} {
		if bytes.HasPrefix(rest, []byte(end)) {
			return len(end)
		}
	}
	for at := 0; ; {
		n := bytes.Index(rest[at:], []byte("--"))
		if n < 0 {
			return len(rest)
		}
		at += n + len("--")
		switch {
		case bytes.HasPrefix(rest[at:], []byte(">")):
			return at + 1
		case bytes.HasPrefix(rest[at:], []byte("!>")):
			return at + 2
		}
		at-- // "--->" ends the comment too
	}
}

// rawLength returns the length of the content of the raw text element with this name, which starts rest. The content
// ends before the end tag of the element, or at the end of rest.
func rawLength(rest []byte, name string) int {
	switch name {
	case "plaintext":
		return len(rest)
	case "script":
		return scriptLength(rest)
	}
	for at := 0; ; {
		n := bytes.IndexByte(rest[at:], '<')
		if n < 0 {
			return len(rest)
		}
		if at += n; hasTag(rest[at:], "</", name) {
			return at
		}
		at++
	}
}

// hasTag reports whether rest starts with a tag: start, which is "<" or "</", the name, and a byte that ends a name.
func hasTag(rest []byte, start, name string) bool {
	end := len(start) + len(name)
	return len(rest) > end && bytes.HasPrefix(rest, []byte(start)) && bytes.EqualFold(rest[len(start):end], []byte(name)) && EndsName(rest[end])
}

// scriptLength returns the length of the content of the script element that starts rest, without its end tag. In a
// comment, "<script" begins a nested script (HTML §13.2.5.20 to §13.2.5.31).
func scriptLength(rest []byte) int {
	inComment, nested := false, false
	for at := 0; at < len(rest); at++ {
		n := bytes.IndexAny(rest[at:], "<-")
		if n < 0 {
			break
		}
		at += n
		switch tail := rest[at:]; {
		case bytes.HasPrefix(tail, []byte("-->")):
			inComment, nested = false, false
		case !inComment && bytes.HasPrefix(tail, []byte("<!--")):
			inComment = true
			at++ // the hyphens of "<!--" may also belong to the "-->"
		case hasTag(tail, "</", "script"):
			if !nested {
				return at
			}
			nested = false
		case inComment && hasTag(tail, "<", "script"):
			nested = true
		}
	}
	return len(rest)
}

// SkipSpace returns the offset of the first byte of text at or after i that is not white space, or len(text).
func SkipSpace(text []byte, i int) int {
	for i < len(text) && IsSpace(text[i]) {
		i++
	}
	return i
}

// Space holds the white space of HTML (Infra §4.6).
const Space = " \t\r\n\f"

// IsSpace reports whether c is white space in HTML (Infra §4.6).
func IsSpace(c byte) bool { return kinds[c]&space != 0 }
