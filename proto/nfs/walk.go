package nfs

import (
	"strings"

	"locus/access"
	"locus/internal/ascii"
	"locus/url"
)

const (
	maxLinks = 40   // symbolic links in one path
	maxNames = 4096 // names in one path
)

// unescaped are the bytes that a canonical path does not escape (RFC 2054 §6.1).
var unescaped = url.Set{}.With(ascii.Letters + ascii.Digits + " !\"#$&'()*+,-.:;<=>?@[\\]^_`{|}~")

// A walker looks up one name after the other.
type walker struct {
	*operation
	root  rootDir
	stack []step   // the path from root to the last name
	rest  []string // names to look up
	links int      // number of symbolic links that were followed
}

// A step is a name that was found.
type step struct {
	name string
	node node
}

// walk looks up names from a root, and follows symbolic links. At the end it follows a link only if
// follow is true. If only the last name is missing, that is not an error, but isMissing is set.
func (o *operation) walk(root rootDir, names []string, follow bool) (resolvedPath, error) {
	w := &walker{operation: o, root: root, rest: names}
	for len(w.rest) > 0 {
		name := w.rest[0]
		w.rest = w.rest[1:]
		missing, err := w.enter(name, follow)
		if err != nil {
			return resolvedPath{}, err
		}
		if missing {
			return resolvedPath{isMissing: true, dir: w.top(), name: name, root: root.node}, nil
		}
	}
	p := resolvedPath{node: w.top(), root: root.node}
	if n := len(w.stack); n > 0 {
		p.name, w.stack = w.stack[n-1].name, w.stack[:n-1]
		p.dir = w.top()
		return p, nil
	}
	var err error
	p.attr, err = o.conn.getAttr(root.handle)
	return p, withLowPort(err)
}

// top returns the directory in which the next name is looked up: the last directory that was
// entered, or the root.
func (w *walker) top() node {
	if n := len(w.stack); n > 0 {
		return w.stack[n-1].node
	}
	return w.root.node
}

// enter looks up the next name, and follows a symbolic link. If it is the last name, enter follows
// the link only if follow is true. missing is true if the last name does not exist.
func (w *walker) enter(name string, follow bool) (missing bool, err error) {
	here := w.top()
	switch {
	case name == "" || name == ".":
		return false, nil
	case len(w.stack) > 0 && here.attr.kind != directory: // a root is a directory
		return false, refusal(statusNotDir)
	case name == "..":
		return false, w.leave()
	}
	n, err := w.conn.lookup(here.handle, w.spell(name))
	if hasStatus(err, statusNoEnt) && w.isAtEnd() {
		return true, nil
	}
	if err != nil {
		return false, withLowPort(err)
	}
	if n.attr.kind == symlink && (follow || !w.isAtEnd()) {
		return false, w.follow(n)
	}
	w.stack = append(w.stack, step{name, n})
	return false, nil
}

// isAtEnd reports whether no further name has to be looked up.
func (w *walker) isAtEnd() bool {
	for _, name := range w.rest {
		if name != "" && name != "." {
			return false
		}
	}
	return true
}

// spell returns name as LOOKUP needs it: escaped directly below the public file handle (RFC 2054
// §6.1), and otherwise unchanged.
func (w *walker) spell(name string) string {
	if !w.root.isPublic || len(w.stack) > 0 {
		return name
	}
	return url.Escape(name, unescaped)
}

// leave goes one directory up. At the root it returns errOutside if a symbolic link has led there,
// and errNoNameAbove if the URL has.
func (w *walker) leave() error {
	n := len(w.stack)
	switch {
	case n > 0:
		w.stack = w.stack[:n-1]
		return nil
	case w.links > 0:
		return errOutside
	}
	return errNoNameAbove
}

// follow replaces a symbolic link by the names of its target, which are looked up next. It refuses
// a target outside the root.
func (w *walker) follow(link node) error {
	if w.links++; w.links > maxLinks {
		return errLinks
	}
	target, err := w.conn.readLink(link.handle)
	if err != nil {
		return err
	}
	names := strings.Split(target, "/")
	if strings.HasPrefix(target, "/") {
		names = split(target)
		if !w.root.hasPath || !hasPrefix(names, w.root.path) {
			return errOutside
		}
		names, w.stack = names[len(w.root.path):], nil
	}
	if len(names)+len(w.rest) > maxNames || strings.IndexByte(target, 0) >= 0 {
		return errLinks
	}
	w.rest = append(names, w.rest...)
	return nil
}

// stat returns the entry of the file of the URL.
func (o *operation) stat() (access.Entry, error) {
	e := access.Entry{Title: o.title(), URL: o.req.URL, Size: -1}
	p, err := o.existing()
	if err != nil {
		return e, err
	}
	if p.isExportList {
		e.Kind = access.Directory
		return e, nil
	}
	p.attr.describe(&e)
	e.Type = typeOf(e)
	return e, nil
}

// existing resolves the path of the URL. It returns an error if the file does not exist, or is
// not a directory although the URL ends in "/".
func (o *operation) existing() (resolvedPath, error) {
	p, err := o.find(true)
	switch {
	case err != nil:
		return p, err
	case p.isMissing:
		return p, refusal(statusNoEnt)
	case !p.isExportList && o.mustBeDir() && p.attr.kind != directory:
		return p, errNotDir
	}
	return p, nil
}

// title returns the last name of the path, or "/" if the path has no names.
func (o *operation) title() string {
	if n := len(o.names); n > 0 {
		return o.names[n-1]
	}
	return "/"
}
