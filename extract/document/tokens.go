package document

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// A tokenizer splits HTML into tags and text, as browsers do (HTML §13.2.5). It copies
// nothing, and skips comments, doctypes, and a tag that the document ends in.
type tokenizer struct {
	text       []byte
	at         int
	raw        string      // the element that is open and holds no tags; "": none
	attributes []attribute // of the last tag; reused
}

// A token is a tag or a piece of text.
type token struct {
	kind     tokenKind
	from, to int

	// name is the name of a tag in lower case; of text, the element that holds no tags
	// and has the text, "" if there is none.
	name string

	// attributes are those of a start tag, in order. They are valid until the next token.
	attributes  []attribute
	selfClosing bool
}

type tokenKind uint8

const (
	textToken tokenKind = iota
	startTag
	endTag
)

// An attribute is a name and the place of its value.
type attribute struct {
	name     string // in HTML in lower case
	from, to int
}

// rawElements hold no tags: their content ends at their end tag (HTML §13.1.2).
var rawElements = map[string]bool{
	"iframe": true, "noembed": true, "noframes": true, "noscript": true, "plaintext": true, "script": true,
	"style": true, "textarea": true, "title": true, "xmp": true,
}

// next returns the next token; false at the end.
func (z *tokenizer) next() (token, bool) {
	if z.raw != "" {
		t := token{kind: textToken, name: z.raw, from: z.at, to: z.at + rawLength(z.text[z.at:], z.raw)}
		z.raw, z.at = "", t.to
		if t.from < t.to {
			return t, true
		}
	}
	for z.at < len(z.text) {
		if z.text[z.at] != '<' {
			return z.textUntilMarkup(), true
		}
		switch rest := z.text[z.at+1:]; {
		case len(rest) > 0 && isLetter(rest[0]):
			return z.tag(startTag, z.at+1)
		case len(rest) > 1 && rest[0] == '/' && isLetter(rest[1]):
			return z.tag(endTag, z.at+2)
		case bytes.HasPrefix(rest, []byte("!--")):
			z.at += len("<!--") + commentLength(rest[len("!--"):])
		case len(rest) > 0 && (rest[0] == '!' || rest[0] == '?' || rest[0] == '/' && len(rest) > 1):
			z.at = z.after('>')
		default:
			return z.textUntilMarkup(), true
		}
	}
	return token{}, false
}

// after returns the place after the next byte c; the end if there is none.
func (z *tokenizer) after(c byte) int {
	if n := bytes.IndexByte(z.text[z.at:], c); n >= 0 {
		return z.at + n + 1
	}
	return len(z.text)
}

// textUntilMarkup returns the text up to the next "<" that begins a tag or a comment. It
// is not empty.
func (z *tokenizer) textUntilMarkup() token {
	t := token{kind: textToken, from: z.at}
	for z.at++; z.at < len(z.text); z.at++ {
		n := bytes.IndexByte(z.text[z.at:], '<')
		if n < 0 {
			z.at = len(z.text)
			break
		}
		z.at += n
		if z.at+1 == len(z.text) {
			continue
		}
		c := z.text[z.at+1]
		if isLetter(c) || c == '!' || c == '?' || c == '/' && z.at+2 < len(z.text) {
			break
		}
	}
	t.to = z.at
	return t
}

// tag reads a tag whose name is at a place. A tag without its end is the end.
func (z *tokenizer) tag(kind tokenKind, at int) (token, bool) {
	t := token{kind: kind, from: z.at}
	end := at
	for end < len(z.text) && !endsName(z.text[end]) {
		end++
	}
	t.name = lower(z.text[at:end])
	t.attributes, end = z.readAttributes(end)
	if end == len(z.text) {
		z.at = end
		return token{}, false // the document ends in the tag
	}
	last := len(t.attributes) - 1
	t.selfClosing = z.text[end-1] == '/' && (last < 0 || t.attributes[last].to < end) // not in <a href=b/>
	t.to, z.at = end+1, end+1
	if kind == startTag && rawElements[t.name] && !t.selfClosing {
		z.raw = t.name
	}
	return t, true
}

// readAttributes reads the attributes of a tag from a place on. end is the place of its
// ">", or the end of the text.
func (z *tokenizer) readAttributes(at int) (all []attribute, end int) {
	all = z.attributes[:0]
	for {
		a, next, ok := nextAttribute(z.text, at, lower)
		if !ok {
			z.attributes = all
			return all, next
		}
		at = next
		if len(all) == maxAttributesOfTag {
			continue
		}
		if !slices.ContainsFunc(all, func(b attribute) bool { return b.name == a.name }) { // the first one counts
			all = append(all, a)
		}
	}
}

// maxAttributesOfTag is how many attributes of a tag are kept. The others are read over.
const maxAttributesOfTag = 200

// attributes returns the attributes of a tag, with their names as they are written.
func attributes(tag []byte) []attribute {
	at := min(1, len(tag))
	for at < len(tag) && !endsName(tag[at]) {
		at++
	}
	var all []attribute
	for {
		a, next, ok := nextAttribute(tag, at, func(name []byte) string { return string(name) })
		if !ok {
			return all
		}
		all, at = append(all, a), next
	}
}

// nextAttribute returns the next attribute from a place on, and the place after it. If
// there is none, the place is that of ">", or the end of the text.
func nextAttribute(text []byte, at int, name func([]byte) string) (a attribute, next int, ok bool) {
	for at < len(text) && (isSpace(text[at]) || text[at] == '/') {
		at++
	}
	if at == len(text) || text[at] == '>' {
		return a, at, false
	}
	end := at + 1
	for end < len(text) && !endsName(text[end]) && text[end] != '=' {
		end++
	}
	a = attribute{name(text[at:end]), end, end}
	value := skipSpace(text, end)
	if value == len(text) || text[value] != '=' {
		return a, end, true
	}
	a.from, a.to, next = quoted(text, skipSpace(text, value+1))
	return a, next, true
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
	for next < len(text) && !isSpace(text[next]) && text[next] != '>' {
		next++
	}
	return at, next, next
}

func endsName(c byte) bool { return c == '>' || c == '/' || isSpace(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// knownNames are the names that matter here. To return one costs no allocation.
var knownNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, name := range strings.Fields("a area audio base body button div form head html iframe img input li link meta object p script source span style svg table td title tr ul use video alt class content id name property rel style type value width height target role lang") {
		names[name] = name
	}
	for _, set := range []map[string]bool{rawElements, urlAttributes, listAttributes, srcsetAttributes} {
		for name := range set {
			names[name] = name
		}
	}
	return names
})

// lower returns a name as a tokenizer of HTML has it: in lower case, without NUL.
func lower(name []byte) string {
	if known, ok := knownNames()[string(name)]; ok { // without an allocation
		return known
	}
	text := strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c | 0x20
		}
		return c
	}, string(name))
	return strings.ReplaceAll(text, "\x00", "\ufffd")
}

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

// rawLength returns the length of the content of an element that holds no tags.
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
	return len(rest) > end && bytes.HasPrefix(rest, []byte(start)) && bytes.EqualFold(rest[len(start):end], []byte(name)) && endsName(rest[end])
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
