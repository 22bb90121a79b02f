package document

import (
	"bytes"
	"strings"
)

// man reads what .UR, .MT, .Lk and .Mt name, and the text with its escapes
// taken out.
func (d *document) man() {
	at := 0
	for line := range bytes.Lines(d.text) {
		d.manLine(line, at)
		at += len(line)
	}
}

func (d *document) manLine(line []byte, at int) {
	p := unroff(line, at)
	if len(line) < 4 || line[0] != '.' && line[0] != '\'' {
		d.part(Text, p, "")
		return
	}
	words := bytes.Fields(p.text)
	if len(words) < 2 {
		return
	}
	name, prefix := string(words[0][1:]), ""
	switch name {
	case "UR", "Lk":
	case "MT", "Mt":
		prefix = "mailto:"
	case `\"`:
		return
	default:
		d.part(Text, p, "."+name)
		return
	}
	word := bytes.Trim(words[1], `"`)
	if len(word) == 0 {
		return
	}
	start := len(words[0]) + bytes.Index(p.text[len(words[0]):], word)
	from, to := p.place(start, start+len(word))
	d.refer(from, to, prefix+string(word), "."+name)
}

// special are the characters that \(xx stands for and URLs hold.
var special = strings.NewReplacer("ti", "~", "ha", "^", "rs", `\`, "at", "@", "sh", "#", "dq", `"`, "aq", "'", "en", "–", "em", "—", "hy", "-", "lq", "“", "rq", "”")

// unroff takes the escapes out of a line: \- for a hyphen, \: and \& for
// nothing, \fB and such for a font, \(ti for a character.
func unroff(line []byte, at int) part {
	var p part
	for i := 0; i < len(line); {
		n := bytes.IndexByte(line[i:], '\\')
		if n < 0 {
			n = len(line) - i
		}
		p.append(line[i:i+n], at+i)
		if i += n; i >= len(line) {
			break
		}
		size, stands := roffEscape(line[i:])
		p.replace(stands, at+i, size)
		i += size
	}
	return p
}

// roffEscape returns the length of the escape that starts a text, and what it
// stands for.
func roffEscape(text []byte) (size int, stands string) {
	if len(text) < 2 {
		return len(text), ""
	}
	switch c := text[1]; c {
	case '-', '.', '/', '\'', '`':
		return 2, string(c)
	case 'e':
		return 2, `\`
	case 'f':
		if len(text) > 3 && text[2] == '(' {
			return min(5, len(text)), ""
		}
		if len(text) > 3 && text[2] == '[' {
			if end := bytes.IndexByte(text, ']'); end >= 0 {
				return end + 1, ""
			}
			return len(text), ""
		}
		return min(3, len(text)), ""
	case '(':
		if len(text) >= 4 {
			return 4, special.Replace(string(text[2:4]))
		}
		return len(text), ""
	case '"':
		return len(bytes.TrimRight(text, "\r\n")), "" // a comment
	case ' ', '\n':
		return 1, ""
	}
	return 2, ""
}
