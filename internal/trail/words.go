package trail

import (
	"strings"
	"unicode"

	"locus/scheme"
	"locus/url"
)

// Words returns the words for which u searches, decoded, or "" if u does not search. They are
// the query of the view of a z39.50 URL. In other schemes they are the query of u, or follow the
// first control character in its path, as the tab in a gopher URL. Clean them before they are
// shown, because a stranger may have written the URL.
func Words(u url.URL) string {
	if v, err := scheme.ParseZ3950(u); err == nil {
		if v.Record > 0 {
			return ""
		}
		return v.Query.Text
	}
	text, isQuery := u.Query()
	if isQuery {
		text = strings.ReplaceAll(text, "+", " ")
	} else {
		text = u.Path()
	}
	words, err := url.Unescape(text)
	if err != nil {
		return ""
	}
	if !isQuery {
		_, words = cutControl(words)
	}
	words, _ = cutControl(words)
	return words
}

// cutControl returns the text before and after the first control character of text. If text has
// none, before is text and after is "".
func cutControl(text string) (before, after string) {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}
