package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"locus/internal/weburl"
	"locus/transfer/internal/tree"
	"locus/url"
)

// OutsideDir is the local directory of the files that are not below the URL of the mirror, such
// as the parts of its pages.
const OutsideDir = "_outside"

// PagesDir is the local directory of the pages as they were fetched, if the pages are converted.
const PagesDir = tree.StateDir + "/pages"

// FileID returns the text of u without its user, as a URL of RFC 3986. It is the same for "x[1]" and "x%5B1%5D", which
// have one local name.
func FileID(u url.URL) string {
	text := tree.Anonymous(u)
	if u.Standard() != url.RFC3986 {
		return weburl.Strict(text)
	}
	return text
}

// PageID returns the FileID of a page without the tree.IndexName at its end, because a URL that ends in this name and the
// same URL without it are taken for one page.
func PageID(u url.URL) string {
	text := FileID(u)
	index := tree.IndexName(u)
	if dir, ok := strings.CutSuffix(text, "/"+index); ok && index != "" {
		return dir + "/"
	}
	return text
}

// A Site names the files of a web site in a copy.
type Site struct {
	Tree      tree.Tree // the part of the site that is copied
	Naming    tree.Naming
	WithParts bool // the copy has the files that pages load, too
	Convert   bool // the pages are converted, so names get the extension of their type
}

// IsRead reports whether a resource of that media type is read for its links. If a copy has the
// files that pages load, pictures of SVG are read too, because they load other files.
func (s Site) IsRead(mediaType string) bool {
	return HasLinks(mediaType) || s.WithParts && isSVG(mediaType)
}

// StoredName returns the name in the copy of the file that keeps a page as it was fetched. name is the name of the page
// in the copy. They differ if the page is converted.
func (s Site) StoredName(name, mediaType string) string {
	if s.Convert && s.IsRead(mediaType) {
		return path.Join(PagesDir, name)
	}
	return name
}

// ShownName inverts StoredName: it returns the name of the page in the copy.
func ShownName(name string) string { return strings.TrimPrefix(name, PagesDir+"/") }

// Name returns the name below the root of the copy that u suggests. isBelow reports whether u is below the root of the
// tree. If not, the name is in a directory for the server of u.
func (s Site) Name(u url.URL, mediaType string) (name string, isBelow bool, err error) {
	dirs, last, isBelow := s.Tree.PathOf(u)
	prefix := ""
	if !isBelow {
		dirs, last = tree.ServerPath(u)
		if prefix, err = serverDir(u); err != nil {
			return "", false, err
		}
	}
	if len(dirs) > tree.MaxDepth {
		return "", isBelow, tree.TooDeep(u)
	}
	dir, err := s.Naming.Path(dirs, "")
	if err != nil {
		return "", isBelow, err
	}
	if last == "" {
		last = tree.IndexName(u)
	}
	last, err = s.fileName(u, last, mediaType)
	return path.Join(prefix, dir, last), isBelow, err
}

// NameByHash returns a name for u that no other URL has. It is used if another file has the name
// that u suggests.
func NameByHash(u url.URL, mediaType string) string {
	hash := sha256.Sum256([]byte(PageID(u)))
	return path.Join(OutsideDir, "named", hex.EncodeToString(hash[:16])+tree.ExtensionFor("", mediaType))
}

// fileName returns the local name of the file for u in its directory. last is the decoded name in the path of u. A page
// without a suffix of its type gets one, because there may be pages below its URL.
func (s Site) fileName(u url.URL, last, mediaType string) (string, error) {
	query, hasQuery := u.Query()
	if !hasQuery {
		if s.Convert || isGemtext(mediaType) {
			last += tree.ExtensionFor(last, mediaType)
		} else if IsHTML(mediaType) && !hasHTMLSuffix(last) {
			last += ".html"
		}
		return s.Naming.File(last)
	}
	name, err := s.Naming.Page(last, query)
	if err == nil && s.Convert {
		ext := path.Ext(last)
		if add := tree.ExtensionFor(last, mediaType); add != "" {
			ext = add
		}
		if len(ext) < 10 && !strings.HasSuffix(name, ext) {
			name, err = s.Naming.Page(last, query+ext)
		}
	}
	return name, err
}

// hasHTMLSuffix reports whether a name has a suffix of HTML.
func hasHTMLSuffix(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml", ".xht":
		return true
	}
	return false
}

// serverDir returns the local directory for the files of the server of u that are not below the URL of the mirror. Its
// name has the scheme, the host and the port.
func serverDir(u url.URL) (string, error) {
	host, _ := u.Host()
	name := u.Scheme() + "_" + strings.ToLower(host)
	if port, ok := u.Port(); ok && port != "" {
		name += "_" + port
	}
	name, err := tree.Naming{Portable: true}.File(name)
	return path.Join(OutsideDir, name), err
}
