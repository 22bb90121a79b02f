// Package org reads the documents of Org mode.
//
// Notable divergences:
//   - The name of a target in the same document is compared in lower case.
//   - Links that Emacs opens by a program, such as id:, info: and elisp:, are left out.
package org

import (
	"bytes"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/html"
	"locus/extract/document/internal/slug"
	"locus/internal/markup"
)

// How the pieces work together:
//
// A reader reads a document line by line, and blocks.go decides which lines are code, comments or HTML. links.go reads
// the links of the other lines. A link has no line break, so each line is read on its own.

// Read reads the links and the names of Org mode, and searches all of its text.
func Read(d *emit.Emitter) {
	d.InOrder = true
	r := reader{abbreviations: map[string]string{}}
	for from, to := range emit.Blocks(d.Text, 0) {
		if d.IsStopped() {
			return
		}
		d.Nested(emit.Slice(d.Text, from, to), "", r.readPiece)
	}
}

// A reader reads Org mode. Its state continues across the pieces of the text.
type reader struct {
	*emit.Emitter // the current piece
	abbreviations map[string]string
	block         string // the name of the open block whose content is not Org, such as src; "" if there is none
	isHTML        bool   // the content of the block is HTML
	html          emit.Interval
}

// readPiece reads the lines of d, which holds one piece of the document, and then searches the text of the piece.
func (r *reader) readPiece(d *emit.Emitter) {
	r.Emitter = d
	for at, line := range emit.Lines(d.Text, 0) {
		r.readLine(line, at)
	}
	r.endHTML()
	d.Plain()
}

// readLine reads a line at offset at of the piece: it adds the links and the names in the line, or skips code, or
// collects HTML for endHTML.
func (r *reader) readLine(line []byte, at int) {
	bare := bytes.TrimSpace(line)
	switch kind := r.kindOf(bare); kind {
	case passed:
		if r.html.To == 0 {
			r.html.From = at
		}
		r.html.To = at + len(line)
		return
	case code:
		r.endHTML()
		if r.Options.SkipCode {
			r.Skip(at, at+len(line))
		}
		return
	}
	r.endHTML()
	if keyword, value, ok := keywordOf(bare); ok {
		r.readKeyword(keyword, value, at+bytes.Index(line, bare)+len(bare)-len(value))
	}
	if stars := len(line) - len(bytes.TrimLeft(line, "*")); stars > 0 && stars < len(line) && line[stars] == ' ' {
		r.addHeading(bare[stars:])
	}
	r.readNames(bare)
	r.readLinks(at, at+len(line))
}

// endHTML reads the lines of HTML that are not read yet.
func (r *reader) endHTML() {
	if r.html.To > 0 {
		r.readHTML(r.html.From, r.html.To)
		r.html = emit.Interval{}
	}
}

// readHTML reads a range of the piece as HTML, because it is passed through to the page. The search of plain text skips
// the range.
func (r *reader) readHTML(from, to int) {
	r.Nested(emit.Slice(r.Text, from, to), "", html.Read)
	r.Skip(from, to)
}

// addHeading calls Options.Anchor, unless it is nil, with the names of a heading: its title with and without "*", as
// links write it, and the ids that generators derive from it. text is the heading without its stars.
func (r *reader) addHeading(text []byte) {
	if r.Options.Anchor == nil || len(text) > emit.MaxLabel {
		return
	}
	title := headingText(string(text))
	r.Options.Anchor("*" + targetName(title))
	r.Options.Anchor(targetName(title))
	r.AddHeading(r.Options.Dialect.Naming, slug.Plain(title))
}

// targetName returns text, the name of a target, in the form in which names are compared: in lower case, with single
// spaces.
func targetName(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// todo are the keywords of tasks at the start of headings.
var todo = []string{"TODO ", "DONE ", "NEXT ", "WAITING ", "CANCELLED ", "COMMENT "}

// headingText returns the text of a heading without its keyword, priority and tags, and with the texts of its links.
func headingText(text string) string {
	text = strings.TrimSpace(text)
	for _, keyword := range todo {
		text = strings.TrimPrefix(text, keyword)
	}
	if strings.HasPrefix(text, "[#") && len(text) > 3 && text[3] == ']' {
		text = strings.TrimSpace(text[4:])
	}
	if at := strings.LastIndex(text, " :"); at >= 0 && strings.HasSuffix(text, ":") && len(text) > at+3 && !strings.ContainsAny(text[at+1:], " \t") {
		text = strings.TrimSpace(text[:at])
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "[[")
		inner, after, isClosed := strings.Cut(rest, "]]")
		if !ok || !isClosed {
			break
		}
		b.WriteString(before)
		target, description, hasDescription := strings.Cut(inner, "][")
		if !hasDescription {
			description = target
		}
		b.WriteString(description)
		text = after
	}
	b.WriteString(text)
	return b.String()
}

// names are the keywords and properties that give a name to an element or a heading.
var names = []string{":CUSTOM_ID:", "#+NAME:", "#+LABEL:"}

// readNames calls Options.Anchor with the names that a line gives: in a keyword, a property, or <<name>>.
func (r *reader) readNames(bare []byte) {
	if r.Options.Anchor == nil {
		return
	}
	for _, name := range names {
		if len(bare) > len(name) && bytes.EqualFold(bare[:len(name)], []byte(name)) {
			value := string(bytes.TrimSpace(bare[len(name):]))
			r.Options.Anchor(value)
			r.Options.Anchor(targetName(value))
		}
	}
	for rest := bare; ; {
		_, after, ok := bytes.Cut(rest, []byte("<<"))
		name, next, isClosed := bytes.Cut(after, []byte(">>"))
		if !ok || !isClosed {
			return
		}
		if text := bytes.Trim(name, "<"); len(text) > 0 && !markup.IsSpace(text[0]) {
			r.Options.Anchor(targetName(string(text)))
		}
		rest = next
	}
}
