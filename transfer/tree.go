package transfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"locus/scheme"
	"locus/url"
)

// A tree is what lies below the URL at which a mirror starts.
type tree interface {
	// start returns the URL to start with, which lists the root.
	start() url.URL

	// place returns where below the root u is: the directories that lead there,
	// decoded, and the name of a file, "" for a directory itself. ok is false if
	// it is not below the root.
	place(u url.URL) (dirs []string, name string, ok bool)

	// entry returns u, an entry of a listing, as it is to be asked for.
	entry(u url.URL) url.URL

	// directory returns u, an entry that turned out to be no file, as a
	// directory; u itself if there is no such thing.
	directory(u url.URL) url.URL
}

// treeAt returns the tree that u is the root of.
func treeAt(u url.URL) (tree, error) {
	switch u.Scheme() {
	case "ftp", "ftps":
		return ftpAt(u)
	case "file":
		return fileAt(u)
	case "gopher", "gophers":
		return gopherAt(u)
	case "http", "https":
		return webAt(u)
	}
	return nil, fmt.Errorf("%s: what is below a URL of this scheme is not known: %w", u.Redacted(), errors.ErrUnsupported)
}

// below returns what path has after root.
func below(root, path []string) ([]string, bool) {
	if len(path) < len(root) || !slices.Equal(root, path[:len(root)]) {
		return nil, false
	}
	return path[len(root):], true
}

// An ftpTree is a directory of an FTP server. Every file is fetched octet by
// octet, whatever its name.
type ftpTree struct{ root scheme.FTP }

func ftpAt(u url.URL) (tree, error) {
	v, err := scheme.ParseFTP(u)
	if err != nil {
		return nil, err
	}
	if v.Name != "" {
		v.Dirs = append(slices.Clip(v.Dirs), v.Name)
	}
	v.Name, v.Type = "", ""
	return ftpTree{v}, nil
}

func (t ftpTree) start() url.URL { return t.root.URL() }

func (t ftpTree) place(u url.URL) ([]string, string, bool) {
	v, err := scheme.ParseFTP(u)
	if err != nil || v.Host != t.root.Host {
		return nil, "", false
	}
	dirs, ok := below(t.root.Dirs, v.Dirs)
	return dirs, v.Name, ok
}

func (t ftpTree) entry(u url.URL) url.URL {
	v, err := scheme.ParseFTP(u)
	if err != nil {
		return u
	}
	v.User, v.Password = t.root.User, t.root.Password // listings leave it out
	if v.Name != "" {
		v.Type = "i"
	}
	return v.URL()
}

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

func fileAt(u url.URL) (tree, error) {
	v, err := scheme.ParseFile(u)
	if err != nil {
		return nil, err
	}
	v.Segments = slices.DeleteFunc(v.Segments, func(s string) bool { return s == "" })
	return fileTree{v}, nil
}

func (t fileTree) start() url.URL {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), "")
	return v.URL()
}

func (t fileTree) place(u url.URL) ([]string, string, bool) {
	v, err := scheme.ParseFile(u)
	if err != nil || len(v.Segments) == 0 {
		return nil, "", false
	}
	last := len(v.Segments) - 1
	path := slices.DeleteFunc(slices.Clone(v.Segments[:last]), func(s string) bool { return s == "" })
	dirs, ok := below(t.root.Segments, path)
	return dirs, v.Segments[last], ok
}

func (t fileTree) entry(u url.URL) url.URL { return u }

func (t fileTree) directory(u url.URL) url.URL { return u }

// A gopherTree is a menu, and the items of its server whose selectors begin with
// the menu's and a slash.
type gopherTree struct{ root scheme.Gopher }

func gopherAt(u url.URL) (tree, error) {
	v, err := scheme.ParseGopher(u)
	if err != nil {
		return nil, err
	}
	if v.Type != '1' || v.Search.Text != "" {
		return nil, fmt.Errorf("%s: it is no menu", u.Redacted())
	}
	return gopherTree{v}, nil
}

func (t gopherTree) start() url.URL { return t.root.URL() }

func (t gopherTree) place(u url.URL) ([]string, string, bool) {
	v, err := scheme.ParseGopher(u)
	if err != nil || port(v.Port, 70) != port(t.root.Port, 70) || !strings.EqualFold(v.Host.Name, t.root.Host.Name) || v.Search.Text != "" {
		return nil, "", false
	}
	prefix := strings.TrimSuffix(t.root.Selector, "/")
	rest, ok := strings.CutPrefix(v.Selector, prefix)
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

func (t gopherTree) entry(u url.URL) url.URL { return u }

func (t gopherTree) directory(u url.URL) url.URL { return u }

func port(written, usual uint16) uint16 {
	if written == 0 {
		return usual
	}
	return written
}

// A webTree is what a server has in the directory of a page: in the path up to
// its last slash.
type webTree struct {
	first  url.URL
	origin string // scheme, host and port, as normalized
	root   string // path, normalized, with its last slash
}

func webAt(u url.URL) (tree, error) {
	if _, err := scheme.ParseHTTP(u); err != nil {
		return nil, err
	}
	t := webTree{first: page(u)}
	path := t.first.Path()
	t.root = path[:strings.LastIndexByte(path, '/')+1]
	t.origin = originOf(t.first)
	return t, nil
}

// page returns u normalized, without its fragment.
func page(u url.URL) url.URL {
	if plain, err := u.Without(url.Fragment); err == nil {
		u = plain
	}
	return scheme.Normalize(u, url.AllRewrites)
}

func originOf(u url.URL) string {
	host, _ := u.Host()
	port, _ := u.Port()
	return u.Scheme() + "://" + host + ":" + port
}

func (t webTree) start() url.URL { return t.first }

func (t webTree) place(u url.URL) ([]string, string, bool) {
	path, ok := strings.CutPrefix(u.Path(), t.root)
	if !ok || originOf(u) != t.origin {
		return nil, "", false
	}
	segments := strings.Split(path, "/")
	for i := range segments {
		decoded, err := url.Unescape(segments[i])
		if err != nil {
			return nil, "", false
		}
		segments[i] = decoded
	}
	last := len(segments) - 1
	return segments[:last], segments[last], true
}

// entry gives a page of the tree the user name of its root, if it has one.
func (t webTree) entry(u url.URL) url.URL {
	user, ok := t.first.User()
	if _, has := u.User(); has || !ok || originOf(u) != t.origin {
		return u
	}
	with, err := u.WithUser(user)
	if err != nil {
		return u
	}
	if password, ok := t.first.Password(); ok {
		if secret, err := with.WithPassword(password); err == nil {
			return secret
		}
	}
	return with
}

func (t webTree) directory(u url.URL) url.URL { return u }
