package tree

import (
	"slices"

	"locus/scheme"
	"locus/url"
)

// An nfsTree is a directory of an NFS server. Of the Segments of its root only the first can be
// empty, if the path is absolute.
type nfsTree struct {
	root       scheme.NFS
	isAbsolute bool
}

func nfsAt(v scheme.NFS) Tree {
	isAbsolute := v.IsAbsolute()
	v.Segments = nfsNames(v)
	t := nfsTree{v, isAbsolute}
	return Tree{Start: t.start(), PathOf: t.pathOf, Entry: itself, Directory: t.directory, At: t.at, Parent: t.parent}
}

// nfsNames returns the segments of v without the empty ones; but the first stays if the
// path is absolute.
func nfsNames(v scheme.NFS) []string {
	isEmpty := func(s string) bool { return s == "" }
	names := slices.DeleteFunc(slices.Clone(v.Segments), isEmpty)
	if v.IsAbsolute() {
		return append([]string{""}, names...)
	}
	return names
}

func (t nfsTree) start() url.URL {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), "")
	return v.URL()
}

// pathOf implements Tree.PathOf. ok is false for a URL of another server or outside the root.
func (t nfsTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseNFS(u)
	if err != nil || v.Host != t.root.Host || v.IsAbsolute() != t.isAbsolute {
		return nil, "", false
	}
	names := nfsNames(v)
	if last := len(v.Segments) - 1; last >= 0 && v.Segments[last] != "" {
		names, name = names[:len(names)-1], v.Segments[last]
	}
	dirs, ok = below(t.root.Segments, names)
	return dirs, name, ok
}

// directory implements Tree.Directory. It adds the "/" at the end of u.
func (t nfsTree) directory(u url.URL) url.URL {
	v, err := scheme.ParseNFS(u)
	if err != nil {
		return u
	}
	v.Segments = append(nfsNames(v), "")
	return v.URL()
}

func (t nfsTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), segments...)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL(), nil
}

// parent returns the directory above the root. It returns false for the root of the server.
func (t nfsTree) parent() (url.URL, bool) {
	v, last := t.root, len(t.root.Segments)-1
	if last < 0 || last == 0 && v.Segments[0] == "" {
		return url.URL{}, false
	}
	v.Segments = append(slices.Clone(v.Segments[:last]), "")
	return v.URL(), true
}
