package facts

// IsInert reports whether URLs with this scheme need no check for broken links, because they
// are data or code themselves, or call a person. name is in lower case. Most of these schemes
// do not have a row, because this is the only fact about them.
func IsInert(name string) bool {
	switch name {
	case "javascript", "data", "about", "blob", "tel", "sms", "smsto", "callto", "fax", "modem", "sip", "sips", "facetime", "facetime-audio", "skype":
		return true
	}
	return false
}

// RunsInBrowser reports whether a browser itself runs or shows the text of URLs with this
// scheme, instead of asking a server. A page must not link to such a URL if a stranger wrote
// it, because it could run code. name is in lower case.
func RunsInBrowser(name string) bool {
	switch name {
	case "javascript", "vbscript", "data", "blob":
		return true
	}
	return false
}
