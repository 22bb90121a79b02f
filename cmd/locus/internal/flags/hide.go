package flags

import "strings"

// HideLogin removes a possible login from a text that is not a valid URL, because an error may show the text.
// The possible login is everything between the first "//", or the start, and the last "@".
func HideLogin(text string) string {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text
	}
	before := 0
	if i := strings.Index(text[:at], "//"); i >= 0 {
		before = i + len("//")
	}
	return text[:before] + "…" + text[at:]
}
