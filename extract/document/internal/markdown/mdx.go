package markdown

import (
	"bytes"
	"regexp"
	"slices"

	"locus/internal/lazy"
)

// withoutMDXComments returns text with the comments of MDX, {/* … */}, replaced by other bytes, so that offsets and
// lines stay the same. It calls anchor, if not nil, with the name in each {/* #name */}, which is the id of a
// heading.
func withoutMDXComments(text []byte, anchor func(string)) []byte {
	copied, line := false, 0 // the offset of the start of the current line
	for at := 0; ; {
		start := bytes.Index(text[at:], []byte("{/*"))
		if start < 0 {
			return text
		}
		if n := bytes.LastIndexByte(text[at:at+start], '\n'); n >= 0 {
			line = at + n + 1
		}
		start += at
		length := bytes.Index(text[start+len("{/*"):], []byte("*/}"))
		if length < 0 {
			return text
		}
		at = start + len("{/*") + length + len("*/}")
		if !copied {
			text, copied = bytes.Clone(text), true
		}
		inside := bytes.TrimSpace(text[start+len("{/*") : at-len("*/}")])
		if name, ok := bytes.CutPrefix(inside, []byte("#")); ok && anchor != nil && len(name) > 0 && !bytes.ContainsAny(name, " \t\r\n") {
			anchor(string(name))
		}
		hide(text[start:at], isHeadingStart(text[line:start]))
		if n := bytes.LastIndexByte(text[start:at], '\n'); n >= 0 {
			line = start + n + 1
		}
	}
}

// isHeadingStart reports whether a line begins like a heading, with spaces and "#".
func isHeadingStart(line []byte) bool {
	const mostIndent = 100 // for a heading in a list
	return bytes.HasPrefix(bytes.TrimLeft(line[:min(len(line), mostIndent)], " "), []byte("#"))
}

// hide overwrites an MDX comment, which has at least six bytes, so that a reader of Markdown does not see it. Each byte
// becomes "x", except line breaks, which stay. In a heading, a comment on one line becomes an HTML comment of the same
// length, because an "x" would change the heading's name. Elsewhere an HTML comment would hide the rest of a line that
// it begins.
func hide(text []byte, inHeading bool) {
	isLine := !bytes.ContainsAny(text, "\r\n")
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = 'x'
		}
	}
	switch {
	case !inHeading || !isLine:
	case len(text) == len("{/**/}"):
		copy(text, "<!--->")
	default:
		copy(text, "<!--")
		copy(text[len(text)-len("-->"):], "-->")
	}
}

// hideEnds overwrites each ">" in the expressions of a tag of MDX, such as <a onClick={() => f(x)}>, with a blank, because
// the tag would end there in HTML.
func hideEnds(tag []byte) {
	quote := byte(0)
	for i := 0; i < len(tag); i++ {
		switch c := tag[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			expression := tag[i : i+attributeExpressionLength(tag[i:])]
			for j, c := range expression {
				if c == '>' {
					expression[j] = ' '
				}
			}
			i += max(len(expression)-1, 0)
		}
	}
}

// moduleLine matches the first line of JavaScript imports and exports in MDX.
var moduleLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:export (?:const|let|var|default|function|class|async) |export \{|import (?:.* from )?["'].*["'];?\s*$)`)
}}

// startsModule reports whether line is the first line of an MDX paragraph of imports and exports, which is code.
func startsModule(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("export ")) || bytes.HasPrefix(line, []byte("import "))) && moduleLine.Get().Match(line)
}

// hasPlainFormat reports whether the mapping "mdx" in the front matter has the format "md", with which Docusaurus reads
// a file as CommonMark instead of MDX.
func hasPlainFormat(matter []byte) bool {
	isInside, indent := false, 0 // whether the line may be in the mapping, and how far its keys are indented, or 0
	for line := range bytes.Lines(matter) {
		bare := bytes.TrimLeft(line, " \t")
		switch n := len(line) - len(bare); {
		case len(bytes.TrimSpace(bare)) == 0 || bare[0] == '#':
		case n == 0:
			var value []byte
			value, isInside = yamlValue(bare, "mdx")
			indent = 0
			if entries, ok := bytes.CutPrefix(value, []byte("{")); ok && slices.ContainsFunc(bytes.Split(entries, []byte(",")), isPlainFormat) {
				return true
			}
		case isInside && (indent == 0 || indent == n):
			indent = n
			if isPlainFormat(bare) {
				return true
			}
		}
	}
	return false
}

// isPlainFormat reports whether an entry of a YAML mapping is the format "md". A brace may follow it.
func isPlainFormat(entry []byte) bool {
	value, ok := yamlValue(entry, "format")
	return ok && string(bytes.Trim(value, "\"' \t}")) == "md"
}

// yamlValue returns the value in a line such as name: value # comment, without the comment. The name may have quotation
// marks. It returns false if the line has another name.
func yamlValue(line []byte, name string) (value []byte, ok bool) {
	key, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || string(bytes.Trim(key, "\"' \t")) != name {
		return nil, false
	}
	value, _, _ = bytes.Cut(value, []byte(" #"))
	return bytes.TrimSpace(value), true
}
