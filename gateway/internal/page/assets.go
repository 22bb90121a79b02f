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
	mediaType = mediaTypes()[path.Ext(name)]
	return content, mediaType, err == nil && mediaType != ""
}

// mediaTypes returns the media types of the files by the extensions of their names.
func mediaTypes() map[string]string {
	return map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
}
