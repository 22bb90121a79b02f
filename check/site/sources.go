package site

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"locus/access"
	"locus/extract/document"
	"locus/extract/document/dialect"
	"locus/internal/facts"
	"locus/url"
)

// Sources describes where a file is that is in no [Site], so that the links in it can be resolved.
type Sources struct {
	// Repository is the file URL of the folder of the file's repository, which ends in "/". A link that leads out of
	// the repository is unchecked, because hosts such as GitHub serve pages there. The zero URL means that the file is
	// not in a repository.
	Repository url.URL

	// Project has the generator that reads the file, or the host that shows it. It is nil if neither is known. If the
	// generator makes pages, a link that begins with "/" is found among the files of the project, or is unchecked.
	// Otherwise, in Markdown, AsciiDoc and reStructuredText, such a link begins at the repository, as on GitHub.
	Project *Project
}

// Generator returns the generator of s.Project, or the zero Generator if s.Project is nil.
func (s Sources) Generator() Generator {
	if s.Project == nil {
		return Generator{}
	}
	return s.Project.Generator
}

// Dialect returns the dialect of a file.
func (s Sources) Dialect(file url.URL) dialect.Dialect { return dialectOf(file, s.Generator()) }

// The reasons why a link in a file that is in no site is not checked.
const (
	// NoRoot is the reason for a link that begins with "/" if Root does not know where it begins.
	NoRoot = "it begins at the root of a site, which is not known"

	// Outside is the reason for a link that leads out of the repository.
	Outside = "it leads out of the repository"
)

// Index returns the URL of the file with the page that is shown for a folder. names are the names in the folder. ok is
// false if there is no such file.
func (s Sources) Index(folder url.URL, names []string) (file url.URL, ok bool) {
	if s.Generator().Makes() {
		return s.Project.Source(folder)
	}
	for _, stem := range []string{"readme", "index"} {
		for _, extension := range pageExtensions {
			for _, name := range names {
				if strings.EqualFold(name, stem+extension) && (isSource(name) || stem == "index") {
					file, err := folder.JoinPath(name)
					return file, err == nil
				}
			}
		}
	}
	return url.URL{}, false
}

// Root returns the URL at which a link that begins with "/" begins. base is the base URL of the file that contains the
// link. ok is false if the root is not known.
func (s Sources) Root(base string) (root url.URL, ok bool) {
	if s.Repository.IsZero() || s.Generator().Makes() || !isSource(base) {
		return url.URL{}, false
	}
	return s.Repository, true
}

// IsOutside reports whether a URL leads out of the repository.
func (s Sources) IsOutside(u string) bool { return !strings.HasPrefix(u, s.Repository.String()) }

// A Generated opens the files from which generators make sites. It is an [access.Engine] around another Engine. In place
// of a page that does not exist it opens the source of the page. If there is no source, the error is an
// [UncertainError], because the generator may make the page. The error stays fs.ErrNotExist where the generator would
// fail, such as for a source a.md.
type Generated struct {
	Engine access.Engine

	// Project returns the project that contains a file, or nil. Several goroutines may call it at once.
	Project func(file url.URL) *Project
}

// Do opens a URL with Engine. If the URL is a page that does not exist, Do opens the source of the page instead. If the
// source does not exist either, the error wraps an *UncertainError, or fs.ErrNotExist if the generator would fail.
func (g *Generated) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := g.Engine.Do(ctx, req)
	if !errors.Is(err, fs.ErrNotExist) || !facts.Of(req.URL.Scheme()).Has(facts.LocalPath) {
		return r, err
	}
	project := g.Project(req.URL)
	if project == nil || project.IsMissing(req.URL) {
		return r, err
	}
	source, ok := project.Source(req.URL)
	if !ok {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: mayBeMade(project.Generator.Config)}
	}
	made := *req
	made.URL = source
	return g.Engine.Do(ctx, &made)
}

// mayBeMade returns the *UncertainError for a missing file that a generator may make. config is the name of the file
// that configures the generator.
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

// isSource reports whether pages are made from the named file, by its extension. A .txt file is not a source, although
// it is read as Markdown, because a generator may make it, as it makes llms.txt.
func isSource(name string) bool {
	if strings.HasSuffix(name, ".txt") {
		return false
	}
	switch document.ByName(strings.TrimSuffix(name, ".gz")) {
	case document.Markdown, document.Asciidoc, document.RST, document.Notebook, document.Org:
		return true
	}
	return false
}
