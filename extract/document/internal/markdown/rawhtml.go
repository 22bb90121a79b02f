package markdown

import (
	"bytes"

	"locus/internal/ascii"
	"locus/internal/markup"
)

// An htmlKind is a kind of HTML block, numbered like its start condition in CommonMark §4.6.
type htmlKind uint8

const noHTML htmlKind = 0

// htmlKindOf returns the kind of the HTML block that a line begins, or noHTML. rest is the line from its "<" on. If
// mayBeAny is set, a complete tag of any element that is alone on its line begins a block.
func htmlKindOf(rest []byte, mayBeAny bool) htmlKind {
	if len(rest) < 2 {
		return noHTML
	}
	name, after := tagName(rest)
	isEnd := rest[1] == '/'
	switch {
	case !isEnd && isVerbatimElement(name) && (len(after) == 0 || markup.IsSpace(after[0]) || after[0] == '>'):
		return 1
	case bytes.HasPrefix(rest, []byte("<!--")):
		return 2
	case rest[1] == '?':
		return 3
	case rest[1] == '!' && len(rest) > 2 && ascii.IsLetter(rest[2]):
		return 4
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return 5
	case isBlockElement(name) && (len(after) == 0 || markup.IsSpace(after[0]) || after[0] == '>' || bytes.HasPrefix(after, []byte("/>"))):
		return 6
	}
	if !mayBeAny || !isEnd && isVerbatimElement(name) {
		return noHTML
	}
	if end := tagLength(rest, false); end > 0 && isBlank(rest[end:]) {
		return 7
	}
	return noHTML
}

// tagName returns the name of the start tag or end tag with which text starts, as written, and the text after the name.
// The name may be empty.
func tagName(text []byte) (name, after []byte) {
	at := 1
	if at < len(text) && text[at] == '/' {
		at++
	}
	end := at
	for end < len(text) && (ascii.IsLetter(text[end]) || ascii.IsDigit(text[end]) && end > at) {
		end++
	}
	return text[at:end], text[end:]
}

// endsAtBlank reports whether a blank line ends the block.
func (k htmlKind) endsAtBlank() bool { return k >= 6 }

