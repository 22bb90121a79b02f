// Package asciidoc reads AsciiDoc.
//
// Notable divergences from Asciidoctor:
//   - The attributes are the attributes that the document itself sets and the attributes that every document has. A target
//     with another attribute is left out, and both branches of a condition are read.
//   - A URL in monospaced text is an example, unless it is the target of a macro.
//   - The substitutions of a block, such as [subs=macros], do not change how it is read.
package asciidoc

import (
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/html"
)

// How the pieces work together:
//
// blocks.go reads the lines of a document and decides what each line is: text, code, HTML, a title. Lines of text that
// belong together are a range, because a macro may continue in the next line of its paragraph. inline.go reads the
// ranges from left to right, once, and calls targets.go for the targets of macros. attributes.go keeps the attributes.

// Read reads the macros and cross references of AsciiDoc, and searches all of its text.
func Read(d *emit.Emitter) {
	d.InOrder = true
	at := emit.FrontMatter(d.Text)
	d.ReadText(emit.Slice(d.Text, 0, at), "")
	r := reader{attributes: attributes{}}
	for from, to := range emit.Blocks(d.Text, at) {
		if d.IsStopped() {
			return
		}
		d.Nested(emit.Slice(d.Text, from, to), "", r.readPiece)
	}
}

// A reader reads AsciiDoc line by line. Its state continues across the pieces of the text.
type reader struct {
	*emit.Emitter // the current piece
	attributes    attributes
	conditions    conditions
	blocks        blockReader

	within         textRange
	title          interval // the last line, if it may be the title that the next line underlines
	lines          interval // the lines of text that are not read yet, which belong together
	html           interval // the lines of HTML that are not read yet
	wrapped        string   // the name of the attribute whose value continues in the next line
	wrappedValue   string
	isValueWrapped bool
}

// An interval is a range of offsets in a piece.
type interval struct{ from, to int }

// add extends v to the line at [from, to), which follows v. An empty v becomes this range.
func (v *interval) add(from, to int) {
	if v.to == 0 {
		v.from = from
	}
	v.to = to
}

// readPiece reads d, which holds one piece of the document, and searches its text.
func (r *reader) readPiece(d *emit.Emitter) {
	r.Emitter = d
	r.title = interval{}
	for at, line := range emit.Lines(d.Text, 0) {
		r.readLine(line, at)
	}
	r.endText()
	r.endHTML()
	d.Plain()
}

// readLine reads a line at offset at of the piece: it adds the line to the lines or the HTML that are read later, reads
// a title, an attribute or a directive, or skips code.
func (r *reader) readLine(line []byte, at int) {
	past := at + len(line)
	kind := r.blocks.read(line)
	title := r.title
	r.title = interval{}
	if kind != prose {
		r.endText()
	}
	if kind != passed {
		r.endHTML()
	}
	switch kind {
	case prose:
		if r.blocks.isFirst {
			r.endText()
			r.title = interval{at, past}
		}
		r.lines.add(at, past)
	case underline:
		if title.to > 0 {
			r.addSection(r.Text[title.from:title.to])
		}
	case heading:
		r.addSection(headingText(line))
		r.readText(at, past)
	case attribute:
		r.addAttribute(line, at, past, true)
	case directive:
		r.readDirective(line, at)
	case metadata:
		r.readText(at, past)
	case passed:
		r.html.add(at, past)
	case code:
		if r.Options.SkipCode {
			r.Skip(at, past)
		}
		r.readInclude(line, at)
	case comment:
		if r.Options.SkipCode {
			r.Skip(at, past)
		}
	}
}

// endText reads the lines of text that are not read yet.
func (r *reader) endText() {
	if r.lines.to > 0 {
		r.readText(r.lines.from, r.lines.to)
		r.lines = interval{}
	}
}

// endHTML reads the lines of HTML that are not read yet.
func (r *reader) endHTML() {
	if r.html.to > 0 {
		r.readHTML(r.html.from, r.html.to)
		r.html = interval{}
	}
}

// readHTML reads a range of the piece as HTML, because Asciidoctor passes it through to the page. The search of plain
// text skips the range.
func (r *reader) readHTML(from, to int) {
	r.Nested(emit.Slice(r.Text, from, to), "", html.Read)
	r.Skip(from, to)
}
