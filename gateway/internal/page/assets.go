package page

import (
	"embed"
	"path"
)

//go:embed pages
var files embed.FS

//go:embed pages/style.css
var style string

// Style returns the CSS of all pages, for a page that cannot load it from the gateway.
func Style() string { return style }

// Asset returns a file that pages load, and its media type. ok is false if no file has that
// name.
func Asset(name string) (content []byte, mediaType string, ok bool) {
	content, err := files.ReadFile("pages/" + name)
	mediaType = MediaType(name)
	return content, mediaType, err == nil && mediaType != ""
}

// MediaType returns the media type of a page, or of a file that pages load, by the extension of its
// name. It is "" for other files.
func MediaType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return ""
}
