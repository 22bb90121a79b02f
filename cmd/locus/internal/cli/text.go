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
