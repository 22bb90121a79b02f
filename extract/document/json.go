package document

import (
	"encoding/json"
	"strings"
)

// json reads every string of JSON, or of lines of JSON, without its escapes. The
// Place of a member's value is the member's name.
func (d *document) json() {
	d.inOrder = true
	name := ""
	for i := 0; i < len(d.text); {
		switch c := d.text[i]; c {
		case '"':
			end := jsonStringEnd(d.text, i)
			p := replaceEscapes(d.text[i+1:end], i+1, '\\', unescapeJSON)
			i = end + 1
			if next := skipSpace(d.text, i); next < len(d.text) && d.text[next] == ':' {
				d.readText(p, "name")
				name = string(p.text)
				continue
			}
			d.readText(p, name)
			continue
		case '}':
			name = ""
		}
		i++
	}
}

// jsonStringEnd returns the offset of the quotation mark that closes the string opened by
// the one at i.
func jsonStringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i, len(text))
}

// isHighSurrogate reports whether four hex digits are the first half of a surrogate
// pair, D800 to DBFF.
func isHighSurrogate(digits []byte) bool {
	return digits[0]|0x20 == 'd' && strings.IndexByte("89abAB", digits[1]) >= 0
}

// unescapeJSON returns the size of the escape at the start of a text, and the
// characters that it stands for. An invalid one stands for itself.
func unescapeJSON(rest []byte) (size int, resolved string) {
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
