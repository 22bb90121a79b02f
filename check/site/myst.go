package site

import (
	"path"
	"regexp"
	"strings"

	"locus/internal/lazy"
	"locus/url"
)

// ReadsMyST reports whether the folder contains the sources of a manual whose documents in Markdown are read by MyST.
func (s *Site) ReadsMyST() bool {
	return s.IsManual() && s.Dialect(s.Folder).Directives
}

// MySTLink returns the target of a link in a document in Markdown that MyST reads. reference is the text of the link,
// and base is the URL of the document. why is MayBeLabel if an extension may define the target. ok is false for a link
// that is resolved as in any other document. A link to a label that may not be an id leads to the file of the label.
//
//	[b](b)               the document b, whatever its extension
//	[x](label)           a label of any document
//	[x](#label)          a label of another document
//	[b](project:b.md)    the same as [b](b.md)
func (s *Site) MySTLink(base, reference string) (target, why string, ok bool) {
	bare := reference
	for _, prefix := range []string{"project:", "path:"} {
		bare = strings.TrimPrefix(bare, prefix)
	}
	name, rest := cutReference(bare)
	if label, ok := strings.CutPrefix(bare, "#"); ok {
		if target, ok := s.mystLabel(label); ok && !strings.HasPrefix(target, s.Local(base)+"#") {
			return target, "", true
		}
		return s.Local(base) + bare, "", bare != reference
	}
	if name == "" || strings.Contains(name, ":") {
		return "", "", false
	}
	from, to := s.File(base, name)
	at, err := url.Parse(from)
	if err == nil {
		at, err = at.Resolve(to)
	}
	escaped, isInFolder := strings.CutPrefix(at.String(), s.Folder.String())
	if err != nil || !isInFolder {
		return "", "", false
	}
	text, err := url.Unescape(escaped)
	if err != nil {
		return "", "", false
	}
	if s.isFile(text) {
		return at.String() + rest, "", bare != reference
	}
	if source, ok := s.source(text); ok {
		return source + rest, "", true
	}
	if target, ok := s.mystLabel(reference); ok {
		return target, "", true
	}
	if bare == reference && s.manual().isExtended && !strings.Contains(name, "/") && !isSource(name) {
		return reference, MayBeLabel, true
	}
	return at.String() + rest, "", bare != reference
}

// mystLabel returns the URL of a label that any document of the manual defines, or the URL of its file if the label may
// not be an id there. label may be escaped. ok is false if there is no such label.
func (s *Site) mystLabel(label string) (target string, ok bool) {
	if text, err := url.Unescape(label); err == nil {
		label = text
	}
	found, ok := s.manual().labels[labelName(label)]
	if !ok {
		return "", false
	}
	return s.labelURL(found), true
}

// mystLine matches the ways in which only MyST defines a label: an option of a directive in YAML, the argument of
// figure-md, and an attribute.
var mystLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:name|label):\s+["']?([^"']*)|\{figure-md\}\s+(\S+)|\{(?:[^{}]*\s)?#([^\s{}]+)[^{}]*\}`)
}}

// readMyST adds the labels that a line of a document in Markdown defines in a way that only MyST has, unless they
// are known. It may add too many, because the line may be in code.
func (all *manual) readMyST(line, file string) {
	if !strings.ContainsAny(line, "{:") {
		return
	}
	for _, m := range mystLine.Get().FindAllStringSubmatch(line, -1) {
		name := labelName(m[1] + m[2] + m[3])
		if _, ok := all.labels[name]; !ok && name != "" {
			all.labels[name] = label{file: file}
		}
	}
}

// role returns the target of a role of MyST, or of a document in a table of contents. name is the text of the role. It
// begins at the file or, if its first character is "/", at the folder. The other parameters and the results are as for
// Link. A document that is not found gets the URL that its source would have.
func (p *Project) role(file url.URL, place, name string) (target, why string, ok bool) {
	from, ok := p.nameOf(file)
	if !ok {
		return "", "", false
	}
	at := path.Join(path.Dir(from), name)
	if strings.HasPrefix(name, "/") {
		at = path.Clean(name[1:])
	}
	if strings.HasPrefix(at, "../") {
		return "", "", false
	}
	if place == "role doc" && !p.names.isFile(p.Files, at) {
		source, isFound := p.source(at)
		why := p.Generator.missingDocument(name)
		switch {
		case isFound:
			at = source
		case why != "":
			return ":doc:`" + name + "`", why, true
		case !isSource(at):
			at += ".md"
		}
	}
	return p.urlOf(at, ""), "", true
}
