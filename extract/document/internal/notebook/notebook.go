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
// outputs and metadata.
func Read(d *emit.Emitter) {
	d.InOrder = true
	if d.Options.Dialect.Naming == dialect.GitHub { // otherwise a generator makes pages of the notebook
		d.Options.Dialect.Naming = dialect.Jupyter
	}
	var path []string // the names of the open objects and arrays; "" for a value in an array or at the top
	var kind, name string
	var source emit.Part
	isValue := false
	for i := 0; i < len(d.Text) && !d.IsStopped(); i++ {
		switch d.Text[i] {
		case '{', '[':
			path, name, isValue = append(path, name), "", false
			if len(path) > maxNotebookDepth {
				return
			}
			if isCell(path) {
				kind, source = "", emit.Part{}
			}
		case '}', ']':
			if isCell(path) {
				readCell(d, kind, source)
				kind, source = "", emit.Part{}
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
			end := json.JsonStringEnd(d.Text, i)
			text := emit.ReplaceEscapes(d.Text[min(i+1, end):end], i+1, '\\', json.UnescapeJSON)
			i = end
			switch {
			case next(d.Text, end+1) == ':':
				name = string(text.Text)
			case isCell(path) && isValue && name == "cell_type":
				kind = string(text.Text)
			case isCell(path) && isValue && name == "source",
				len(path) == 4 && path[3] == "source" && isCell(path[:3]):
				source.Copy(text, 0, len(text.Text))
			}
		}
	}
}

// maxNotebookDepth is how deep the JSON of a notebook may be nested.
const maxNotebookDepth = 1000

// isCell reports whether path leads to an object in the array of cells.
func isCell(path []string) bool { return len(path) == 3 && path[1] == "cells" }

// readCell reads the source of a cell by its kind. Unknown kinds are left out.
func readCell(d *emit.Emitter, kind string, source emit.Part) {
	switch {
	case kind == "markdown":
		d.Nested(source, "", markdown.Read)
	case kind == "code" && !d.Options.SkipCode, kind == "raw", kind == "heading":
		d.ReadText(source, "")
	}
}

// next returns the first byte at or after an offset that is not white space, or 0 at the end.
func next(text []byte, at int) byte {
	if at = markup.SkipSpace(text, min(at, len(text))); at < len(text) {
		return text[at]
	}
	return 0
}
