package tree

import (
	"slices"

	"locus/scheme"
	"locus/url"
)

// An sftpTree is a directory of an SFTP server. No segment of its root is an empty string.
type sftpTree struct{ root scheme.SFTP }

// sftpAt returns the tree of the directory v.
func sftpAt(v scheme.SFTP) Tree {
	v.Segments = namesOf(v.Segments)
	t := sftpTree{v}
	return Tree{
		Traits: Traits{Rechecked: true}, Start: t.withNames(v.Segments, true),
		PathOf: t.pathOf, Entry: t.entry, Directory: t.directory, At: t.at, Parent: t.parent,
	}
}

// namesOf returns the segments without the empty strings.
func namesOf(segments []string) []string {
	return slices.DeleteFunc(slices.Clone(segments), func(s string) bool { return s == "" })
}

// withNames returns the URL of a file of the server or, if isDir is set, of a directory. names is its path from the
// root of the server, or from the home directory if the root of t is there.
func (t sftpTree) withNames(names []string, isDir bool) url.URL {
	v := t.root
	v.Segments = slices.Clip(names)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL()
}

// pathOf implements Tree.PathOf: it returns the directories and the file name of u below the root. ok is false for a
// URL of another server or outside the root.
func (t sftpTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseSFTP(u)
	if err != nil || v.Host != t.root.Host || v.Home != t.root.Home {
		return nil, "", false
	}
	names := namesOf(v.Segments)
	if last := len(v.Segments) - 1; last >= 0 && v.Segments[last] != "" {
		names, name = names[:len(names)-1], v.Segments[last]
	}
	dirs, ok = below(t.root.Segments, names)
	return dirs, name, ok
}

// entry implements Tree.Entry: it returns u with the login and the fingerprint of the root, because the URLs in a
// listing lack the password.
func (t sftpTree) entry(u url.URL) url.URL {
	v, err := scheme.ParseSFTP(u)
	if err != nil {
		return u
	}
	v.User, v.Password, v.Fingerprint = t.root.User, t.root.Password, t.root.Fingerprint
	return v.URL()
}

// directory implements Tree.Directory: it returns u with a "/" at its end.
func (t sftpTree) directory(u url.URL) url.URL {
	v, err := scheme.ParseSFTP(u)
	if err != nil {
		return u
	}
	v.Segments = append(namesOf(v.Segments), "")
	return v.URL()
}

// at implements Tree.At: it returns the URL of a file or a directory below the root. The URL of a directory ends in
// "/".
func (t sftpTree) at(segments []string, isDir bool) (url.URL, error) {
	return t.withNames(slices.Concat(t.root.Segments, segments), isDir), nil
}

// parent implements Tree.Parent: it returns the URL of the directory above the root. ok is false for the root of the
// server and for the home directory.
func (t sftpTree) parent() (above url.URL, ok bool) {
	last := len(t.root.Segments) - 1
	if last < 0 {
		return url.URL{}, false
	}
	return t.withNames(t.root.Segments[:last], true), true
}
