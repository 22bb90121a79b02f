package cli

import "strings"

// HideLogin removes the login from a text that may be a URL.
func HideLogin(text string) string {
	before, rest, ok := strings.Cut(text, "//")
	authority, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); ok && at >= 0 {
		text = before + "//…" + authority[at:]
		if slash {
			text += "/" + path
		}
	}
	return text
}
