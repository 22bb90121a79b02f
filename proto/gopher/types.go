package gopher

import (
	"strings"

	"locus/access"
	"locus/proto/internal/mediatype"
)

// The media types of menus and of attributes.
const (
	menuType       = "application/gopher-menu"
	attributesType = "application/gopher+-menu"
)

// A framing determines the end of the data of a plain Gopher item.
type framing uint8

const (
	rawFraming  framing = iota // the close
	textFraming                // the close; if the last line is only a period, it is removed
	menuFraming                // a line with only a period, or the close
)

// An itemType is the kind, media type and framing that an item type implies.
type itemType struct {
	kind    access.Kind
	media   string // "" if the type does not imply one
	framing framing
}

// itemTypes has the types of RFC 1436 §3.8, the types of the Gopher+ memo, and types in use since
// then.
var itemTypes = [256]itemType{
	'0': {access.Object, "text/plain", textFraming},
	'1': {access.Directory, menuType, menuFraming},
	'2': {access.Search, "text/plain", rawFraming}, // a CSO phone book
	'3': {access.Failure, "text/plain", textFraming},
	'4': {access.Object, "application/mac-binhex40", textFraming},
	'5': {access.Object, "application/octet-stream", rawFraming}, // a DOS archive
	'6': {access.Object, "text/x-uuencode", textFraming},
	'7': {access.Search, menuType, menuFraming},
	'8': {access.Terminal, "", rawFraming}, // telnet
	'9': {access.Object, "application/octet-stream", rawFraming},
	'T': {access.Terminal, "", rawFraming}, // tn3270
	'g': {access.Object, "image/gif", rawFraming},
	'I': {access.Object, "", rawFraming}, // some image

	':': {access.Object, "", rawFraming}, // Gopher+: a bitmap; its views have the type
	';': {access.Object, "", rawFraming}, // Gopher+: a movie
	'<': {access.Object, "", rawFraming}, // Gopher+: a sound

	'c': {access.Object, "text/calendar", textFraming},
	'd': {access.Object, "", rawFraming},  // some document
	'e': {access.Object, "", textFraming}, // an event
	'h': {access.Object, "text/html", textFraming},
	'H': {access.Object, "text/html", textFraming},
	'i': {access.Info, "text/plain", textFraming},
	'M': {access.Object, "message/rfc822", textFraming},
	'p': {access.Object, "image/png", rawFraming},
	'P': {access.Object, "application/pdf", rawFraming},
	'r': {access.Object, "application/rtf", rawFraming},
	's': {access.Object, "", rawFraming}, // some sound
	'w': {access.Object, "text/html", textFraming},
	'X': {access.Object, "application/xml", textFraming},
}

// typeOf returns the kind, media type and framing of item type c. An object whose type does not
// imply a media type gets it from the extension of selector, if known. An unknown type has no kind
// and no media type, and its data end at the close.
func typeOf(c byte, selector string) itemType {
	t := itemTypes[c]
	if t.kind == access.Object && t.media == "" {
		t.media = mediatype.ByName(selector)
	}
	return t
}

// mediaOf returns the media type in lower case of a view's label, which may also have a language:
// "Text/plain De_DE".
func mediaOf(view string) string {
	media, _, _ := strings.Cut(view, " ")
	return strings.ToLower(media)
}

// isMenu reports whether data of the media type are a listing. Minnesota's servers offer
// directories in several types.
func isMenu(media string) bool {
	switch media {
	case menuType, attributesType, "directory/recursive", "directory+/recursive":
		return true
	}
	return false
}
