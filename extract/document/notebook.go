package document

// notebook reads the cells of a notebook of Jupyter. Those of Markdown are read as
// Markdown, those of code as text. Outputs and metadata are left out.
func (d *document) notebook() {
	d.inOrder = true
	var path []string // the names of the open objects and arrays; "": an array or none
	var kind, name string
	var source part
	isValue := false
	for i := 0; i < len(d.text) && !d.isStopped(); i++ {
		switch d.text[i] {
		case '{', '[':
			path, name, isValue = append(path, name), "", false
			if len(path) > maxNotebookDepth {
				return
			}
			if isCell(path) {
				kind, source = "", part{}
			}
		case '}', ']':
			if isCell(path) {
				d.readCell(kind, source)
				kind, source = "", part{}
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
			end := jsonStringEnd(d.text, i)
			text := replaceEscapes(d.text[min(i+1, end):end], i+1, '\\', unescapeJSON)
			i = end
			switch {
			case next(d.text, end+1) == ':':
				name = string(text.text)
			case isCell(path) && isValue && name == "cell_type":
				kind = string(text.text)
			case isCell(path) && isValue && name == "source",
				len(path) == 4 && path[3] == "source" && isCell(path[:3]):
				source.copy(text, 0, len(text.text))
			}
		}
	}
}

// maxNotebookDepth is how deep the JSON of a notebook may be nested.
const maxNotebookDepth = 1000

// isCell reports whether a path leads to an object in the array of cells.
func isCell(path []string) bool { return len(path) == 3 && path[1] == "cells" }

func (d *document) readCell(kind string, source part) {
	switch {
	case kind == "markdown":
		d.nested(source, "", (*document).markdown)
	case kind == "code" && !d.options.SkipCode, kind == "raw", kind == "heading":
		d.readText(source, "")
	}
}

// next returns the next byte from a place on that is no white space; 0 at the end.
func next(text []byte, at int) byte {
	if at = skipSpace(text, min(at, len(text))); at < len(text) {
		return text[at]
	}
	return 0
}
