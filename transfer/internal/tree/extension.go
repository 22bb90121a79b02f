package tree

import (
	"path"
	"strings"
)

// Essence returns a media type without its parameters, in lower case.
func Essence(mediaType string) string {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	return strings.TrimSpace(mediaType)
}

// extensions lists the extensions of the media types that pages load or link to, because a
// browser tells the type of a local file by its extension. A name that needs one gets the first.
var extensions = map[string][]string{
	"text/html":                 {".html", ".htm", ".xhtml", ".xht"},
	"application/xhtml+xml":     {".xhtml", ".xht", ".html", ".htm"},
	"text/css":                  {".css"},
	"text/gemini":               {".gmi", ".gemini"},
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

// ExtensionFor returns the extension that must be appended to a name for a media type, such as
// ".html". It returns "" if the name has an extension of the type already, or if the type is
// unknown. A picture may have the extension of another kind of picture, because browsers look into
// pictures. A plain text may have any extension that does not make browsers take it for a page.
func ExtensionFor(name, mediaType string) string {
	essence := Essence(mediaType)
	known := extensions[essence]
	has := strings.ToLower(path.Ext(name))
	if len(known) == 0 {
		return ""
	}
	kind, _, _ := strings.Cut(essence, "/")
	for other, all := range extensions {
		isLike := kind != "text" && kind != "application" && strings.HasPrefix(other, kind+"/")
		for _, e := range all {
			if e == has && (other == essence || isLike && other != "image/svg+xml" && essence != "image/svg+xml") {
				return ""
			}
		}
	}
	if essence == "text/plain" && has != "" && !activeExtensions()[has] {
		return "" // such as notes.asc
	}
	return known[0]
}

// activeExtensions returns the extensions that make browsers take a local file for a page.
func activeExtensions() map[string]bool {
	return map[string]bool{".html": true, ".htm": true, ".xhtml": true, ".xht": true, ".shtml": true, ".svg": true, ".xml": true, ".mhtml": true, ".mht": true}
}

// WithExtension returns a name with ExtensionFor appended. The name of a plain text stays as it
// is, because many texts are named without an extension.
func WithExtension(name, mediaType string) string {
	if Essence(mediaType) == "text/plain" {
		return name
	}
	return name + ExtensionFor(name, mediaType)
}
