package flags

import "strings"

// HideLogin returns text with "…" in place of a possible login. The text is not a valid URL, but an error may show
// it. The possible login is everything between the first "//", or the start, and the last "@".
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
