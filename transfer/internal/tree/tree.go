// Package tree describes the trees of each scheme: the files below a URL, the traits of such a
// tree, and the names of its entries. No other package of transfer asks for the scheme of a URL.
//
// # How the pieces work together
//
// At parses the root of a copy, and returns the Tree of its kind (tree.go): schemes.go has the
// trees of FTP, files, Gopher and the web, and nfs.go, sftp.go, imap.go, titan.go and named.go have
// the others. A Tree is a value: traits, and functions that turn URLs into paths and back. It opens
// no URL and does not change, so that all goroutines of a run may use it.
//
// A mirror asks the traits whether it reads listings, menus or the links of pages. PathOf or Name
// places each entry below the root, or tells that it is outside. Entry returns the URL to request,
// with the login of the root, because listings lack it. A Naming makes a local name of the path,
// because a server may send a name that is unsafe here (naming.go), and WithExtension adds the
// extension of the media type (extension.go). A sender goes in the other direction: the field At
// makes the URL of a file from its path (write.go), and Parent returns the directory above the
// root, which may have to be made first.
package tree

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"locus/access"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// A Tree is the part of a server that a copy has: everything below one URL.
type Tree struct {
	Traits

	// Start is the URL of the root.
	Start url.URL

	// PathOf returns the path of u below the root: its directories, decoded, and its file name,
	// which is "" for a directory. ok is false if u is not below the root.
	PathOf func(u url.URL) (dirs []string, name string, ok bool)

	// Entry returns the URL to request for u, an entry of a listing.
	Entry func(u url.URL) url.URL

	// Directory returns u as the URL of a directory; u itself if the scheme makes
	// no difference.
	Directory func(u url.URL) url.URL

	// At returns the URL of a file or a directory below the root, from decoded names. It is nil if
	// names do not make URLs, so that the tree can only be read.
	At func(segments []string, isDir bool) (url.URL, error)

	// Parent returns the directory above the root. It returns false for the root of the server.
	Parent func() (url.URL, bool)

	// Name returns the directories and the name of the entry e, below the directory that lists it.
	// name is "" for a directory, and without dirs e is the listing directory itself. Name is nil
	// if PathOf gives the path of the entry.
	Name func(e access.Entry) (dirs []string, name string)

	// Here returns u with the host and the port of the root. ok is false if that cannot be the URL of a file or a
	// directory. Here is nil unless listings name the server of each entry, perhaps by another name.
	Here func(u url.URL) (here url.URL, ok bool)

	// Check returns an error if a listing of u without documents cannot be the whole tree. It is
	// nil if a tree may be empty.
	Check func(u url.URL, hasDocuments bool) error
}

// Traits describe the differences between the kinds of trees.
type Traits struct {
	Pages       bool // links in pages lead to its files; other trees have listings
	Menus       bool // a listing has text beside its items, and may have an item twice
	Scattered   bool // a listing may have items of other directories of the copy
	Garbled     bool // an entry without a URL may be a file that was not parsed
	LinkedTwice bool // several links may lead to one file or directory, each with a name of its own
	LinksAsDirs bool // a symbolic link to a directory may look like a directory
	Unlisted    bool // a server that refuses to list a directory may still have its files
	Rechecked   bool // a file may change while it is read, and Stat tells
}

// At returns the tree with the root u. Its kind follows from the scheme of u. A scheme that cannot
// be mirrored is an error.
func At(u url.URL) (Tree, error) {
	view, err := scheme.Parse(u)
	switch v := view.(type) {
	case scheme.FTP:
		return ftpAt(v), nil
	case scheme.File:
		return fileAt(v), nil
	case scheme.NFS:
		return nfsAt(v), nil
	case scheme.SFTP:
		return sftpAt(v), nil
	case scheme.Gopher:
		return gopherAt(v)
	case scheme.HTTP, scheme.Gemini:
		return webAt(u).tree(), nil
	case scheme.Titan:
		return titanAt(v), nil
	case scheme.WAIS:
		return waisAt(v)
	case scheme.IMAP:
		return imapAt(v)
	case scheme.Prospero:
		return prosperoAt(v), nil
	}
	if err == nil || errors.Is(err, errors.ErrUnsupported) {
		err = fmt.Errorf("%s: a URL of this scheme cannot be mirrored: %w", u.Redacted(), errors.ErrUnsupported)
	}
	return Tree{}, err
}

// WritableAt returns the tree at the directory u. It returns an error if locus cannot write trees of this scheme. verb
// is the participle for the text of the error, such as "written".
func WritableAt(u url.URL, verb string) (Tree, error) {
	u, err := asDirectory(u)
	if err != nil {
		return Tree{}, err
	}
	t, err := At(u)
	if err == nil && t.At == nil {
		err = fmt.Errorf("%s: a tree of this scheme cannot be %s: %w", u.Redacted(), verb, errors.ErrUnsupported)
	}
	return t, err
}

// IndexName returns the usual name of the page for a directory on the server of u: "index.html", or "index.gmi" for
// Gemini. It is "" for a scheme whose files are not found by links in pages.
func IndexName(u url.URL) string {
	switch facts.Of(u.Scheme()).Protocol {
	case "http":
		return "index.html"
	case "gemini":
		return "index.gmi"
	}
	return ""
}

// IsWeb reports whether u is a resource of a web server.
func IsWeb(u url.URL) bool { return facts.Of(u.Scheme()).Protocol == "http" }

// LocalPath returns the name of the file of this machine that u names. ok is false if u names
// another resource.
func LocalPath(u url.URL) (name string, ok bool) {
	v, err := scheme.ParseFile(u)
	if err != nil {
		return "", false
	}
	name, err = v.LocalPath(runtime.GOOS)
	return name, err == nil
}

// IsDownload reports whether a stranger may give u as the URL of a file. It is true for the schemes
// of the web and FTP. URLs of other schemes could read a file of this machine or speak to a mail
// server.
func IsDownload(u url.URL) bool {
	return facts.Of(u.Scheme()).Protocol == "ftp" || IsWeb(u)
}

// HasFolders reports whether the URLs of u's scheme name files in folders.
func HasFolders(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Hierarchical) }

// IsFetched reports whether the resources of u's scheme are fetched over a network.
func IsFetched(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Fetches) }

// Anonymous returns the text of u without user name and password. The text is not normalized.
func Anonymous(u url.URL) string {
	text := u.String()
	if start, _, ok := u.Span(url.User); ok {
		if host, _, ok := u.Span(url.Host); ok {
			text = text[:start] + text[host:]
		}
	}
	return text
}

// below returns the names of path that follow the names of root. ok is false if path does not begin with root.
func below(root, path []string) (names []string, ok bool) {
	if len(path) < len(root) || !slices.Equal(root, path[:len(root)]) {
		return nil, false
	}
	return path[len(root):], true
}

// itself returns u. It is the Entry or the Directory of a tree whose entries have the right URLs already.
func itself(u url.URL) url.URL { return u }
