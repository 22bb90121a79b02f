package markdown

import (
	"bytes"
	"slices"

	"locus/extract/document/internal/emit"
)

// openAdmonition opens a block if the line starts an admonition ("!!!", Python-Markdown), a collapsible block ("???")
// or a tab ("===", PyMdown Extensions), and reports whether it did. The block consists of the lines that are indented
// by four spaces and of the blank lines between them. The title on its first line is read as prose. rest is the line
// after its indentation.
func (b *blockReader) openAdmonition(rest []byte, matched int) bool {
	if !b.dialect.IndentedText || len(rest) < 3 {
		return false
	}
	marks := [...]struct{ start, more string }{{"!!!", ""}, {"???", "+"}, {"===", "+!"}}
	n := slices.IndexFunc(marks[:], func(m struct{ start, more string }) bool { return bytes.HasPrefix(rest, []byte(m.start)) })
	if n < 0 {
		return false
	}
	header := bytes.TrimLeft(rest[3:], marks[n].more)
	title := bytes.TrimLeft(header, " \t")
	switch {
	case marks[n].start == "===" && (len(title) == 0 || title[0] != '"'), len(title) == 0 && marks[n].start == "!!!",
		len(title) > 0 && title[0] != '"' && !isNameStart(title[0]):
		return false
	}
	b.closeBlocks(matched)
	b.handler.readProse([]emit.Interval{{From: b.line.end - len(title), To: b.line.end}}, false)
	b.open = append(b.open, container{kind: admonition, indent: 4})
	return true
}

// isNameStart reports whether c may begin the name of an admonition or a directive.
func isNameStart(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// textDirectives are the directives of MyST whose content is Markdown. The content of the others is code or unknown.
var textDirectives = []string{
	"admonition", "attention", "aside", "caution", "card", "danger", "deprecated", "details", "div", "dropdown", "epigraph", "error", "example",
	"figure", "grid", "grid-item", "grid-item-card", "highlights", "hint", "important", "list-table", "margin", "note", "only", "prf:proof", "prf:theorem",
	"pull-quote", "rubric", "seealso", "sidebar", "tab-item", "tab-set", "table", "tip", "topic", "versionadded", "versionchanged", "warning",
}

// directiveName returns the name of the directive in the info string of a fence, such as "{note} Title", and the text
// after the "}". ok is false if the info string does not begin with a name in braces.
func directiveName(info []byte) (name string, after []byte, ok bool) {
	inside, ok := bytes.CutPrefix(bytes.TrimLeft(info, " \t"), []byte{'{'})
	if !ok {
		return "", nil, false
	}
	end := bytes.IndexByte(inside[:min(len(inside), emit.MaxLabel)], '}')
	if end <= 0 {
		return "", nil, false
	}
	return string(bytes.TrimSpace(inside[:end])), inside[end+1:], true
}

// isDirective reports whether the info string of a fence names a directive.
func isDirective(info []byte) bool {
	_, _, ok := directiveName(info)
	return ok
}

// directiveAt returns the fence and the name of the directive of MyST that a line starts, and the text after the name.
// rest is the line without its indentation. The fence has backticks, tildes or colons. ok is false if the line does not
// start a directive, or in other dialects.
func (b *blockReader) directiveAt(rest []byte) (fence []byte, name string, after []byte, ok bool) {
	if !b.dialect.Directives || rest[0] != '`' && rest[0] != '~' && rest[0] != ':' {
		return nil, "", nil, false
	}
	n := runLength(rest, rest[0])
	name, after, ok = directiveName(rest[n:])
	return rest[:n], name, after, ok && n >= 3
}

// openDirective opens a directive of MyST whose content is Markdown if the line starts one, and reports whether it
// does. The title after the name is read as prose, or as the image of a figure.
func (b *blockReader) openDirective(rest []byte, matched int) bool {
	fence, name, argument, ok := b.directiveAt(rest)
	if !ok || !slices.Contains(textDirectives, name) {
		return false
	}
	b.closeBlocks(matched)
	if from, to := trimBlanks(b.text, b.line.end-len(argument), b.line.end); from < to {
		if name == "figure" {
			b.handler.readOption(name, emit.Interval{From: from, To: to})
		} else {
			b.handler.readProse([]emit.Interval{{From: from, To: to}}, false)
		}
	}
	b.open = append(b.open, container{kind: directive, fence: fence})
	b.inOptions = true
	return true
}

// openToctree opens a table of contents of MyST if the line starts one, and reports whether it does.
func (b *blockReader) openToctree(rest []byte, matched int) bool {
	fence, name, _, ok := b.directiveAt(rest)
	if !ok || name != "toctree" {
		return false
	}
	b.closeBlocks(matched)
	b.leaf, b.fence, b.inOptions = toctree, fence, true
	return true
}

// roleBefore returns the name of the role of MyST, such as {doc}, at the end of text. It returns "" for any other text,
// also if a backslash precedes the role.
func roleBefore(text []byte) (name string) {
	inside, ok := bytes.CutSuffix(text, []byte{'}'})
	from := max(0, len(inside)-maxRoleName-1)
	at := from + bytes.LastIndexByte(inside[from:], '{')
	if !ok || at < from || at > 0 && inside[at-1] == '\\' {
		return ""
	}
	return string(inside[at+1:])
}

// maxRoleName is the length of the longest name of a role.
const maxRoleName = 36

// endsDirective closes b.open[matched] if it is a directive whose closing fence the line is, and reports whether it
// did.
func (b *blockReader) endsDirective(matched int) bool {
	if matched == len(b.open) || b.open[matched].kind != directive || b.line.isBlank() ||
		b.isIndented() || !endsFence(b.line.rest(), b.open[matched].fence) {
		return false
	}
	b.closeBlocks(matched)
	return true
}

// readOptionLine gives the line to the handler if it is an option of the open directive, such as ":name: x", and
// reports whether it is. The first other line ends the options.
func (b *blockReader) readOptionLine() bool {
	if !b.inOptions {
		return false
	}
	option, ok := bytes.CutPrefix(b.line.rest(), []byte{':'})
	colon := bytes.IndexByte(option[:min(len(option), emit.MaxLabel)], ':')
	if !ok || colon <= 0 {
		b.inOptions = false
		return false
	}
	from, to := trimBlanks(b.text, b.line.end-len(option)+colon+1, b.line.end)
	b.handler.readOption(string(option[:colon]), emit.Interval{From: from, To: to})
	return true
}

// readComment gives the line, which starts with "%", to the handler as code and returns true in the dialect of MyST, in
// which it is a comment. It returns false in other dialects.
func (b *blockReader) readComment(matched int) bool {
	if !b.dialect.Directives {
		return false
	}
	b.closeBlocks(matched)
	b.handler.readCode(b.line.next, b.line.end, false)
	return true
}
