package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"locus/access"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// A namedTree is a tree whose listings tell where an entry is in the copy. In other trees
// the URL of the entry does.
type namedTree interface {
	tree

	// nameOf returns the directories and the name of the file e, below the directory that
	// lists it. Of a directory name is "". Without both it is the directory itself.
	nameOf(e access.Entry) (dirs []string, name string)
}

// A waisTree is the tree of a database, or of a search in it: the documents. Their names
// are those that the server has for them.
type waisTree struct{ root scheme.WAIS }

func waisAt(v scheme.WAIS) (tree, error) {
	if v.Kind == scheme.WAISDocument {
		return nil, fmt.Errorf("%s: it is neither a database nor a search", v.URL().Redacted())
	}
	return waisTree{v}, nil
}

func (t waisTree) start() url.URL { return t.root.URL() }

func (t waisTree) place(u url.URL) ([]string, string, bool) {
	v, err := scheme.ParseWAIS(u)
	ok := err == nil && v.Kind == scheme.WAISDocument && isSameHost(v.Host, t.root.Host, 210) && database(v) == database(t.root)
	return nil, "", ok
}

// database returns the database of a URL. One that names none means INFO.
func database(v scheme.WAIS) string { return cmp.Or(v.Database, "INFO") }

func (t waisTree) entry(u url.URL) url.URL { return u }

func (t waisTree) directory(u url.URL) url.URL { return u }

func (t waisTree) nameOf(e access.Entry) (dirs []string, name string) {
	if e.Kind == access.Directory {
		return nil, "" // the catalog, whose documents are named by their whole paths
	}
	name = cmp.Or(e.Name, e.Title)
	segments := strings.Split(strings.Trim(name, "/"), "/")
	last := len(segments) - 1
	return segments[:last], withExtension(segments[last], e.Type)
}

// errNoCatalog says that a database does not tell which documents it has.
var errNoCatalog = errors.New("the server has no catalog of the database")

// checkCatalog returns an error if t is a database whose listing has nothing but what
// describes it.
func (t waisTree) checkCatalog(u url.URL, hasDocuments bool) error {
	if hasDocuments || t.root.Kind != scheme.WAISDatabase || database(t.root) == "INFO" || u != t.start() {
		return nil
	}
	return fmt.Errorf("%s: %w", u.Redacted(), access.WithRemedy(errNoCatalog, access.Advice("add words to search for: ?two+words")))
}

// isDocument reports whether an entry of a database is more than a description of it.
func isDocument(e access.Entry) bool {
	return e.Kind == access.Directory || !e.URL.IsZero() && !hasNoFile(e.Kind) && e.Type != "application/x-wais-source"
}

// A prosperoTree is the tree of a directory of a Prospero server. Directories of other
// servers are not part of it. The name of a file is that of the link to it.
type prosperoTree struct{ root scheme.Prospero }

func (t prosperoTree) start() url.URL { return t.root.URL() }

func (t prosperoTree) place(u url.URL) ([]string, string, bool) {
	v, err := scheme.ParseProspero(u)
	return nil, "", err == nil && isSameHost(v.Host, t.root.Host, 1525)
}

func (t prosperoTree) entry(u url.URL) url.URL { return u }

func (t prosperoTree) directory(u url.URL) url.URL { return u }

func (t prosperoTree) nameOf(e access.Entry) (dirs []string, name string) {
	if e.Kind == access.Directory {
		return []string{e.Title}, ""
	}
	return nil, withExtension(e.Title, e.Type)
}

func isSameHost(a, b scheme.Host, port uint16) bool {
	return strings.EqualFold(a.Name, b.Name) && cmp.Or(a.Port, port) == cmp.Or(b.Port, port)
}

// withExtension returns a name with the extension of a media type. Texts keep their name,
// because many have no extension.
func withExtension(name, mediaType string) string {
	if typeOf(mediaType) == "text/plain" {
		return name
	}
	return name + extensionFor(name, mediaType)
}

// typedName returns the local name of the file t, now that its media type is known. In a
// namedTree it has the extension of that type.
func (m *mirror) typedName(t task, mediaType string) (string, error) {
	if _, ok := m.tree.(namedTree); !ok {
		return t.name, nil
	}
	name := withExtension(t.name, mediaType)
	if name == t.name {
		return name, nil
	}
	m.names.release(t.name)
	_ = m.countFile(-1) // fewer are never too many
	return name, m.claimFile(name, m.identity(t))
}

// rememberName keeps in the task of an entry where a namedTree puts it: the local name
// below the directory that lists it.
func (m *mirror) rememberName(s *task, e access.Entry) error {
	t, ok := m.tree.(namedTree)
	if !ok {
		return nil
	}
	local, err := m.local(t.nameOf(e))
	s.title = local
	return err
}

var errOtherDir = errors.New("it is a directory of another server")

// isFileElsewhere reports whether an entry of a namedTree is a file of another server that
// is fetched too, because OtherHosts has the server. It reports what is not fetched.
func (m *mirror) isFileElsewhere(t, e task) bool {
	if _, ok := m.tree.(namedTree); !ok || !facts.Of(e.url.Scheme()).Has(facts.Fetches) {
		return false
	}
	_, allowed := m.matchHost(e.url)
	switch {
	case !allowed:
		m.omit(e.url, path.Join(t.name, e.title), ErrOtherHost)
		return false
	case e.kind == access.Directory:
		m.omit(e.url, path.Join(t.name, e.title), errOtherDir)
		return false
	}
	return true
}

// isElsewhere reports whether the server of a namedTree led to u, on another server that
// OtherHosts does not have.
func (m *mirror) isElsewhere(u url.URL) bool {
	if _, ok := m.tree.(namedTree); !ok || !m.isOtherServer(u) {
		return false
	}
	_, allowed := m.matchHost(u)
	return !allowed
}

// omit reports that an entry of a listing is not in the copy, which is no failure.
func (m *mirror) omit(u url.URL, name string, why error) {
	m.outcome.update(func() {
		m.outcome.report.Omitted++
		if errors.Is(why, ErrOtherHost) {
			m.outcome.report.OmittedElsewhere++
		}
	})
	m.Event(Event{Kind: Omitted, URL: u, Name: name, Size: -1, Err: why})
}
