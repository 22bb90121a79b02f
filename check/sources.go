package check

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"locus/access"
	"locus/extract"
	"locus/extract/document"
	"locus/url"
)

// Sources say what is known of a file that is in no [Site].
type Sources struct {
	// Repository is the file URL of the folder of its repository; it ends in "/". A link that
	// leads out of it is unchecked, since hosts such as GitHub have pages there. The zero
	// URL: the file is in none.
	Repository url.URL

	// IsGenerated means that a generator makes a site of the file. A link that begins with "/"
	// is unchecked then. Otherwise in Markdown, AsciiDoc and reStructuredText it begins at
	// the repository, as on GitHub.
	IsGenerated bool
}

// NoRoot is the Link.Bad of a link that begins with "/", in a file of no site. It is
// unchecked, and not dead.
const NoRoot = "it begins at the root of a site, which is not known"

// outside is the Link.Bad of a link that leads out of the repository. It is unchecked.
const outside = "it leads out of the repository"

// resolve returns toLink for a file of no site. A link that begins with "//" is https.
func (s Sources) resolve(toLink func(extract.Match) (Link, bool)) func(extract.Match) (Link, bool) {
	return func(m extract.Match) (Link, bool) {
		switch {
		case m.Kind != extract.Reference || !strings.HasPrefix(m.Base, "file:"):
			return toLink(m)
		case strings.HasPrefix(m.Text, "//"):
			m.Text = "https:" + m.Text
			return linkOf(m)
		case strings.HasPrefix(m.Text, "/"):
			return s.fromRoot(m)
		}
		l, ok := toLink(m)
		if strings.HasPrefix(m.Text, "..") && !strings.HasPrefix(l.URL, s.Repository.String()) {
			return Link{URL: m.Text, Line: m.Line, Column: m.Column, Bad: outside}, ok
		}
		return l, ok
	}
}

// withoutTemplates returns toLink for a source of pages. What is a template is no link there.
func withoutTemplates(toLink func(extract.Match) (Link, bool)) func(extract.Match) (Link, bool) {
	return func(m extract.Match) (Link, bool) {
		if m.Kind == extract.Reference && isTemplate(m.Text) {
			return Link{}, false
		}
		return toLink(m)
	}
}

// isTemplate reports whether reference is a template, which a program makes a URL of. Examples are
// {{ .Permalink }} of Hugo, {% link a.md %} of Jekyll, <?php … ?>, and {filename}/a.md of Pelican.
func isTemplate(reference string) bool {
	return strings.HasPrefix(reference, "{") || strings.Contains(reference, "{{") || strings.Contains(reference, "{%") ||
		strings.Contains(reference, "<%") || strings.Contains(reference, "<?")
}

// fromRoot returns the link of a match that begins with "/".
func (s Sources) fromRoot(m extract.Match) (Link, bool) {
	if s.Repository.IsZero() || s.IsGenerated || !isSource(m.Base) {
		_, ok := linkOf(m)
		return shorten(Link{URL: m.Text, Line: m.Line, Column: m.Column, Bad: NoRoot}), ok
	}
	m.Base, m.Text = s.Repository.String(), "./"+strings.TrimLeft(m.Text, "/")
	return linkOf(m)
}

// A Generated opens the files from which generators make sites. It is an [access.Engine] around
// another one. A page or a file that does not exist is unchecked, since the generator may
// make it. The source of a page, such as a.md, is not.
type Generated struct {
	Engine access.Engine

	// Config returns the name of the file that configures the generator of the site that a
	// file belongs to; "" if there is none. Several goroutines may call it at once.
	Config func(file url.URL) string
}

// Do opens a file.
func (g *Generated) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := g.Engine.Do(ctx, req)
	if !errors.Is(err, fs.ErrNotExist) || req.URL.Scheme() != "file" || isSource(req.URL.Path()) {
		return r, err
	}
	if config := g.Config(req.URL); config != "" {
		err = &access.Error{Op: "open", URL: req.URL, Err: mayBeMade(config)}
	}
	return r, err
}

// mayBeMade returns the error for a missing file that a generator may make. config is the name of
// the file that configures it.
func mayBeMade(config string) error {
	return &errUnchecked{ClassFile, "there is no such file, but the site of " + config + " may have it"}
}

// isSource reports whether a file has the name of a source of pages.
func isSource(name string) bool {
	switch ModeByName(name) {
	case document.Markdown, document.Asciidoc, document.RST, document.Notebook:
		return true
	}
	return false
}
