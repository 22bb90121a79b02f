package wais

import "strings"

// The document types that the protocol defines.
const (
	typeText   = "TEXT"
	typeSource = "WSRC" // a source description
	typeURL    = "URL"  // the headline is the URL
)

const (
	hitsType   = "text/uri-list" // the Body of a search
	sourceType = "application/x-wais-source"
)

// mediaTypes maps document types to media types.
var mediaTypes = map[string]string{
	typeText:   "text/plain",
	"TEXT-FTP": "text/plain",
	typeSource: sourceType,
	"HTML":     "text/html",
	"GIF":      "image/gif",
	"JPEG":     "image/jpeg",
	"JPG":      "image/jpeg",
	"PNG":      "image/png",
	"TIFF":     "image/tiff",
	"PICT":     "image/x-pict",
	"PS":       "application/postscript",
	"PDF":      "application/pdf",
	"RTF":      "application/rtf",
	"DVI":      "application/x-dvi",
	"TEX":      "application/x-tex",
	"MIME":     "message/rfc822",
	"MPEG":     "video/mpeg",
}

// mediaType returns the media type of a document type. It is "" if the type is
// unknown.
func mediaType(wtype string) string { return mediaTypes[strings.ToUpper(wtype)] }
