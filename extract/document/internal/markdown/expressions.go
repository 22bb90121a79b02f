package markdown

import (
	"bytes"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/markup"
)

// In MDX, JavaScript in braces is not Markdown, but elements of JSX and bare URLs in it are references, as in
// {isNew && <a href="x">New</a>}. Such an expression may have several lines, and blank lines in a template.
// findExpression keeps these lines in one paragraph, and readExpression reads the elements. Bare URLs are found in all
// text.

// expressionLength returns the length of the JavaScript expression in braces at the start of text, with the braces. It
// returns 0 if text does not start with "{", or if the expression does not end in text.
func expressionLength(text []byte) int {
	if len(text) == 0 || text[0] != '{' {
		return 0
	}
	for at, depth := 0, 0; at < len(text); {
		if n := literalLength(text, at); n > 0 {
			at += n
			continue
		}
		switch text[at] {
		case '{':
			depth++
		case '}':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
	return 0
}

// literalLength returns the length of the string, template, regular expression, comment or escape of JavaScript at an
// offset of text, or 0 if none starts there. A comment that does not end extends to the end of text. The text of an
// element of JSX may look like a string or a comment, so a quotation mark in a word, as in don't, or without another one
// on its line, does not begin a string, and a "//" in a word, as in http://h, does not begin a comment.
func literalLength(text []byte, at int) int {
	rest, before := text[at:], byte(' ')
	if at > 0 {
		before = text[at-1]
	}
	switch c := rest[0]; {
	case c == '\\':
		return min(len(rest), 2)
	case c == '`':
		return quotedLength(rest)
	case (c == '"' || c == '\'') && !ascii.IsLetterOrDigit(before):
		if n := quotedLength(rest); n > 0 && !isQuotation(text, at, at+n) {
			return n
		}
	case bytes.HasPrefix(rest, []byte("//")):
		if before == '{' || markup.IsSpace(before) {
			return lengthUntil(rest, "\n")
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		return lengthUntil(rest, "*/")
	case c == '/' && expectsOperand(text[:at]):
		return regexpLength(rest)
	}
	return 0
}

// quotedLength returns the length of the string or the template at the start of text, which starts with its quotation
// mark. It returns 0 for a template that does not end, and for a string that does not end on its line.
//
// Looking for the ends of many templates takes linear time, because no template begins after one that does not end:
// every later backtick is escaped.
func quotedLength(text []byte) int {
	mark := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == mark:
			return i + 1
		case isLineBreak(c) && mark != '`':
			return 0
		}
	}
	return 0
}

// isQuotation reports whether text[at:end], which has quotation marks at both ends, belongs to the text of an element of
// JSX, as in See "<a href="x">y</a>", and is not a string such as "<b>" or "<a href=". A text with a tag does if the
// second mark begins the value of an attribute, or if JavaScript cannot have a string at the first mark.
func isQuotation(text []byte, at, end int) bool {
	quoted := text[at+1 : end-1]
	if !hasStartTag(quoted) {
		return false
	}
	beginsValue := bytes.HasSuffix(quoted, []byte("=")) && end < len(text) && bytes.IndexByte([]byte(" \t\r\n+,:;)]}"), text[end]) < 0
	return beginsValue || !expectsOperand(text[:at])
}

// hasStartTag reports whether text has a "<" before a letter.
func hasStartTag(text []byte) bool {
	for at := 1; at < len(text); at++ {
		if text[at-1] == '<' && ascii.IsLetter(text[at]) {
			return true
		}
	}
	return false
}

// expectsOperand reports whether a string or a regular expression may follow before, which is JavaScript.
func expectsOperand(before []byte) bool {
	before = bytes.TrimRight(before, markup.Space)
	if bytes.HasSuffix(before, []byte("=>")) || bytes.HasSuffix(before, []byte("return")) {
		return true
	}
	return len(before) > 0 && bytes.IndexByte([]byte("({[,:;=!?&|+"), before[len(before)-1]) >= 0
}

// maxRegexp is the length of the longest regular expression. The limit keeps the time linear, because many slashes may
// be in brackets that do not end.
const maxRegexp = 256

// regexpLength returns the length of the regular expression of JavaScript, such as /[/"]/, at the start of text. It
// returns 0 for one that does not end on its line, that is longer than maxRegexp, or that has a tag, because slashes in
// the text of an element, such as (/x) <a href="y">, do not hide the tag.
func regexpLength(text []byte) int {
	inClass := false
	for i := 1; i < min(len(text), maxRegexp); i++ {
		switch c := text[i]; {
		case isLineBreak(c), c == '<' && i+1 < len(text) && (text[i+1] == '/' || ascii.IsLetter(text[i+1])):
			return 0
		case c == '\\':
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			return i + 1
		}
	}
	return 0
}

// lengthUntil returns the length of the start of text up to the end of a comment, which end gives, after the two bytes
// that begin the comment. It returns the length of text if the comment does not end.
func lengthUntil(text []byte, end string) int {
	if n := bytes.Index(text[2:], []byte(end)); n >= 0 {
		return 2 + n + len(end)
	}
	return len(text)
}

// readExpression reads the tags in the expression that starts with the "{" at an offset, and returns the offset after
// the expression. It does not read Markdown there. If the "{" does not start an expression, readExpression returns the
// offset after the "{".
func (r *inlineReader) readExpression(at int) int {
	if !r.dialect.IsMDX || r.noExpression {
		return at + 1
	}
	length := expressionLength(r.text[at:])
	if length == 0 {
		r.noExpression = true // because MDX refuses the text, and looking again would take quadratic time
		return at + 1
	}
	end := at + length
	for at++; at < end; {
		if n := literalLength(r.text[:end], at); n > 0 {
			at += n
			continue
		}
		if r.text[at] == '<' {
			at = r.readAngle(at)
			continue
		}
		at++
	}
	return at
}

// findExpression looks for the end of the expression that begins the line, perhaps after tags. The lines before the end
// belong to the paragraph, even blank lines. It does not search text twice, because that would take quadratic time.
func (b *blockReader) findExpression() {
	at := b.line.next
	if !b.dialect.IsMDX || at < b.searched {
		return
	}
	for at < b.line.end && b.text[at] == '<' {
		n := tagLength(b.text[at:b.line.end], true)
		if n == 0 {
			return
		}
		at += n
	}
	if at == b.line.end || b.text[at] != '{' {
		return
	}
	rest := b.text[at:min(at+emit.MaxPiece, len(b.text))]
	if n := expressionLength(rest); n > 0 {
		b.expression, b.searched = at+n, at+n
		return
	}
	b.searched = at + len(rest)
}
