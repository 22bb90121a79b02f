package wais

import "strings"

// The types that the protocol itself knows.
const (
	typeText   = "TEXT"
	typeSource = "WSRC" // a source description
	typeURL    = "URL"  // the headline is the URL
)

const (
	hitsType   = "text/uri-list" // what a search is, read as octets
	sourceType = "application/x-wais-source"
)

// mediaTypes are those of the types that servers give documents.
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

// mediaType returns the media type of a document of that type; "" if a server
// may call anything by it.
func mediaType(wtype string) string { return mediaTypes[strings.ToUpper(wtype)] }
