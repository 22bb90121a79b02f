package rst

import (
	"bytes"
	"regexp"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
)

// rstRoles matches the Sphinx roles that lead to a document, a file or a label.
var rstRoles = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile("(?:^|[^\\w`:])(:(ref|numref|doc|download):`([^`]+)`)")
}}

// includes are the directives whose argument is a file.
var includes = []string{"include::", "literalinclude::"}

// readRoles adds the targets of Sphinx roles, and the files that the document includes.
func readRoles(d *emit.Emitter) {
	for at, line := range emit.Lines(d.Text, 0) {
		if rest := bytes.TrimLeft(line, " \t"); !d.IsSkipped(at) {
			addInclude(d, at+len(line)-len(rest), rest)
		}
	}
	for _, m := range rstRoles.Get().FindAllSubmatchIndex(d.Text, -1) {
		if !d.IsSkipped(m[2]) {
			addRole(d, string(d.Text[m[4]:m[5]]), m[6], m[7])
		}
	}
}

// addInclude adds a reference to the file that an include directive names. A file in "<>" belongs to docutils, so it
// is left out.
func addInclude(d *emit.Emitter, at int, line []byte) {
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
		d.AddReference(from, from+len(file), string(file), "role include")
	}
}

// addRole adds the target of a role. The text of the role is a range of the document, and the target is all of it, or
// the part in "<>" at its end.
func addRole(d *emit.Emitter, name string, from, to int) {
	text := d.Text[from:to]
	if start := bytes.LastIndexByte(text, '<'); start > 0 && text[len(text)-1] == '>' {
		from, to = from+start+1, to-1
	}
	target := strings.Join(strings.Fields(string(d.Text[from:to])), " ")
	if target == "" || target[0] == '!' {
		return
	}
	d.AddReference(from, to, rstEscapes.Get().Replace(target), "role "+name)
}
