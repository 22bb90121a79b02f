package facts

// IsInert reports whether URLs of a scheme name nothing that a server could lack: they are data
// or code themselves, or call somebody. The name is in lower case. Most of these schemes have no
// row, because nothing else is known about them.
func IsInert(name string) bool {
	switch name {
	case "javascript", "data", "about", "blob", "tel", "sms", "smsto", "callto", "fax", "modem", "sip", "sips", "facetime", "facetime-audio", "skype":
		return true
	}
	return false
}

// RunsInBrowser reports whether a browser runs or shows the text of a URL of a scheme itself,
// instead of asking a server. So a page must not link to a URL that a stranger wrote. The name is in
// lower case.
func RunsInBrowser(name string) bool {
	switch name {
	case "javascript", "vbscript", "data", "blob":
		return true
	}
	return false
}
