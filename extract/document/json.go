package document

import (
	"bytes"
	"encoding/json"
	"strings"
)

// json reads every string of JSON, or of lines of JSON, with its escapes taken
// out. A string that follows the name of a member has that for its place.
func (d *document) json() {
	name := ""
	for i := 0; i < len(d.text); {
		switch c := d.text[i]; c {
		case '"':
			end := jsonString(d.text, i)
			p := unescaped(d.text, i+1, end)
			i = end + 1
			if next := skipSpace(d.text, i); next < len(d.text) && d.text[next] == ':' {
				d.part(Text, p, "name")
				name = string(p.text)
				continue
			}
			d.part(Text, p, name)
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

// jsonString returns where the quotation mark is that ends the string which one
// at i starts.
func jsonString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i, len(text))
}

// isHigh reports whether four hex digits are the first half of a pair that is
// one character, D800 to DBFF.
func isHigh(digits []byte) bool {
	return digits[0]|0x20 == 'd' && strings.IndexByte("89abAB", digits[1]) >= 0
}

// unescaped returns what a JSON string stands for.
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
			if from+12 <= to && isHigh(text[from+2:]) && text[from+6] == '\\' && text[from+7] == 'u' {
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
