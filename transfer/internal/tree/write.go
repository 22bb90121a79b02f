package tree

import (
	"slices"
	"strings"

	"locus/url"
)

// at implements Tree.At: it returns the URL of a file or a directory below the root. The URL of
// a file ends in ";type=i".
func (t ftpTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Dirs = append(slices.Clip(v.Dirs), segments...)
	if !isDir {
		last := len(v.Dirs) - 1
		v.Dirs, v.Name, v.Type = v.Dirs[:last], v.Dirs[last], "i"
	}
	return v.URL(), nil
}

// at implements Tree.At: it returns the URL of a file or a directory below the root. The URL of
// a directory ends in "/".
func (t fileTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), segments...)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL(), nil
}

// at implements Tree.At: it returns the URL of a file or a directory below the root. It escapes
// every byte of a segment that is not unreserved.
func (t webTree) at(segments []string, isDir bool) (url.URL, error) {
	path := t.root
	for i, s := range segments {
		if i > 0 {
			path += "/"
		}
		path += url.Escape(s, url.RFC3986.Unreserved())
	}
	if isDir {
		path += "/"
	}
	return t.first.With(url.Path, url.Some(path))
}

// asDirectory returns u as the URL of a directory. It adds the "/" at the end of a URL of the
// web, and removes its query. It returns other URLs unchanged.
func asDirectory(u url.URL) (url.URL, error) {
	if !IsWeb(u) {
		return u, nil
	}
	plain, err := u.Without(url.Query)
	if err != nil || strings.HasSuffix(plain.Path(), "/") {
		return plain, err
	}
	return plain.With(url.Path, url.Some(plain.Path()+"/"))
}

// parent implements Tree.Parent: it returns the URL of the directory above the root. ok is false if
// the root is the directory in which the login begins.
func (t ftpTree) parent() (above url.URL, ok bool) {
	v, last := t.root, len(t.root.Dirs)-1
	if last < 0 {
		return url.URL{}, false
	}
	v.Dirs = v.Dirs[:last]
	return v.URL(), true
}

// parent implements Tree.Parent: it returns the URL of the directory above the root. ok is
// false for the root of this machine.
func (t fileTree) parent() (above url.URL, ok bool) {
	v, last := t.root, len(t.root.Segments)-1
	if last < 0 {
		return url.URL{}, false
	}
	v.Segments = append(slices.Clone(v.Segments[:last]), "")
	return v.URL(), true
}

// parent implements Tree.Parent: it returns the URL of the directory above the root, if the URL
// of the tree ends in "/". ok is false for the root of the server.
func (t webTree) parent() (above url.URL, ok bool) {
	path := strings.TrimSuffix(t.first.Path(), "/")
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return url.URL{}, false
	}
	above, err := t.first.With(url.Path, url.Some(path[:cut+1]))
	return above, err == nil
}
