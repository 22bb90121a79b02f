package cli

import (
	"bytes"
	"strings"
)

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
