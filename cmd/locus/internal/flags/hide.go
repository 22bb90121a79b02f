package flags

import "strings"

// HideLogin returns text, which is not a valid URL, with "…" in place of a possible login, so that an error may show
// it. The possible login is everything between the first "//", or the start, and the last "@". A text without "@" stays
// unchanged.
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
