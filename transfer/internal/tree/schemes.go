package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/limit"
	"locus/scheme"
	"locus/url"
)

// An ftpTree is a directory of an FTP server. Every file is fetched as an image
// (type=i), whatever its name.
type ftpTree struct{ root scheme.FTP }

// ftpAt returns the tree of the directory v. If v names a file, that name is taken for the name of a directory.
func ftpAt(v scheme.FTP) Tree {
	if v.Name != "" {
		v.Dirs = append(slices.Clip(v.Dirs), v.Name)
	}
	v.Name, v.Type = "", ""
	t := ftpTree{v}
	return Tree{
		Traits: Traits{Garbled: true, LinksAsDirs: true}, Start: v.URL(),
		PathOf: t.pathOf, Entry: t.entry, Directory: t.directory, At: t.at, Parent: t.parent,
	}
}

// pathOf implements Tree.PathOf: it returns the directories and the file name of u below the root. ok is false for a
// URL of another server or outside the root.
func (t ftpTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseFTP(u)
	if err != nil || v.Host != t.root.Host {
		return nil, "", false
	}
	dirs, ok = below(t.root.Dirs, v.Dirs)
	return dirs, v.Name, ok
}

// entry implements Tree.Entry: it returns u with the login of the root and, if u names a file, the type "i".
func (t ftpTree) entry(u url.URL) url.URL {
	v, err := scheme.ParseFTP(u)
	if err != nil {
		return u
	}
	v.User, v.Password = t.root.User, t.root.Password // URLs in a listing lack them
	if v.Name != "" {
		v.Type = "i"
	}
	return v.URL()
}

// directory implements Tree.Directory: it returns u with its file name as the last directory, so that the URL ends in
// "/".
func (t ftpTree) directory(u url.URL) url.URL {
	v, err := scheme.ParseFTP(u)
	if err != nil {
		return u
	}
	v.Dirs = append(slices.Clip(v.Dirs), v.Name)
	v.Name, v.Type = "", ""
	return v.URL()
}

// A fileTree is a directory of this machine.
type fileTree struct{ root scheme.File }

// fileAt returns the tree of the directory v.
func fileAt(v scheme.File) Tree {
	v.Segments = slices.DeleteFunc(v.Segments, func(s string) bool { return s == "" })
	t := fileTree{v}
	return Tree{
		Traits: Traits{Rechecked: true}, Start: t.start(),
		PathOf: t.pathOf, Entry: itself, Directory: itself, At: t.at, Parent: t.parent,
	}
}

// start returns the URL of the root, which ends in "/".
func (t fileTree) start() url.URL {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), "")
	return v.URL()
}

// pathOf implements Tree.PathOf: it returns the directories and the file name of u below the root. ok is false for a
// file that is not below the root.
func (t fileTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseFile(u)
	if err != nil || len(v.Segments) == 0 {
		return nil, "", false
	}
	last := len(v.Segments) - 1
	path := slices.DeleteFunc(slices.Clone(v.Segments[:last]), func(s string) bool { return s == "" })
	dirs, ok = below(t.root.Segments, path)
	return dirs, v.Segments[last], ok
}

// A gopherTree is the tree of a menu. It has the items of the same server whose selectors begin
// with the selector of the menu and a slash.
type gopherTree struct{ root scheme.Gopher }

// gopherAt returns the tree of the menu v. An item that is not a menu, and a search, are errors.
func gopherAt(v scheme.Gopher) (Tree, error) {
	if v.Type != '1' || v.Search.Text != "" {
		return Tree{}, fmt.Errorf("%s: it is not a menu", v.URL().Redacted())
	}
	t := gopherTree{v}
	return Tree{Traits: Traits{Menus: true, Scattered: true}, Start: v.URL(), PathOf: t.pathOf, Entry: itself, Directory: itself, Here: t.here}, nil
}

// here implements Tree.Here: it returns u with the host and the port of the root. ok is false for a search.
func (t gopherTree) here(u url.URL) (here url.URL, ok bool) {
	v, err := scheme.ParseGopher(u)
	if err != nil || v.Search.Text != "" {
		return url.URL{}, false
	}
	v.Host = t.root.Host
	return v.URL(), true
}

