package site

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"locus/access"
	"locus/extract/document"
	"locus/internal/facts"
	"locus/url"
)

// Sources describes where a file is that is in no [Site], so that the links in it can be resolved.
type Sources struct {
	// Repository is the file URL of the folder of the file's repository, which ends in "/". A link that leads out of
	// the repository is unchecked, because hosts such as GitHub serve pages there. The zero URL means that the file is
	// not in a repository.
	Repository url.URL

	// Generator reads the file, or is the zero Generator. If it makes pages, a link that begins with "/" is unchecked,
	// because the root of the site is not known. Otherwise, in Markdown, AsciiDoc and reStructuredText, such a link
	// begins at the repository, as on GitHub.
	Generator Generator
}

// The reasons why a link in a file that is in no site is not checked.
const (
	// NoRoot is the reason for a link that begins with "/" if Root does not know where it begins.
	NoRoot = "it begins at the root of a site, which is not known"

	// Outside is the reason for a link that leads out of the repository.
	Outside = "it leads out of the repository"
)

// Root returns the URL at which a link that begins with "/" begins. base is the base URL of the file that contains the
// link. ok is false if the root is not known.
func (s Sources) Root(base string) (root url.URL, ok bool) {
	if s.Repository.IsZero() || s.Generator.Makes() || !isSource(base) {
		return url.URL{}, false
	}
	return s.Repository, true
}

// IsOutside reports whether a URL leads out of the repository.
func (s Sources) IsOutside(u string) bool { return !strings.HasPrefix(u, s.Repository.String()) }

// A Generated opens the files from which generators make sites. It is an [access.Engine] around another Engine. If a
// file does not exist, the error is an [UncertainError], because the generator may make the file. The error stays
// fs.ErrNotExist for the source of a page, such as a.md.
type Generated struct {
	Engine access.Engine

	// Config returns the name of the file that configures the generator of a file's site. It returns "" if the file
	// belongs to no such site. Several goroutines may call it at once.
	Config func(file url.URL) string
}

// Do opens a URL with Engine.
func (g *Generated) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := g.Engine.Do(ctx, req)
	if !errors.Is(err, fs.ErrNotExist) || !facts.Of(req.URL.Scheme()).Has(facts.LocalPath) || isSource(req.URL.Path()) {
		return r, err
	}
	if config := g.Config(req.URL); config != "" {
		err = &access.Error{Op: "open", URL: req.URL, Err: mayBeMade(config)}
	}
	return r, err
}

// mayBeMade returns the error for a missing file that a generator may make. config is the name of the file that
// configures the generator.
func mayBeMade(config string) error {
	return &UncertainError{Why: "there is no such file, but the site of " + config + " may have it"}
}

// An UncertainError says that the files cannot tell whether a page exists.
type UncertainError struct {
	Why        string // the reason, as a clause for people
	IsRedirect bool   // the reason is a redirect for some visitors
}

// Error returns Why.
func (e *UncertainError) Error() string { return e.Why }

// isSource reports whether the name of a file is that of a source of pages. A generator may make llms.txt, although it
// is Markdown.
func isSource(name string) bool {
	if strings.HasSuffix(name, ".txt") {
		return false
	}
	switch document.ByName(strings.TrimSuffix(name, ".gz")) {
	case document.Markdown, document.Asciidoc, document.RST, document.Notebook:
		return true
	}
	return false
}
