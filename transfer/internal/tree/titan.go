package tree

import (
	"slices"

	"locus/scheme"
	"locus/url"
)

// A titanTree is a directory of pages on a gemini server, which can be written by titan URLs and not be listed. Its root
// may have the token for the pages.
type titanTree struct{ root scheme.Titan }

// titanAt returns the tree at the directory v.
func titanAt(v scheme.Titan) Tree {
	v.Segments = slices.DeleteFunc(slices.Clone(v.Segments), func(s string) bool { return s == "" })
	v.Type, v.Size = url.Part{}, url.Part{}
	t := titanTree{v}
	start, _ := t.at(nil, true) // never fails
	return Tree{
		Traits: Traits{Unlisted: true}, Start: start,
		PathOf: t.pathOf, Entry: itself, Directory: itself, At: t.at, Parent: t.parent,
	}
}

// pathOf implements Tree.PathOf: it returns the directories and the file name of u below the root. ok is false for a
// URL of another server or outside the root.
func (t titanTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseTitan(u)
	if err != nil || v.Host != t.root.Host {
		return nil, "", false
	}
	last := len(v.Segments) - 1
	dirs, ok = below(t.root.Segments, v.Segments[:last])
	return dirs, v.Segments[last], ok
}

// at implements Tree.At: it returns the URL of a file or a directory below the root, with the token of the root. The
// URL of a directory ends in "/".
func (t titanTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), segments...)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL(), nil
}

// parent implements Tree.Parent: it returns false, because a server of Titan makes the directories above the root
// itself.
func (t titanTree) parent() (url.URL, bool) { return url.URL{}, false }
