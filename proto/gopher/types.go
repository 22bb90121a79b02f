package gopher

import (
	"strings"

	"locus/access"
	"locus/proto/internal/mediatype"
)

// The media types of what Gopher lists.
const (
	menuType       = "application/gopher-menu"
	attributesType = "application/gopher+-menu"
)

// A framing is how an item of plain Gopher ends.
type framing uint8

const (
	octets framing = iota // at the close
	text                  // at the close; a period alone on the last line is no part of it
	menu                  // at a period alone on a line, or at the close
)

// An itemType is what the type of an item says about it.
type itemType struct {
	kind    access.Kind
	media   string // "" if the type leaves it open
	framing framing
}

// itemTypes are the types of RFC 1436 §3.8, of the Gopher+ memo, and those in
// use since.
var itemTypes = map[byte]itemType{
	'0': {access.Object, "text/plain", text},
	'1': {access.Directory, menuType, menu},
	'2': {access.Search, "text/plain", octets}, // a CSO phone book
	'3': {access.Failure, "text/plain", text},
	'4': {access.Object, "application/mac-binhex40", text},
	'5': {access.Object, "application/octet-stream", octets}, // a DOS archive
	'6': {access.Object, "text/x-uuencode", text},
	'7': {access.Search, menuType, menu},
	'8': {access.Terminal, "", octets}, // telnet
	'9': {access.Object, "application/octet-stream", octets},
	'T': {access.Terminal, "", octets}, // tn3270
	'g': {access.Object, "image/gif", octets},
	'I': {access.Object, "", octets}, // some image

	':': {access.Object, "", octets}, // Gopher+: a bitmap,
	';': {access.Object, "", octets}, // a movie,
	'<': {access.Object, "", octets}, // a sound: the views tell which

	'c': {access.Object, "text/calendar", text},
	'd': {access.Object, "", octets}, // some document
	'e': {access.Object, "", text},   // an event
	'h': {access.Object, "text/html", text},
	'H': {access.Object, "text/html", text},
	'i': {access.Info, "text/plain", text},
	'M': {access.Object, "message/rfc822", text},
	'p': {access.Object, "image/png", octets},
	'P': {access.Object, "application/pdf", octets},
	'r': {access.Object, "application/rtf", octets},
	's': {access.Object, "", octets}, // some sound
	'w': {access.Object, "text/html", text},
	'X': {access.Object, "application/xml", text},
}

// typeOf returns what is known of an item type. Of a type that nobody has
// described nothing is, but that its octets end at the close. A media type that
// it leaves open the end of the selector may tell, which is mostly a file's name.
func typeOf(c byte, selector string) itemType {
	t := itemTypes[c]
	if t.kind == access.Object && t.media == "" {
		t.media = mediatype.ByName(selector)
	}
	return t
}

// mediaOf returns the media type of a view, whose label may name a language
// too: "Text/plain De_DE".
func mediaOf(view string) string {
	media, _, _ := strings.Cut(view, " ")
	return strings.ToLower(media)
}

// isMenu reports whether a media type is one of a listing: Minnesota's servers
// offer directories in several.
func isMenu(media string) bool {
	switch media {
	case menuType, attributesType, "directory/recursive", "directory+/recursive":
		return true
	}
	return false
}
