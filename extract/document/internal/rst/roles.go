package rst

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
)

// A role is a role of Sphinx that leads to a document, a file, a label or a standard.
type role struct {
	name string
	base string // the URLs of standards, with a verb for the number; "" for other roles
}

// roles are the roles that are read.
var roles = []role{
	{"ref", ""},
	{"numref", ""},
	{"doc", ""},
	{"download", ""},
	{"rfc", "https://datatracker.ietf.org/doc/html/rfc%d.html"},
	{"pep", "https://peps.python.org/pep-%04d/"},
}

// readRoles adds the targets of the Sphinx roles in d.Text, except where the text is skipped.
func readRoles(d *emit.Emitter) {
	mark := []byte(":`")
	for at := 0; ; {
		n := bytes.Index(d.Text[at:], mark)
		if n < 0 {
			return
		}
		colon := at + n
		from := colon + len(mark)
		r, ok := roleBefore(d.Text[at:colon])
		if !ok || d.IsSkipped(colon) {
			at = from
			continue
		}
		end := bytes.IndexByte(d.Text[from:], '`')
		if end < 0 {
			return
		}
		if end > 0 {
			addRole(d, r, from, from+end)
		}
		at = from + end + 1
	}
}

// ReadRole adds the target of the named role, whose text is d.Text. It ignores roles that readRoles does not know.
func ReadRole(d *emit.Emitter, name string) {
	for _, r := range roles {
		if r.name == name {
			addRole(d, r, 0, len(d.Text))
		}
	}
}

// roleBefore returns the role whose name, such as :doc, is at the end of text. It returns false if text does not end
// with the name of a role, or if a letter, a digit or one of "_`:" stands before it.
func roleBefore(text []byte) (role, bool) {
	for _, r := range roles {
		before, ok := bytes.CutSuffix(text, []byte(":"+r.name))
		if !ok {
			continue
		}
		if len(before) == 0 {
			return r, true
		}
		last := before[len(before)-1]
		return r, !ascii.IsLetterOrDigit(last) && strings.IndexByte("_`:", last) < 0
	}
	return role{}, false
}

// addRole adds the target of the role r, whose text is d.Text[from:to]. The target is the whole text, or the text in
// "<>" at its end. The number of a standard becomes its URL. A text that begins with "!" has no target. A download may be
// a URL.
func addRole(d *emit.Emitter, r role, from, to int) {
	text := d.Text[from:to]
	if start := bytes.LastIndexByte(text, '<'); start > 0 && text[len(text)-1] == '>' {
		from, to = from+start+1, to-1
	}
	target := strings.Join(strings.Fields(string(d.Text[from:to])), " ")
	if target == "" || target[0] == '!' {
		return
	}
	target = rstEscapes.Get().Replace(target)
	switch {
	case r.name == "download" && strings.Contains(target, "://"):
		d.AddReference(from, to, target, r.name)
		return
	case r.base == "":
		d.AddReference(from, to, target, "role "+r.name)
		return
	}
	number, fragment, hasFragment := strings.Cut(target, "#")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return
	}
	link := fmt.Sprintf(r.base, n)
	if hasFragment {
		link += "#" + fragment
	}
	d.AddReference(from, to, link, r.name)
}
