package tree

import (
	"slices"

	"locus/scheme"
	"locus/url"
)

// An nfsTree is a directory of an NFS server. The Segments of its root are not empty, except the
// first one of an absolute path.
type nfsTree struct {
	root       scheme.NFS
	isAbsolute bool
}

// nfsAt returns the tree of the directory v.
func nfsAt(v scheme.NFS) Tree {
	isAbsolute := v.IsAbsolute()
	v.Segments = nfsNames(v)
	t := nfsTree{v, isAbsolute}
	return Tree{Start: t.start(), PathOf: t.pathOf, Entry: itself, Directory: t.directory, At: t.at, Parent: t.parent}
}

// nfsNames returns the segments of v without the empty ones. For an absolute path it keeps the
// empty first segment.
func nfsNames(v scheme.NFS) []string {
	isEmpty := func(s string) bool { return s == "" }
	names := slices.DeleteFunc(slices.Clone(v.Segments), isEmpty)
	if v.IsAbsolute() {
		return append([]string{""}, names...)
	}
	return names
}

// start returns the URL of the root, which ends in "/".
func (t nfsTree) start() url.URL {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), "")
	return v.URL()
}

// pathOf implements Tree.PathOf: it returns the directories and the file name of u below the
// root. ok is false for a URL of another server or outside the root.
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

// directory implements Tree.Directory: it returns u with a "/" at its end.
func (t nfsTree) directory(u url.URL) url.URL {
	v, err := scheme.ParseNFS(u)
	if err != nil {
		return u
	}
	v.Segments = append(nfsNames(v), "")
	return v.URL()
}

// at implements Tree.At: it returns the URL of a file or a directory below the root. The URL of
// a directory ends in "/".
func (t nfsTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), segments...)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL(), nil
}

// parent implements Tree.Parent: it returns the URL of the directory above the root. ok is false
// for the root of the server.
func (t nfsTree) parent() (above url.URL, ok bool) {
	v, last := t.root, len(t.root.Segments)-1
	if last < 0 || last == 0 && v.Segments[0] == "" {
		return url.URL{}, false
	}
	v.Segments = append(slices.Clone(v.Segments[:last]), "")
	return v.URL(), true
}
