// Package json reads JSON, and texts with one JSON value on each line.
package json

import (
	"encoding/json"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/markup"
)

// Read searches every string of the text, with its escapes resolved. The Place of a match in a member's value is the
// member's name, and in a member's name it is "name".
func Read(d *emit.Emitter) {
	d.InOrder = true
	name := ""
	for i := 0; i < len(d.Text); {
		switch c := d.Text[i]; c {
		case '"':
			end := StringEnd(d.Text, i)
			p := emit.ReplaceEscapes(d.Text[i+1:end], i+1, '\\', UnescapeJSON)
			i = end + 1
			if next := markup.SkipSpace(d.Text, i); next < len(d.Text) && d.Text[next] == ':' {
				d.ReadText(p, "name")
				name = string(p.Text)
				continue
			}
			d.ReadText(p, name)
			continue
		case '}':
			name = ""
		}
		i++
	}
}

// EachValue calls each with every string of text that is not the name of a member. The escapes in the string are not
// resolved.
func EachValue(text []byte, each func(raw []byte)) {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := StringEnd(text, i)
		raw := text[i+1 : max(end, i+1)]
		i = end
		if next := markup.SkipSpace(text, min(end+1, len(text))); next < len(text) && text[next] == ':' {
			continue
		}
		each(raw)
	}
}

// StringEnd returns the offset of the quotation mark that closes the string whose opening mark is at i. If that mark is
// missing, it returns the end of the line or of the text.
func StringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i, len(text))
}

// isHighSurrogate reports whether digits, which starts with four hex digits, starts with the first half of a surrogate
// pair, D800 to DBFF.
func isHighSurrogate(digits []byte) bool {
	return digits[0]|0x20 == 'd' && strings.IndexByte("89abAB", digits[1]) >= 0
}

// UnescapeJSON returns the size of the escape at the start of rest, and the characters that it stands for. An invalid
// escape stands for itself.
func UnescapeJSON(rest []byte) (size int, resolved string) {
	size = 2
	if len(rest) > 1 && (rest[1] == '"' || rest[1] == '\\' || rest[1] == '/') { // most escapes
		return size, string(rest[1:2])
	}
	if len(rest) > 1 && rest[1] == 'u' {
		size = 6
		if len(rest) >= 12 && isHighSurrogate(rest[2:]) && rest[6] == '\\' && rest[7] == 'u' {
			size = 12
		}
	}
	size = min(size, len(rest))
	if json.Unmarshal([]byte(`"`+string(rest[:size])+`"`), &resolved) != nil {
		resolved = string(rest[:size])
	}
	return size, resolved
}
