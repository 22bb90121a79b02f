package html

import (
	"strings"

	"locus/internal/markup"
)

// charsetLimit is how far browsers look for the name of the encoding (HTML §4.2.5.4).
const charsetLimit = 1024

// charsetOf returns the encoding that a meta element in the first charsetLimit bytes of a page names, or "" if no
// element there names an encoding.
func charsetOf(text []byte) string {
	text = text[:min(len(text), charsetLimit)]
	z := markup.Tokenizer{Text: text}
	for t := (markup.Token{}); z.Read(&t); {
		if t.Kind != markup.StartTag || t.Name != "meta" {
			continue
		}
		if label, ok := t.Value(text, "charset"); ok {
			return label
		}
		equiv, _ := t.Value(text, "http-equiv")
		content, _ := t.Value(text, "content")
		if _, label, ok := strings.Cut(strings.ToLower(content), "charset="); ok && strings.EqualFold(equiv, "content-type") {
			label, _, _ = strings.Cut(label, ";")
			return strings.Trim(label, " \t\r\n\f\"'")
		}
	}
	return ""
}
