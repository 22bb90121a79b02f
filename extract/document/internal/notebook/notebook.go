// Package notebook reads Jupyter notebooks (nbformat 4).
package notebook

import (
	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/json"
	"locus/extract/document/internal/markdown"
	"locus/internal/markup"
)

// Read reads the cells of a notebook. It reads Markdown cells as Markdown, and code cells as text. It leaves out
// outputs and metadata. A link to an attachment that its cell does not have gets the place "attachment".
func Read(d *emit.Emitter) {
	d.InOrder = true
	if d.Options.Dialect.Naming == dialect.GitHub { // otherwise a generator makes pages of the notebook
		d.Options.Dialect.Naming = dialect.Jupyter
	}
	var path []string // the names of the open objects and arrays; "" for a value in an array or at the top
	var name string
	var c cell
	isValue := false
	for i := 0; i < len(d.Text) && !d.IsStopped(); i++ {
		switch d.Text[i] {
		case '{', '[':
			path, name, isValue = append(path, name), "", false
			if len(path) > maxNotebookDepth {
				return
			}
			if isCell(path) {
				c = cell{attachments: map[string]bool{}}
			}
		case '}', ']':
			if isCell(path) {
				c.read(d)
			}
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
			name, isValue = "", false
		case ':':
			isValue = true
		case ',':
			name, isValue = "", false
		case '"':
			end := json.StringEnd(d.Text, i)
			text := emit.ReplaceEscapes(d.Text[min(i+1, end):end], i+1, '\\', json.UnescapeJSON)
			i = end
			switch {
			case next(d.Text, end+1) == ':':
				name = string(text.Text)
				if len(path) == 4 && path[3] == "attachments" && isCell(path[:3]) {
					c.attachments[name] = true
				}
			case isCell(path) && isValue && name == "cell_type":
				c.kind = string(text.Text)
			case isCell(path) && isValue && name == "source",
				len(path) == 4 && path[3] == "source" && isCell(path[:3]):
				c.source.Copy(text, 0, len(text.Text))
			}
		}
	}
}

// maxNotebookDepth is how deep the JSON of a notebook may be nested.
const maxNotebookDepth = 1000

// isCell reports whether path leads to an object in the array of cells.
func isCell(path []string) bool { return len(path) == 3 && path[1] == "cells" }

// A cell is a cell of a notebook.
type cell struct {
	kind        string
	source      emit.Part
	attachments map[string]bool // the names of the files that are attached to the cell
}

// read reads the source of the cell as Markdown or as text, by the kind of the cell. It leaves out cells of unknown
// kinds, and code if Options.SkipCode is set.
func (c cell) read(d *emit.Emitter) {
	switch {
	case c.kind == "markdown":
		d.Nested(c.source, "", func(sub *emit.Emitter) {
			sub.Attachments = c.attachments
			markdown.Read(sub)
		})
	case c.kind == "code" && !d.Options.SkipCode, c.kind == "raw", c.kind == "heading":
		d.ReadText(c.source, "")
	}
}

// next returns the first byte at or after an offset that is not white space, or 0 if only white space follows.
func next(text []byte, at int) byte {
	if at = markup.SkipSpace(text, min(at, len(text))); at < len(text) {
		return text[at]
	}
	return 0
}
