// Package markup splits HTML into tags and text, and reads attributes.
package markup

import (
	"bytes"

	"locus/internal/ascii"
)

// A Tokenizer splits HTML into tags and text, as browsers do (HTML §13.2.5). It copies
// nothing, and skips comments, doctypes, and a tag that the document ends in. Use it in one
// goroutine at a time.
type Tokenizer struct {
	Text []byte // the document; not changed

	// Wanted, if not nil, skips what has none of these attributes: Read returns the start tags
	// that have one, with these attributes alone, and both tag and text of elements that hold
	// no tags. It may be changed between two tokens.
	Wanted *Names

	at         int
	raw        string      // the element that is open and holds no tags; "": none
	attributes []Attribute // of the last tag; reused
	known      *Names      // knownNames, once it is needed
}

// A Token is a tag or a piece of text.
type Token struct {
	Kind     Kind
	From, To int // its place in the document

	// Name is the name of a tag in lower case; of text, the element that holds no tags
	// and has the text, "" if there is none.
	Name string

	// Attributes are those of a start tag, in order: the first of each name, and at most
	// MaxAttributes. They are valid until the next token.
	Attributes  []Attribute
	SelfClosing bool // it ends in "/>"
}

// A Kind is a kind of Token.
type Kind uint8

// The kinds of tokens. A comment is none.
const (
	Text Kind = iota
	StartTag
	EndTag
)

// An Attribute is a name and the place of its value.
type Attribute struct {
	Name     string // of a Tokenizer in lower case
	From, To int    // the value, without quotation marks
}

// Next returns the next token; false at the end.
func (z *Tokenizer) Next() (t Token, ok bool) {
	ok = z.Read(&t)
	return t, ok
}

// Read reads the next token into t, without a copy; false at the end.
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

// after returns the place after the next byte c from a place on; the end if there is none.
func after(text []byte, at int, c byte) int {
	if n := bytes.IndexByte(text[at:], c); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// textUntilMarkup returns the place of the text up to the next "<" that begins a tag or a
// comment. It is not empty.
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

// readTag reads a tag into t. The name of the tag starts at z.Text[at]. It returns false if the
// text ends before the tag does.
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
		return false // the document ends in the tag
	}
	z.endTag(t, last)
	return true
}

// endTag sets what is known of a tag at its ">", which is at t.To. last is where its last value
// ends.
func (z *Tokenizer) endTag(t *Token, last int) {
	t.SelfClosing = z.Text[t.To-1] == '/' && last < t.To // not in <a href=b/>
	t.To++
	z.at = t.To
	if t.Kind == StartTag && !t.SelfClosing && isRaw(t.Name) {
		z.raw = t.Name
	}
}

// readAttributes reads the attributes of a tag from a place on. last is where the last value
// ends. end is the place of the ">" of the tag, or the end of the text.
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
		if len(all) < MaxAttributes && !hasName(all, a.Name) { // the first one counts
			all = append(all, a)
		}
	}
}

// hasName reports whether an attribute has a name.
func hasName(all []Attribute, name string) bool {
	for i := range all {
		if all[i].Name == name {
			return true
		}
	}
	return false
}

// MaxAttributes is how many attributes of a tag are kept. The others are read over.
const MaxAttributes = 200

// Attributes returns the attributes of a tag, with their names as they are written.
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

// nextAttribute returns the place of the next Attribute from a place on, its name as it is
// written, and the place after it. If there is none, the place is that of ">", or the end of
// the text.
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
	if end+1 < len(text) && text[end] == '=' && (text[end+1] == '"' || text[end+1] == '\'') { // the usual form
		a.From, a.To, next = quoted(text, end+1)
		return a, name, next, true
	}
	value := skipSpace(text, end)
	if value == len(text) || text[value] != '=' {
		return a, name, end, true
	}
	a.From, a.To, next = quoted(text, skipSpace(text, value+1))
	return a, name, next, true
}

// quoted returns where the value at a place starts and ends, and the place after its
// quotation mark.
func quoted(text []byte, at int) (from, to, next int) {
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

// EndsName reports whether a byte cannot be in the name of a tag, and so ends it: white space,
// "/" or ">".
func EndsName(c byte) bool { return kinds[c]&endsName != 0 }

// kinds are what bytes are in a tag.
var kinds = [256]uint8{
	' ': blank, '\t': blank, '\n': blank, '\f': blank, '\r': blank,
	'>': endsName | endsAttribute, '/': beforeName | endsName | endsAttribute, '=': endsAttribute,
}

const (
	space         = 1 << iota // white space in HTML (Infra §4.6)
	endsName                  // it ends the name of a tag
	endsAttribute             // it ends the name of an attribute, if it is not its first byte
	beforeName                // it may come before the name of an attribute

	blank = space | endsName | endsAttribute | beforeName
)

// commentLength returns the length of a comment after its "<!--".
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
		at-- // "--->" ends it, too
	}
}

// rawLength returns how many bytes of rest are the content of an element that holds no tags: those
// before its end tag, or all if there is none.
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

// hasTag reports whether a text starts with a tag: "<" or "</", the name, and what ends a
// name.
func hasTag(rest []byte, start, name string) bool {
	end := len(start) + len(name)
	return len(rest) > end && bytes.HasPrefix(rest, []byte(start)) && bytes.EqualFold(rest[len(start):end], []byte(name)) && EndsName(rest[end])
}

// scriptLength returns the length of a script. In a comment, "<script" begins another one
// (HTML §13.2.5.20 to §13.2.5.31).
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
			at++ // its hyphens may belong to its end
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

func skipSpace(text []byte, i int) int {
	for i < len(text) && IsSpace(text[i]) {
		i++
	}
	return i
}

// IsSpace reports whether a byte is white space in HTML (Infra §4.6).
func IsSpace(c byte) bool { return kinds[c]&space != 0 }
