package file

import (
	"path/filepath"
	"runtime"

	"locus/scheme"
	"locus/url"
)

// PathOf returns the path that a file URL names on this machine, with the separators of its system.
// It returns "" if u has another scheme or host, or does not name a path.
func PathOf(u url.URL) string {
	if u.Scheme() != "file" {
		return ""
	}
	v, err := scheme.ParseFile(u)
	if err != nil {
		return ""
	}
	path, err := v.LocalPath(runtime.GOOS)
	if err != nil {
		return ""
	}
	return path
}

// RealPath returns a path of this machine without symbolic links, so that a directory has one path,
// whatever links lead to it. The last parts of the path need not exist.
func RealPath(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	above := filepath.Dir(filepath.Clean(path))
	if above == filepath.Clean(path) {
		return path
	}
	return filepath.Join(RealPath(above), filepath.Base(path))
}
