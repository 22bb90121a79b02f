package rewrite

import (
	"fmt"
	"strings"
)

// attributeEscapes escapes the characters that end a value of an attribute or begin a
// character reference in it.
var attributeEscapes = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#39;", "<", "&lt;", ">", "&gt;", "`", "&#96;")

// escapeAttribute returns text with character references for the characters that are special in
// the value of an attribute, quoted or not. The value must be quoted if text has white space.
func escapeAttribute(text string) string { return attributeEscapes.Replace(text) }

// escapeURL returns a URL with percent-escapes for white space and controls, because a URL must
// not have them, and for bytes beyond ASCII, because their meaning would depend on the encoding
// of the page. It also escapes a comma at the start and the end, because srcset would drop it.
func escapeURL(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c >= 0x7f || c == ',' && (i == 0 || i == len(text)-1) {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// escapeRefresh returns a URL, escaped by escapeURL and for the content of a refresh, with or without quotation marks.
// It writes "./" before a relative URL that starts with ";" or "url=", because a refresh may start with these, too.
func escapeRefresh(text string) string {
	text = strings.NewReplacer(`"`, "%22", "'", "%27").Replace(escapeURL(text))
	if strings.HasPrefix(strings.ToLower(text), "url=") || strings.HasPrefix(text, ";") {
		return "./" + text
	}
	return text
}

// escapeCSS returns a URL, escaped by escapeURL and for url(), with or without quotation marks,
// and for strings in a style sheet. It also escapes the characters that HTML treats as markup,
// so the result may stand in an attribute.
func escapeCSS(text string) string {
	var b strings.Builder
	for _, c := range []byte(escapeURL(text)) {
		if strings.IndexByte(`"'()\&<>`+"`", c) >= 0 {
			fmt.Fprintf(&b, `\%06x`, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
