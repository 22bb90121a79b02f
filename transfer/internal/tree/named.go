package tree

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// A waisTree has the documents of a database, or of a search in it. The server names them.
type waisTree struct{ root scheme.WAIS }

// waisAt returns the tree of the database or the search v. The URL of a document is an error.
func waisAt(v scheme.WAIS) (Tree, error) {
	if v.Kind == scheme.WAISDocument {
		return Tree{}, fmt.Errorf("%s: it is neither a database nor a search", v.URL().Redacted())
	}
	t := waisTree{v}
	return Tree{Traits: Traits{Scattered: true}, Start: v.URL(), PathOf: t.pathOf, Entry: itself, Directory: itself, Name: t.nameOf, Check: t.checkCatalog}, nil
}

// pathOf implements Tree.PathOf. It returns the empty path, because nameOf names the entries. ok is
// false for a URL that is not a document of the same database.
func (t waisTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseWAIS(u)
	ok = err == nil && v.Kind == scheme.WAISDocument && isSameHost(v.Host, t.root.Host, 210) && database(v) == database(t.root)
	return nil, "", ok
}

// database returns the database of v, or INFO if v does not name a database.
func database(v scheme.WAIS) string { return cmp.Or(v.Database, "INFO") }

// nameOf implements Tree.Name: it returns the directories and the name of e. The path in the name
// of a document becomes directories. Both are empty for a directory, which shares the directory of
// the database.
func (t waisTree) nameOf(e access.Entry) (dirs []string, name string) {
	if e.Kind == access.Directory {
		return nil, "" // the catalog, whose documents are named by their whole paths
	}
	name = cmp.Or(e.Name, e.Title)
	segments := strings.Split(strings.Trim(name, "/"), "/")
	last := len(segments) - 1
	return segments[:last], WithExtension(segments[last], e.Type)
}

// errNoCatalog says that a database does not tell which documents it has.
var errNoCatalog = errors.New("the server has no catalog of the database")

// checkCatalog implements Tree.Check: it returns an error for the root of a database whose listing
// had no documents, because such a listing only describes the database.
func (t waisTree) checkCatalog(u url.URL, hasDocuments bool) error {
	if hasDocuments || t.root.Kind != scheme.WAISDatabase || database(t.root) == "INFO" || u != t.root.URL() {
		return nil
	}
	return fmt.Errorf("%s: %w", u.Redacted(), access.WithRemedy(errNoCatalog, access.Advice("add words to search for: ?two+words")))
}

// IsDocument reports whether e, an entry of the listing of a WAIS database, is a document or a
// directory of documents, and not just a description of the database.
func IsDocument(e access.Entry) bool {
	return e.Kind == access.Directory || !e.URL.IsZero() && !HasNoFile(e.Kind) && e.Type != "application/x-wais-source"
}

// A prosperoTree is the tree of a directory of a Prospero server. Directories of other servers are
// not part of it. A file is named by the link to it.
type prosperoTree struct{ root scheme.Prospero }

// prosperoAt returns the tree of the directory v.
func prosperoAt(v scheme.Prospero) Tree {
	t := prosperoTree{v}
	return Tree{Traits: Traits{LinkedTwice: true}, Start: v.URL(), PathOf: t.pathOf, Entry: itself, Directory: itself, Name: t.nameOf}
}

// pathOf implements Tree.PathOf. It returns the empty path, because nameOf names the entries. ok is
// false for a URL of another server.
func (t prosperoTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseProspero(u)
	return nil, "", err == nil && isSameHost(v.Host, t.root.Host, 1525)
}

// nameOf implements Tree.Name: it returns the title of a directory in dirs, or the title of a file
// as name, with an extension for its type.
func (t prosperoTree) nameOf(e access.Entry) (dirs []string, name string) {
	if e.Kind == access.Directory {
		return []string{e.Title}, ""
	}
	return nil, WithExtension(e.Title, e.Type)
}

// isSameHost reports whether a and b are one host and port, in any case of letters. port stands for
// a port that is missing.
func isSameHost(a, b scheme.Host, port uint16) bool {
	return strings.EqualFold(a.Name, b.Name) && cmp.Or(a.Port, port) == cmp.Or(b.Port, port)
}

// HasNoFile reports whether an entry of that kind is neither a file nor a folder.
func HasNoFile(k access.Kind) bool {
	switch k {
	case access.Search, access.Form, access.Terminal, access.Info, access.Failure:
		return true
	}
	return false
}
