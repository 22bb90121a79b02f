package rst

import (
	"bytes"
	"slices"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
)

// A codeReader finds the literal text and the comments of reStructuredText, line by line, and skips them if the options
// say so.
type codeReader struct {
	*emit.Emitter
	isHTML    bool // the last line is HTML
	isInside  bool // the last line is in a block of code
	indent    int  // the indent of the line that began the block
	quote     byte // the byte that each line of a quoted literal block starts with; 0 for an indented block
	isRaw     bool // the block is HTML
	isPending bool // the last line ended with "::", so a literal block may follow
	isDoctest bool // the last line is in a doctest block
}

// codeDirectives are the directives whose content is code.
var codeDirectives = []string{
	"code-block", "code", "sourcecode", "code-cell", "prompt", "raw", "math", "doctest", "testcode", "testoutput", "testsetup",
	"ipython", "graphviz", "mermaid", "productionlist", "jupyter-execute", "plantuml",
}

// readLine reads a line, which is at offset at and must be the next one. It reports whether the line is to be left out
// of the search for links: code and comments if Options.SkipCode is set, and HTML in any case. It skips code if
// Options.SkipCode is set.
func (c *codeReader) readLine(line []byte, at int) bool {
	isCode := c.isCode(line, at)
	c.isHTML = isCode && c.isRaw
	if isCode && c.Options.SkipCode {
		c.Skip(at, at+len(line))
	}
	return isCode && (c.Options.SkipCode || c.isHTML)
}

// isCode reports whether the next line is code, HTML or a comment, and updates the state of c. If Options.SkipCode is
// set, it skips the inline literals in other lines.
func (c *codeReader) isCode(line []byte, at int) bool {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	text = bytes.TrimRight(text, " \t\r\n")
	switch {
	case len(text) == 0:
		c.isDoctest = false
		return c.isHTML && c.isInside // so that a blank line does not divide the HTML
	case c.isPending:
		c.isPending = false
		if indent > c.indent {
			c.begin(0)
		} else if indent == c.indent && isPunctuation(text[0]) {
			c.begin(text[0])
		}
	}
	if c.isInside && (c.quote == 0 && indent > c.indent || c.quote != 0 && indent == c.indent && text[0] == c.quote) {
		return true
	}
	c.isInside, c.isRaw = false, false
	item := itemLength(text)
	text = text[item:]
	c.indent = indent + item
	switch {
	case len(text) == 0:
		return false
	case c.isDoctest || bytes.HasPrefix(text, []byte(">>> ")):
		c.isDoctest = true
		return true
	case string(text) == ".." || isExplicit(text):
		return c.beginExplicit(bytes.TrimLeft(text[len(".."):], " \t"), line, at)
	}
	c.isPending = bytes.HasSuffix(text, []byte("::"))
	c.skipInline(line, at)
	return false
}

// itemLength returns the length of the marks of list items, such as "- " and "(a) ", at the start of a line without its
// indent. It returns 0 if the line does not start an item.
func itemLength(text []byte) int {
	at := 0
	for {
		mark, rest, ok := bytes.Cut(text[at:], []byte(" "))
		if !ok || !isItemMark(mark) {
			return at
		}
		at += len(mark) + 1 + len(rest) - len(bytes.TrimLeft(rest, " "))
	}
}

// isItemMark reports whether a word is the mark of an item: a bullet, or a number or a letter such as 1. and (a).
func isItemMark(word []byte) bool {
	switch {
	case len(word) == 1:
		return word[0] == '-' || word[0] == '*' || word[0] == '+'
	case len(word) < 2 || len(word) > 8 || word[len(word)-1] != '.' && word[len(word)-1] != ')':
		return false
	}
	number := bytes.TrimPrefix(word[:len(word)-1], []byte("("))
	return len(number) == 1 && (ascii.IsLetter(number[0]) || number[0] == '#') || len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// begin begins a block of code. Its lines start with the byte quote or, if quote is 0, are indented.
func (c *codeReader) begin(quote byte) { c.isInside, c.quote, c.isRaw = true, quote, false }

// beginExplicit begins the block that a line with ".." begins. rest is the text after the "..". If it is a directive
// with code or a comment, a block of code begins. beginExplicit reports whether the line is a comment.
func (c *codeReader) beginExplicit(rest, line []byte, at int) bool {
	name, argument, isDirective := bytes.Cut(rest, []byte("::"))
	switch {
	case isDirective && len(name) > 0 && !bytes.ContainsAny(name, " \t"):
		if slices.Contains(codeDirectives, string(name)) {
			c.begin(0)
			c.isRaw = string(name) == "raw" && slices.ContainsFunc(bytes.Fields(argument), isHTML)
		}
	case len(rest) > 0 && (rest[0] == '_' || rest[0] == '[' || rest[0] == '|'):
		c.skipInline(line, at)
	default:
		c.begin(0)
		return true
	}
	return false
}

// isHTML reports whether a word is "html", in upper or lower case.
func isHTML(word []byte) bool { return string(bytes.ToLower(word)) == "html" }

// skipInline skips the inline literals, which are in double backquotes, in a line at offset at if Options.SkipCode is
// set.
func (c *codeReader) skipInline(line []byte, at int) {
	if !c.Options.SkipCode {
		return
	}
	mark := []byte("``")
	for from := 0; ; {
		start := bytes.Index(line[from:], mark)
		if start < 0 {
			return
		}
		start += from + len(mark)
		end := bytes.Index(line[start:], mark)
		if end < 0 {
			return
		}
		c.Skip(at+start, at+start+end)
		from = start + end + len(mark)
	}
}

// isPunctuation reports whether c is ASCII punctuation.
func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !ascii.IsLetterOrDigit(c)
}
