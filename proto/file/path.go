package file

import (
	"path/filepath"
	"runtime"

	"locus/scheme"
	"locus/url"
)

// PathOf returns the path that a file URL names on this machine, with the separators of its system.
// It returns "" if u has another scheme or host, or does not name a path of this system. The file
// need not exist.
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

// RealPath returns path with its symbolic links followed, so that a directory has one path,
// whatever links lead to it. If path does not exist, RealPath follows the links of the longest
// existing prefix, and keeps the names after it.
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
