package cli

import (
	"bytes"
	"strings"

	"locus/url"
)

// ParseBase returns the value of --base; the zero URL for nil, if it is not given.
func ParseBase(text *string) (url.URL, error) {
	if text == nil {
		return url.URL{}, nil
	}
	u, err := url.Parse(*text)
	if err != nil {
		return u, Explain(err)
	}
	if !u.IsAbs() {
		return u, Misuse("--base wants a URL with a scheme, not %q", *text)
	}
	return u, nil
}

// IsBinary reports whether the start of a file is not text.
func IsBinary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }

// QuoteAll returns texts in quotes, with commas between them.
func QuoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = Quote(text)
	}
	return strings.Join(quoted, ", ")
}

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
