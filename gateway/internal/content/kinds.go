package content

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"locus/gateway/internal/entry"
	"locus/internal/bibliography"
)

// Viewer returns the kind of page that shows content of a media type: "text", "gemtext", "image", "audio",
// "video", or "records". It returns "" if the browser gets the bytes instead, as for HTML.
func Viewer(mediaType string) string {
	base := entry.BaseType(mediaType)
	kind, sub, _ := strings.Cut(base, "/")
	records, isBibliography := bibliography.Of(base)
	switch {
	case base == "text/html":
		return ""
	case base == "text/gemini":
		return "gemtext"
	case isBibliography && records.Read != nil:
		return "records"
	case isBibliography:
		return "text"
	case kind == "text", kind == "image", kind == "audio", kind == "video":
		return kind
	case strings.HasSuffix(sub, "+json"):
		return "text"
	}
	switch base {
	case "application/json", "application/xml", "application/javascript":
		return "text"
	}
	return ""
}

// IsEmbedded reports whether a page embeds content of a media type. Then the gateway does not read
// the content for the page, because the browser fetches it.
func IsEmbedded(mediaType string) bool {
	switch Viewer(mediaType) {
	case "image", "audio", "video":
		return true
	}
	return false
}

// IsShown reports whether a browser should show content of the media type base, instead of saving it. base
// is in lower case and has no parameters; "" is an unknown type, which is shown.
func IsShown(base string) bool {
	switch base {
	case "text/plain", "text/html", "application/xhtml+xml", "text/css", "text/uri-list",
		"": // the type is unknown to HEAD, because HEAD does not read the content
		return true
	}
	kind, _, _ := strings.Cut(base, "/")
	return kind == "image" || kind == "audio" || kind == "video"
}

// Sniff returns the media type of a resource that a server calls mediaType ("" if it does not say) and
// whose first bytes are start. Text without a charset gets the charset utf-8 if it is valid UTF-8, and
// otherwise charset ("" means iso-8859-1). Sniff recognizes bibliographic records. Any other resource of
// unknown type is text if it is valid UTF-8 without control characters, and "application/byte-stream"
// otherwise.
func Sniff(mediaType, charset string, start []byte) string {
	switch entry.BaseType(mediaType) {
	case "", "text/plain", "application/octet-stream":
		if found := bibliography.Sniff(start); found != "" {
			return found
		}
	}
	known := mediaType != ""
	if known && (!strings.HasPrefix(mediaType, "text/plain") || strings.Contains(mediaType, "charset")) {
		return mediaType
	}
	isUTF8 := utf8.Valid(start)
	isText := isUTF8 && !slices.ContainsFunc(start, isBinary)
	switch {
	case isText && len(start) > 0:
		return "text/plain; charset=utf-8"
	case known && !isUTF8:
		return "text/plain; charset=" + cmp.Or(charset, "iso-8859-1")
	case known:
		return mediaType
	}
	return "application/byte-stream"
}

// isBinary reports whether c is a control character that texts do not have.
func isBinary(c byte) bool {
	return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b
}
