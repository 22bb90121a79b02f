package document

import (
	"bytes"
	"encoding/json"
	"strings"
)

// json reads every string of JSON, or of lines of JSON, without its escapes. The
// Place of a member's value is the member's name.
func (d *document) json() {
	name := ""
	for i := 0; i < len(d.text); {
		switch c := d.text[i]; c {
		case '"':
			end := jsonString(d.text, i)
			p := unescaped(d.text, i+1, end)
			i = end + 1
			if next := skipSpace(d.text, i); next < len(d.text) && d.text[next] == ':' {
				d.readPart(Text, p, "name")
				name = string(p.text)
				continue
			}
			d.readPart(Text, p, name)
			continue
		case '}':
			name = ""
		}
		i++
	}
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// jsonString returns the place of the quotation mark that ends the string whose
// first one is at i.
func jsonString(text []byte, i int) int {
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

// unescaped returns the text of a JSON string without its escapes.
func unescaped(text []byte, from, to int) part {
	var p part
	for from < to {
		n := bytes.IndexByte(text[from:to], '\\')
		if n < 0 {
			n = to - from
		}
		p.append(text[from:from+n], from)
		if from += n; from >= to {
			break
		}
		size := 2
		if from+1 < to && text[from+1] == 'u' {
			size = 6
			if from+12 <= to && isHighSurrogate(text[from+2:]) && text[from+6] == '\\' && text[from+7] == 'u' {
				size = 12
			}
		}
		size = min(size, to-from)
		var s string
		if json.Unmarshal([]byte(`"`+string(text[from:from+size])+`"`), &s) != nil {
			s = string(text[from : from+size])
		}
		p.replace(s, from, size)
		from += size
	}
	return p
}
