package flags

import "strings"

// HideLogin removes what may be a login from a text that is no URL: all before the last
// "@", up to the first "//".
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
