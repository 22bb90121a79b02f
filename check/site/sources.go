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

// The reasons why a link cannot be resolved, or leads where nothing of the project is.
const (
	// NoRoot is the reason of a link that begins with "/" in a file of no site.
	NoRoot = "it begins at the root of a site, which is not known"

	// Outside is the reason of a link that leads out of the repository.
	Outside = "it leads out of the repository"
)

// Root returns where a link that begins with "/" begins, in a file with a base URL; false if
// that is not known.
func (s Sources) Root(base string) (root url.URL, ok bool) {
	if s.Repository.IsZero() || s.IsGenerated || !isSource(base) {
		return url.URL{}, false
	}
	return s.Repository, true
}

// IsOutside reports whether a URL leads out of the repository.
func (s Sources) IsOutside(u string) bool { return !strings.HasPrefix(u, s.Repository.String()) }

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
	if !errors.Is(err, fs.ErrNotExist) || !facts.Of(req.URL.Scheme()).Has(facts.LocalPath) || isSource(req.URL.Path()) {
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
	return &UncertainError{Why: "there is no such file, but the site of " + config + " may have it"}
}

// An UncertainError says that the files cannot tell whether a page exists.
type UncertainError struct {
	Why        string // a clause, for people
	IsRedirect bool   // a redirect for some visitors is the reason
}

// Error returns Why.
func (e *UncertainError) Error() string { return e.Why }

// isSource reports whether a file has the name of a source of pages.
func isSource(name string) bool {
	switch document.ByName(strings.TrimSuffix(name, ".gz")) {
	case document.Markdown, document.Asciidoc, document.RST, document.Notebook:
		return true
	}
	return false
}