// endsWith reports whether line has the text that ends a block of this kind (CommonMark §4.6). It is false for the
// kinds that end at a blank line.
func (k htmlKind) endsWith(line []byte) bool {
	switch k {
	case 1:
		for at := 0; ; at++ {
			n := bytes.Index(line[at:], []byte("</"))
			if n < 0 {
				return false
			}
			at += n
			if name, after := tagName(line[at:]); isVerbatimElement(name) && len(after) > 0 && after[0] == '>' {
				return true
			}
		}
	case 2:
		return bytes.Contains(line, []byte("-->"))
	case 3:
		return bytes.Contains(line, []byte("?>"))
	case 4:
		return bytes.IndexByte(line, '>') >= 0
	case 5:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

// isVerbatimElement reports whether the raw HTML of the named element continues across empty lines up to the end tag
// (CommonMark §4.6, kind 1).
func isVerbatimElement(name []byte) bool {
	switch len(name) {
	case 3:
		return bytes.EqualFold(name, []byte("pre"))
	case 5:
		return bytes.EqualFold(name, []byte("style"))
	case 6:
		return bytes.EqualFold(name, []byte("script"))
	case 8:
		return bytes.EqualFold(name, []byte("textarea"))
	}
	return false
}

// isBlockElement reports whether a tag of the named element begins a block even within a paragraph (CommonMark §4.6,
// kind 6).
func isBlockElement(name []byte) bool {
	var lower [10]byte // the longest names are "blockquote" and "figcaption"
	if len(name) == 0 || len(name) > len(lower) {
		return false
	}
	for i, c := range name {
		lower[i] = ascii.Lower(c)
	}
	switch string(lower[:len(name)]) {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd",
		"details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset",
		"h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu",
		"menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section", "summary", "table", "tbody",
		"td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}

// tagLength returns the length of the start tag or end tag at the start of text, which starts with "<", or 0 if the tag
// is incomplete or invalid (CommonMark §6.6). If isMDX is set, the tag may have attributes in braces, and a name such as
// Tabs.Tab.
func tagLength(text []byte, isMDX bool) int {
	if len(text) < 3 {
		return 0
	}
	isEnd := text[1] == '/'
	at := 1
	if isEnd {
		at++
	}
	if !ascii.IsLetter(text[at]) {
		return 0
	}
	for at < len(text) && (ascii.IsLetter(text[at]) || ascii.IsDigit(text[at]) || text[at] == '-' || isMDX && isNameMark(text[at])) {
		at++
	}
	for !isEnd {
		n := attributeLength(text[at:], isMDX)
		if n == 0 {
			break
		}
		at += n
	}
	at = markup.SkipSpace(text, at)
	if !isEnd && at < len(text) && text[at] == '/' {
		at++
	}
	if at < len(text) && text[at] == '>' {
		return at + 1
	}
	return 0
}

// isNameMark reports whether c may be in the name of a JSX element, but not in the name of an HTML element.
func isNameMark(c byte) bool { return c == '.' || c == '_' || c == ':' || c == '$' }

// attributeLength returns the length of the white space and the attribute at the start of text. It returns 0 if text
// does not start with white space and a valid attribute. If isMDX is set, the white space may be missing, because
// attributes of JSX end with a quotation mark or a brace. Then the value of the attribute, or all of it, may be an
// expression in braces, as in <p style={{width: 10}} {...others}>.
func attributeLength(text []byte, isMDX bool) int {
	from := markup.SkipSpace(text, 0)
	if isMDX {
		if n := attributeExpressionLength(text[from:]); n > 0 {
			return from + n
		}
	}
	at := from
	for at < len(text) && (ascii.IsLetter(text[at]) || text[at] == '_' || text[at] == ':' ||
		at > from && (ascii.IsDigit(text[at]) || text[at] == '.' || text[at] == '-')) {
		at++
	}
	if from == 0 && !isMDX || at == from {
		return 0
	}
	value := markup.SkipSpace(text, at)
	if value == len(text) || text[value] != '=' {
		return at
	}
	value = markup.SkipSpace(text, value+1)
	if value == len(text) {
		return 0
	}
	if isMDX && text[value] == '{' {
		if n := attributeExpressionLength(text[value:]); n > 0 {
			return value + n
		}
		return 0
	}
	if quote := text[value]; quote == '"' || quote == '\'' {
		n := bytes.IndexByte(text[value+1:], quote)
		if n < 0 {
			return 0
		}
		return value + 1 + n + 1
	}
	end := value
	for end < len(text) && !markup.IsSpace(text[end]) && bytes.IndexByte([]byte("\"'=<>`"), text[end]) < 0 {
		end++
	}
	if end == value {
		return 0
	}
	return end
}

// hasMarkdownAttribute reports whether the tag at the start of text has the attribute markdown, and not the value 0.
func hasMarkdownAttribute(text []byte) bool {
	_, rest := tagName(text)
	for {
		n := attributeLength(rest, false)
		if n == 0 {
			return false
		}
		name, value, _ := bytes.Cut(rest[:n], []byte("="))
		if string(bytes.TrimSpace(name)) == "markdown" {
			return string(bytes.Trim(value, " \t\r\n\"'")) != "0"
		}
		rest = rest[n:]
	}
}

// maxExpression is the length of the longest expression in an attribute. The limit keeps the time linear, because many
// tags may begin before an expression that does not end.
const maxExpression = 512

// attributeExpressionLength is like expressionLength, but returns 0 for an expression that is too long for an attribute.
func attributeExpressionLength(text []byte) int {
	return expressionLength(text[:min(len(text), maxExpression)])
}
