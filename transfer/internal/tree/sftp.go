package tree

import (
	"slices"

	"locus/scheme"
	"locus/url"
)

// An sftpTree is a directory of an SFTP server. The Segments of its root are not empty.
type sftpTree struct{ root scheme.SFTP }

func sftpAt(v scheme.SFTP) Tree {
	v.Segments = namesOf(v.Segments)
	t := sftpTree{v}
	return Tree{
		Traits: Traits{Rechecked: true}, Start: t.withNames(v.Segments, true),
		PathOf: t.pathOf, Entry: t.entry, Directory: t.directory, At: t.at, Parent: t.parent,
	}
}

// namesOf returns the segments that are not empty.
func namesOf(segments []string) []string {
	return slices.DeleteFunc(slices.Clone(segments), func(s string) bool { return s == "" })
}

// withNames returns the URL of a file or a directory of the server.
func (t sftpTree) withNames(names []string, isDir bool) url.URL {
	v := t.root
	v.Segments = slices.Clip(names)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL()
}

// pathOf implements Tree.PathOf. ok is false for a URL of another server or outside the root.
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

// entry implements Tree.Entry. It gives u the login and the fingerprint of the root, because a listing has no password.
func (t sftpTree) entry(u url.URL) url.URL {
	v, err := scheme.ParseSFTP(u)
	if err != nil {
		return u
	}
	v.User, v.Password, v.Fingerprint = t.root.User, t.root.Password, t.root.Fingerprint
	return v.URL()
}

// directory implements Tree.Directory. It adds the "/" at the end of u.
func (t sftpTree) directory(u url.URL) url.URL {
	v, err := scheme.ParseSFTP(u)
	if err != nil {
		return u
	}
	v.Segments = append(namesOf(v.Segments), "")
	return v.URL()
}

func (t sftpTree) at(segments []string, isDir bool) (url.URL, error) {
	return t.withNames(slices.Concat(t.root.Segments, segments), isDir), nil
}

// parent returns the directory above the root. It returns false for the root of the server and for the home directory.
func (t sftpTree) parent() (url.URL, bool) {
	last := len(t.root.Segments) - 1
	if last < 0 {
		return url.URL{}, false
	}
	return t.withNames(t.root.Segments[:last], true), true
}
