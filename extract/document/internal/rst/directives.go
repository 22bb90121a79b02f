package rst

import (
	"bytes"
	"path"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/markup"
)

// A directive is the directive whose options and content are read.
type directive struct {
	name    string // "" outside of the directives that have links in their options or content
	indent  int    // the indent of the line that began it
	hasBody bool   // its content has begun
	isGlob  bool   // its content has patterns
}

// The directives whose options and content may name files.
const (
	toctree  = "toctree"
	csvTable = "csv-table"
	raw      = "raw"
)

// readDirective reads a line at offset at, without the white space at its end: the start of a directive, or an option
// or a line of the content of the open directive. It adds the files and the URLs that these name.
func (r *reader) readDirective(bare []byte, at int) {
	text := bytes.TrimLeft(bare, " \t")
	indent := len(bare) - len(text)
	d := &r.directive
	switch {
	case len(text) == 0:
		return
	case d.name != "" && indent > d.indent:
		r.readContent(text, at+indent)
		return
	}
	*d = directive{}
	if !isExplicit(text) {
		return
	}
	name, argument, ok := bytes.Cut(bytes.TrimLeft(text[len(".."):], " \t"), []byte("::"))
	switch name := string(name); {
	case !ok || len(argument) > 0 && !markup.IsSpace(argument[0]):
	case name == toctree, name == csvTable, name == raw:
		*d = directive{name: name, indent: indent}
	case name == "include", name == "literalinclude":
		r.addFile(bytes.TrimSpace(argument), at)
	}
}

// readContent reads text, an option or a line of the content of the open directive, at offset at. It adds the file, the
// URL or the document that it names.
func (r *reader) readContent(text []byte, at int) {
	if !r.directive.hasBody && text[0] == ':' {
		option, value, _ := bytes.Cut(text[1:], []byte(":"))
		value = bytes.TrimSpace(value)
		switch name := string(option); {
		case name == "glob":
			r.directive.isGlob = true
		case r.directive.name == toctree:
		case name == "file":
			r.addFile(value, at)
		case name == "url":
			from := at + bytes.Index(text, value)
			addURL(r.Emitter, from, from+len(value))
		}
		return
	}
	r.directive.hasBody = true
	if r.directive.name == toctree && r.Options.Roles {
		addDocument(r.Emitter, text, at, r.directive.isGlob)
	}
}

// addFile adds a reference to the file that a directive names in the line at offset at, if Options.Roles is set. A file
// in "<>" belongs to docutils, so it is left out.
func (r *reader) addFile(file []byte, at int) {
	if !r.Options.Roles || len(file) == 0 || file[0] == '<' {
		return
	}
	from := at + bytes.Index(r.Text[at:], file)
	r.AddReference(from, from+len(file), string(file), "role include")
}

// ReadToctree adds the documents that the content of a toctree of MyST names, except patterns. Options between two lines
// "---" may precede the names. It is an emit.Format.
func ReadToctree(d *emit.Emitter) {
	inOptions := false
	for at, line := range emit.Lines(d.Text, 0) {
		entry := bytes.TrimSpace(line)
		switch {
		case string(entry) == "---":
			inOptions = !inOptions
		case len(entry) > 0 && !inOptions:
			addDocument(d, entry, at+bytes.Index(line, entry), true)
		}
	}
}

// addDocument adds a reference to a document that a table of contents names: its name, or a title and the name in "<>".
// It leaves out a URL, which is found as text, self, which is the document itself, the pages that Sphinx makes, and, if
// isGlob is set, a pattern, which may match no document. Sphinx accepts names of files, too, so addDocument removes their
// extensions.
func addDocument(d *emit.Emitter, entry []byte, at int, isGlob bool) {
	if start := bytes.LastIndexByte(entry, '<'); start > 0 && entry[len(entry)-1] == '>' {
		at += start + 1
		entry = entry[start+1 : len(entry)-1]
	}
	name := string(entry)
	switch strings.TrimPrefix(name, "/") {
	case "self", "genindex", "modindex", "search":
		return
	}
	isPattern := isGlob && strings.ContainsAny(name, "*?[")
	if isPattern || strings.Contains(name, "://") || strings.HasPrefix(name, "mailto:") {
		return
	}
	switch extension := path.Ext(name); extension {
	case ".rst", ".md", ".ipynb":
		name = strings.TrimSuffix(name, extension)
	}
	d.AddReference(at, at+len(entry), name, "role doc")
}
