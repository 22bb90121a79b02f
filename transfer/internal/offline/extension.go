// Package offline names the files of a copy that is read from a folder: browsers tell the type
// of a local file by the extension of its name.
package offline

import (
	"path"
	"strings"
)

// TypeOf returns a media type without its parameters, in lower case.
func TypeOf(mediaType string) string {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	return strings.TrimSpace(mediaType)
}

// extensions are those of media types that pages load or lead to; the first is the one that
// names get. Browsers tell the type of a local file by them.
var extensions = map[string][]string{
	"text/html":                 {".html", ".htm", ".xhtml", ".xht"},
	"application/xhtml+xml":     {".xhtml", ".xht", ".html", ".htm"},
	"text/css":                  {".css"},
	"text/javascript":           {".js", ".mjs"},
	"application/javascript":    {".js", ".mjs"},
	"application/x-javascript":  {".js", ".mjs"},
	"application/json":          {".json", ".map", ".webmanifest"},
	"application/manifest+json": {".webmanifest", ".json"},
	"application/pdf":           {".pdf"},
	"application/xml":           {".xml", ".rss", ".atom", ".xsl"},
	"text/xml":                  {".xml", ".rss", ".atom", ".xsl"},
	"text/plain":                {".txt", ".text", ".md", ".log"},
	"text/vtt":                  {".vtt"},
	"image/svg+xml":             {".svg"},
	"image/png":                 {".png"},
	"image/jpeg":                {".jpg", ".jpeg"},
	"image/gif":                 {".gif"},
	"image/webp":                {".webp"},
	"image/avif":                {".avif"},
	"image/x-icon":              {".ico"},
	"image/vnd.microsoft.icon":  {".ico"},
	"font/woff":                 {".woff"},
	"font/woff2":                {".woff2"},
	"font/ttf":                  {".ttf"},
	"font/otf":                  {".otf"},
	"audio/mpeg":                {".mp3"},
	"audio/ogg":                 {".ogg", ".oga"},
	"video/mp4":                 {".mp4", ".m4v"},
	"video/webm":                {".webm"},
	"video/ogg":                 {".ogv"},
}

// ExtensionFor returns the extension to add to a name: that of its type if the name has
// another one; "" if the name does or the type is unknown. A picture keeps the extension of
// another picture, because browsers look into those.
func ExtensionFor(name, mediaType string) string {
	of := TypeOf(mediaType)
	known := extensions[of]
	has := strings.ToLower(path.Ext(name))
	if len(known) == 0 {
		return ""
	}
	kind, _, _ := strings.Cut(of, "/")
	for other, all := range extensions {
		isLike := kind != "text" && kind != "application" && strings.HasPrefix(other, kind+"/")
		for _, e := range all {
			if e == has && (other == of || isLike && other != "image/svg+xml" && of != "image/svg+xml") {
				return ""
			}
		}
	}
	if of == "text/plain" && has != "" && !activeExtensions()[has] {
		return "" // such as notes.asc
	}
	return known[0]
}

// activeExtensions returns the extensions that make browsers take a local file for a page.
func activeExtensions() map[string]bool {
	return map[string]bool{".html": true, ".htm": true, ".xhtml": true, ".xht": true, ".shtml": true, ".svg": true, ".xml": true, ".mhtml": true, ".mht": true}
}

// WithExtension returns a name with the extension of a media type. Texts keep their name,
// because many have no extension.
func WithExtension(name, mediaType string) string {
	if TypeOf(mediaType) == "text/plain" {
		return name
	}
	return name + ExtensionFor(name, mediaType)
}
