package org

import (
	"bytes"
	"slices"
	"strings"

	"locus/internal/markup"
)

// A lineKind says what a line of a document is.
type lineKind uint8

const (
	prose  lineKind = iota
	code            // code, literal text, or a comment
	passed          // HTML that is passed through
)

// verbatim are the names of the blocks whose content is not Org.
var verbatim = []string{"src", "example", "comment", "export"}

// kindOf returns the kind of the line bare, which has no white space around it. It must be called once for each line,
// in order, because it keeps track of the open block.
func (r *reader) kindOf(bare []byte) lineKind {
	name, argument := blockMark(bare, "begin_")
	switch {
	case r.block != "":
		if end, _ := blockMark(bare, "end_"); end == r.block {
			r.block = ""
			return code
		}
		if r.isHTML {
			return passed
		}
		return code
	case slices.Contains(verbatim, name):
		r.block, r.isHTML = name, name == "export" && strings.HasPrefix(argument, "html")
		return code
	case len(bare) > 0 && (bare[0] == ':' || bare[0] == '#') && (len(bare) == 1 || markup.IsSpace(bare[1])):
		return code
	}
	return prose
}

// blockMark returns the name of the block that a line such as "#+begin_src sh" begins or ends, and the text after the
// name, both in lower case. mark is "begin_" or "end_". The name is "" for other lines.
func blockMark(bare []byte, mark string) (name, argument string) {
	mark = "#+" + mark
	if len(bare) <= len(mark) || !bytes.EqualFold(bare[:len(mark)], []byte(mark)) {
		return "", ""
	}
	name, argument, _ = strings.Cut(strings.ToLower(string(bare[len(mark):])), " ")
	return name, strings.TrimSpace(argument)
}

// keywordOf returns the keyword in upper case, and the value, of a line such as "#+INCLUDE: file". ok is false for
// other lines.
func keywordOf(bare []byte) (keyword string, value []byte, ok bool) {
	rest, ok := bytes.CutPrefix(bare, []byte("#+"))
	if !ok {
		return "", nil, false
	}
	name, value, ok := bytes.Cut(rest, []byte(":"))
	return strings.ToUpper(string(name)), bytes.TrimLeft(value, " \t"), ok && !bytes.ContainsAny(name, " \t")
}
