package asciidoc

import (
	"bytes"
	"strings"
)

// conditions are the results of the conditions, such as ifdef::name[], that are open. The links in both branches of a
// condition are read. An attribute is set only if the condition is met, because otherwise the value for one program
// would replace the value for another.
type conditions []bool

// maxConditions is how deep conditions may be nested.
const maxConditions = 64

// isMet reports whether all open conditions are met. It is true outside of conditions.
func (c conditions) isMet() bool {
	for _, met := range c {
		if !met {
			return false
		}
	}
	return true
}

// intrinsic are attributes that Asciidoctor sets for every page.
const intrinsic = " asciidoctor asciidoctor-version backend backend-html5 basebackend basebackend-html doctype doctype-article docname docfile "

// isSet reports whether an attribute is set, by the document or by Asciidoctor.
func (r *reader) isSet(name string) bool {
	_, ok := r.attributes.get(name)
	return ok || strings.Contains(intrinsic, " "+strings.ToLower(name)+" ")
}

// readDirective reads a directive of the preprocessor in a line at offset at. It opens a condition, closes the
// innermost condition, reads the text in the brackets of a condition, or adds the file of an include directive.
func (r *reader) readDirective(line []byte, at int) {
	name, rest, _ := bytes.Cut(bytes.TrimRight(line, " \t\r\n"), []byte("::"))
	subject, content, _ := bytes.Cut(rest, []byte("["))
	content = bytes.TrimSuffix(content, []byte("]"))
	isMet := true
	switch string(name) {
	case "ifdef":
		isMet = r.hasAttributes(string(subject))
	case "ifndef":
		isMet = !r.hasAttributes(string(subject))
	case "ifeval":
		content = nil
	case "endif":
		if len(r.conditions) > 0 {
			r.conditions = r.conditions[:len(r.conditions)-1]
		}
		return
	default:
		r.readText(at, at+len(line))
		return
	}
	if len(content) == 0 {
		if len(r.conditions) < maxConditions {
			r.conditions = append(r.conditions, isMet)
		}
		return
	}
	start := at + bytes.Index(line, content)
	past := start + len(content)
	if isAttribute(content) {
		r.addAttribute(content, start, past, isMet)
		return
	}
	r.readText(start, past)
}

// hasAttributes reports whether the attributes of a condition are set: one of names that "," separates, or all names
// that "+" separates.
func (r *reader) hasAttributes(names string) bool {
	if strings.Contains(names, "+") {
		for name := range strings.SplitSeq(names, "+") {
			if !r.isSet(name) {
				return false
			}
		}
		return true
	}
	for name := range strings.SplitSeq(names, ",") {
		if r.isSet(name) {
			return true
		}
	}
	return false
}
