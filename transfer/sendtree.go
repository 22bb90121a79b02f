package transfer

import (
	"slices"
	"strings"

	"locus/scheme"
	"locus/url"
)

// splitName returns the segments of a name below a root.
func splitName(name string) []string { return strings.Split(name, "/") }

func containsNUL(name string) bool { return strings.Contains(name, "\x00") }

func (t ftpTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Dirs = append(slices.Clip(v.Dirs), segments...)
	if !isDir {
		last := len(v.Dirs) - 1
		v.Dirs, v.Name, v.Type = v.Dirs[:last], v.Dirs[last], "i"
	}
	return v.URL(), nil
}

func (t fileTree) at(segments []string, isDir bool) (url.URL, error) {
	v := t.root
	v.Segments = append(slices.Clip(v.Segments), segments...)
	if isDir {
		v.Segments = append(v.Segments, "")
	}
	return v.URL(), nil
}

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

// asDirectory returns u as the URL of a directory: with a final "/" where the scheme has
// it, and without a query.
func asDirectory(u url.URL) (url.URL, error) {
	switch u.Scheme() {
	case "http", "https":
	default:
		return u, nil
	}
	plain, err := u.Without(url.Query)
	if err != nil || strings.HasSuffix(plain.Path(), "/") {
		return plain, err
	}
	return plain.With(url.Path, url.Some(plain.Path()+"/"))
}

// parentOf returns the directory above the root of a tree; false if there is none.
func parentOf(u url.URL) (url.URL, bool) {
	switch v, err := scheme.Parse(u); v := v.(type) {
	case scheme.FTP:
		if last := len(v.Dirs) - 1; err == nil && last >= 0 {
			v.Dirs = v.Dirs[:last]
			return v.URL(), true
		}
	case scheme.File:
		segments := slices.DeleteFunc(slices.Clone(v.Segments), func(s string) bool { return s == "" })
		if last := len(segments) - 1; err == nil && last >= 0 {
			v.Segments = append(segments[:last], "")
			return v.URL(), true
		}
	case scheme.NFS:
		if err == nil {
			return nfsAt(v).parent()
		}
	case scheme.HTTP:
		path := strings.TrimSuffix(u.Path(), "/")
		if cut := strings.LastIndexByte(path, '/'); err == nil && cut >= 0 {
			above, err := u.With(url.Path, url.Some(path[:cut+1]))
			return above, err == nil
		}
	}
	return u, false
}