// pathOf implements Tree.PathOf: it returns the directories and the file name in the selector of u, below the root. ok
// is false for an item of another server or outside the root, and for the results of a search.
func (t gopherTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseGopher(u)
	if err != nil || cmp.Or(v.Port, 70) != cmp.Or(t.root.Port, 70) || !strings.EqualFold(v.Host.Name, t.root.Host.Name) || v.Search.Text != "" {
		return nil, "", false
	}
	prefix := strings.TrimSuffix(selectorPath(t.root), "/")
	rest, ok := strings.CutPrefix(selectorPath(v), prefix)
	if !ok || rest != "" && prefix != "" && rest[0] != '/' {
		return nil, "", false
	}
	rest = strings.TrimPrefix(rest, "/")
	if v.Type == '1' {
		rest = strings.TrimSuffix(rest, "/")
		if rest == "" {
			return nil, "", true
		}
		return strings.Split(rest, "/"), "", true
	}
	segments := strings.Split(rest, "/")
	last := len(segments) - 1
	return segments[:last], segments[last], segments[last] != ""
}

// selectorPath returns the selector of v. It cuts off the item type before a path, as in "1/docs".
//
// QUIRK: Minnesota gopherd puts an item type before the path: "1/docs" has "0/docs/a.txt". The type in the selector of
// a file may differ from the type in the menu: "9/docs/a.gif" is of type I.
func selectorPath(v scheme.Gopher) string {
	s := v.Selector
	if len(s) < 2 || s[1] != '/' {
		return s
	}
	isFile := v.Type != '1' && v.Type != '7'
	if s[0] == v.Type || isFile && (s[0] == '0' || s[0] == '9') {
		return s[1:]
	}
	return s
}

// A webTree is the directory of a page on a web server, or on a server of Gemini, which has pages with links, too: its
// path up to the last slash.
type webTree struct {
	first  url.URL // the page, normalized
	origin string  // its scheme, host and port
	root   string  // its path up to the last slash
}

// webAt returns the tree of the directory of the page u.
func webAt(u url.URL) webTree {
	t := webTree{first: Normalize(u)}
	path := t.first.Path()
	t.root = path[:strings.LastIndexByte(path, '/')+1]
	t.origin = limit.Server(t.first)
	return t
}

// Normalize returns u without its fragment, with all rewrites of scheme.Normalize.
func Normalize(u url.URL) url.URL {
	if plain, err := u.Without(url.Fragment); err == nil {
		u = plain
	}
	return scheme.Normalize(u, url.AllRewrites)
}

// tree returns t as a Tree.
func (t webTree) tree() Tree {
	return Tree{
		Traits: Traits{Pages: true, Unlisted: true}, Start: t.first,
		PathOf: t.pathOf, Entry: t.entry, Directory: itself, At: t.at, Parent: t.parent,
	}
}

// ListedAt returns the tree at the directory u of a web server that lists its directories (WebDAV). Its
// files are in the listings, and not behind links in pages.
func ListedAt(u url.URL) (Tree, error) {
	u, err := asDirectory(u)
	if err != nil {
		return Tree{}, err
	}
	t := webAt(u).tree()
	t.Pages = false
	return t, nil
}

// ServerPath returns the path of u on its web server: the directories, decoded, and the file name, which is "" for a
// directory.
func ServerPath(u url.URL) (dirs []string, name string) {
	server := webAt(u)
	server.root = "/"
	dirs, name, _ = server.pathOf(u)
	return dirs, name
}

// pathOf implements Tree.PathOf: it returns the directories and the file name of u below the root, decoded. ok is
// false for a page of another server or outside the root.
func (t webTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	path, ok := strings.CutPrefix(u.Path(), t.root)
	if !ok || limit.Server(u) != t.origin {
		return nil, "", false
	}
	segments := strings.Split(path, "/")
	for i := range segments {
		segments[i] = ascii.Unescape(segments[i]) // a "%" without digits is a byte of the name, as in browsers
	}
	last := len(segments) - 1
	return segments[:last], segments[last], true
}

// entry implements Tree.Entry: it returns u with the user name and the password of the root, if u is of the same
// server and lacks a user name. It returns any other u unchanged.
func (t webTree) entry(u url.URL) url.URL {
	user, ok := t.first.User()
	if _, has := u.User(); has || !ok || limit.Server(u) != t.origin {
		return u
	}
	with, err := u.With(url.User, url.Some(user))
	if err != nil {
		return u
	}
	if password, ok := t.first.Password(); ok {
		if secret, err := with.With(url.Password, url.Some(password)); err == nil {
			return secret
		}
	}
	return with
}
