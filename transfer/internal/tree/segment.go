package tree

import (
	"strings"

	"locus/scheme"
	"locus/url"
)

// LastSegment returns the part of the path after the last slash, as written. It leaves
// out the type code of an ftp URL, and uses only the selector of a gopher URL.
func LastSegment(u url.URL) string {
	path := u.Path()
	switch u.Scheme() {
	case "ftp", "ftps", "ftpes":
		if v, err := scheme.ParseFTP(u); err == nil && v.Type != "" {
			path = path[:strings.LastIndexByte(path, ';')]
		}
	case "gopher", "gophers":
		path = selector(path)
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// selector returns the selector in the path of a gopher URL, as written: the part between
// the item type and the first tab.
func selector(path string) string {
	path, _, _ = strings.Cut(strings.TrimPrefix(path, "/"), "%09")
	if strings.HasPrefix(path, "%") {
		return path[len("%30"):]
	}
	return path[min(1, len(path)):]
}
