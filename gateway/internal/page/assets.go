package page

import (
	"embed"
	"path"
)

//go:embed pages
var files embed.FS

//go:embed pages/style.css
var style string

// Style returns the style of every page, for pages that cannot load it.
func Style() string { return style }

// Asset returns a file that pages load, and its media type. ok is false if there is none of
// that name.
func Asset(name string) (content []byte, mediaType string, ok bool) {
	content, err := files.ReadFile("pages/" + name)
	mediaType = mediaTypes()[path.Ext(name)]
	return content, mediaType, err == nil && mediaType != ""
}

// mediaTypes returns the media types of the gateway's own files, by the ends of their names.
func mediaTypes() map[string]string {
	return map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
}
