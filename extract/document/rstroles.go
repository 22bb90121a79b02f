package document

import (
	"bytes"
	"regexp"
	"strings"

	"locus/internal/lazy"
)

// rstRoles finds the roles of Sphinx that lead to a document, a file or a label.
var rstRoles = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile("(?:^|[^\\w`:])(:(ref|numref|doc|download):`([^`]+)`)")
}}

// includes are the directives whose argument is a file.
var includes = []string{"include::", "literalinclude::"}

// roles reads the roles and the included files of Sphinx.
func (d *document) roles() {
	for at, line := range lines(d.text, 0) {
		if rest := bytes.TrimLeft(line, " \t"); !d.isSkipped(at) {
			d.include(at+len(line)-len(rest), rest)
		}
	}
	for _, m := range rstRoles.Get().FindAllSubmatchIndex(d.text, -1) {
		if !d.isSkipped(m[2]) {
			d.role(string(d.text[m[4]:m[5]]), m[6], m[7])
		}
	}
}

// include reads the file that a directive includes. One in "<>" belongs to docutils.
func (d *document) include(at int, line []byte) {
	rest, ok := bytes.CutPrefix(line, []byte(".. "))
	if !ok {
		return
	}
	for _, name := range includes {
		argument, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(name))
		file := bytes.TrimSpace(argument)
		if !ok || len(file) == 0 || file[0] == '<' {
			continue
		}
		from := at + bytes.Index(line, file)
		d.addReference(from, from+len(file), string(file), "role include")
	}
}

// role adds the target of a role, whose text is a range of the document: all of it, or what
// is in "<>" at its end.
func (d *document) role(name string, from, to int) {
	text := d.text[from:to]
	if start := bytes.LastIndexByte(text, '<'); start > 0 && text[len(text)-1] == '>' {
		from, to = from+start+1, to-1
	}
	target := strings.Join(strings.Fields(string(d.text[from:to])), " ")
	if target == "" || target[0] == '!' {
		return
	}
	d.addReference(from, to, rstEscapes.Get().Replace(target), "role "+name)
}
