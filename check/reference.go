package check

import (
	"strings"

	"locus/check/site"
	"locus/extract"
	"locus/url"
)

// A linker returns the link of a match. ok is false if the match has no URL to check. linkOf is a linker, and the
// functions in this file wrap a linker for files of one kind.
type linker func(m extract.Match) (l Link, ok bool)

// withSources wraps toLink for a file that belongs to no site. Links of wikis, links that begin with "/", and links
// such as the names of pages lead where the generator of the file, or its host, looks for them. A link that begins with
// "//" becomes an https URL. A link that leads out of the repository is Bad.
func withSources(toLink linker, s site.Sources) linker {
	return func(m extract.Match) (Link, bool) {
		switch {
		case m.Kind != extract.Reference || !isFileText(m.Base):
			return toLink(m)
		case m.Place == "wiki":
			return wikiLink(m, s.Project)
		case strings.HasPrefix(m.Text, "//"):
			m.Text = "https:" + m.Text
			return linkOf(m)
		}
		if l, ok, isKnown := projectLink(m, s); isKnown {
			return l, ok
		}
		if strings.HasPrefix(m.Text, "/") {
			return linkFromRoot(m, s)
		}
		l, ok := toLink(m)
		if strings.HasPrefix(m.Text, "..") && s.IsOutside(l.URL) {
			return Link{URL: m.Text, Line: m.Line, Column: m.Column, Bad: site.Outside}, ok
		}
		return l, ok
	}
}

// projectLink returns the link of a match that the generator of the file's project resolves by special rules. isKnown
// is false for any other match. ok is false if the match has no URL to check.
func projectLink(m extract.Match, s site.Sources) (l Link, ok, isKnown bool) {
	if s.Project == nil {
		return Link{}, false, false
	}
	file, err := url.Parse(m.Base)
	if err != nil {
		return Link{}, false, false
	}
	target, why, isKnown := s.Project.Link(file, m.Place, m.Text)
	if !isKnown {
		return Link{}, false, false
	}
	l, ok = linkTo(m, target, why)
	return l, ok, true
}

// linkTo returns the link of a match, with target as its URL in place of the text of the match. If why is not "", the
// link is Bad for this reason, and target is the text that people see. ok is false if the match has no URL to check.
func linkTo(m extract.Match, target, why string) (l Link, ok bool) {
	if why != "" {
		return shorten(Link{URL: target, Line: m.Line, Column: m.Column, Bad: why}), true
	}
	m.Text = target
	return linkOf(m)
}

// wikiLink returns the link of m, a match in double brackets, to a note of the project p. ok is false if the match is
// not a link to check.
func wikiLink(m extract.Match, p *site.Project) (l Link, ok bool) {
	target, why, ok := p.Note(m.Text)
	if !ok {
		return Link{}, false
	}
	if why != "" {
		target = "[[" + m.Text + "]]"
	}
	return linkTo(m, target, why)
}

// withMyST wraps toLink for a document in Markdown that MyST reads: references to labels and documents of the manual
// lead where MyST finds them.
func withMyST(toLink linker, in *site.Site) linker {
	return func(m extract.Match) (Link, bool) {
		if m.Kind != extract.Reference {
			return toLink(m)
		}
		target, why, ok := in.MySTLink(m.Base, m.Text)
		if ok && (why == "" || m.Place == "link") {
			return linkTo(m, target, why)
		}
		return toLink(m)
	}
}

// linkFromRoot returns the link of a match that begins with "/", resolved at the root of the file's site. It is Bad if
// the root is unknown. The second result is false if the match has no URL to check.
func linkFromRoot(m extract.Match, s site.Sources) (Link, bool) {
	root, ok := s.Root(m.Base)
	if !ok {
		_, ok := linkOf(m)
		return shorten(Link{URL: m.Text, Line: m.Line, Column: m.Column, Bad: site.NoRoot}), ok
	}
	m.Base, m.Text = root.String(), "./"+strings.TrimLeft(m.Text, "/")
	return linkOf(m)
}

// withoutTemplates wraps toLink for a file from which pages are generated. It leaves out templates, because they are
// not links in such a file.
func withoutTemplates(toLink linker) linker {
	return func(m extract.Match) (Link, bool) {
		if m.Kind == extract.Reference && isTemplate(m.Text) {
			return Link{}, false
		}
		return toLink(m)
	}
}

// isTemplate reports whether reference is a template, from which a program makes a URL. Examples are {{ .Permalink }}
// of Hugo, {% link a.md %} of Jekyll, <?php … ?>, and {filename}/a.md of Pelican.
func isTemplate(reference string) bool {
	return strings.HasPrefix(reference, "{") || strings.Contains(reference, "{{") || strings.Contains(reference, "{%") ||
		strings.Contains(reference, "<%") || strings.Contains(reference, "<?")
}

// withoutOwnAddress wraps toLink for a file. It leaves out the canonical address of the file itself, unless it is a
// file URL, because the file may not be published yet.
func withoutOwnAddress(toLink linker) linker {
	return func(m extract.Match) (Link, bool) {
		l, ok := toLink(m)
		isOwn := strings.HasSuffix(m.Place, " canonical")
		return l, ok && (!isOwn || isFileText(l.URL))
	}
}

// withRoles wraps toLink for a document of a manual that Sphinx makes. It resolves the roles of Sphinx.
func withRoles(toLink linker, in *site.Site) linker {
	return func(m extract.Match) (Link, bool) {
		role, isRole := strings.CutPrefix(m.Place, "role ")
		if !isRole {
			return toLink(m)
		}
		return roleLink(m, role, in)
	}
}

// withoutLabels wraps toLink for a document of MyST outside of a manual. It leaves out the roles that lead to labels,
// because the other documents of its site are not known.
func withoutLabels(toLink linker) linker {
	return func(m extract.Match) (Link, bool) {
		if role, ok := strings.CutPrefix(m.Place, "role "); ok && isLabelRole(role) {
			return Link{}, false
		}
		return toLink(m)
	}
}

// isLabelRole reports whether a role of Sphinx leads to a label.
func isLabelRole(role string) bool { return role == "ref" || role == "numref" }

// roleLink returns the link of a match that is a role of Sphinx, or that names an included file. A reference to an
// unknown label or document is Bad. ok is false if the match has no URL to check, such as a reference to a label that
// Sphinx itself defines.
func roleLink(m extract.Match, role string, in *site.Site) (l Link, ok bool) {
	if isLabelRole(role) {
		l = Link{Line: m.Line, Column: m.Column}
		if l.URL, l.Bad, ok = in.Label(m.Text); l.Bad != "" {
			l.URL = ":" + role + ":`" + m.Text + "`"
		}
		return shorten(l), ok
	}
	name := m.Text
	m.Base, m.Text = in.File(m.Base, m.Text)
	l, ok = linkOf(m)
	if role == "doc" && l.Bad == "" {
		l.URL, l.Bad = in.Document(l.URL, name)
	}
	return l, ok
}
