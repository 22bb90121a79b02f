// Package man reads manual pages: man(7) and mdoc(7).
package man

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
	"locus/internal/markup"
)

// Read reads the arguments of .UR, .MT, .Lk, .Mt and the older .URL, .FTP and .MTO, and searches the text with its
// escapes resolved.
func Read(d *emit.Emitter) {
	for at, line := range emit.Lines(d.Text, 0) {
		readLine(d, line, at)
	}
}

// readLine reads a line, which is at offset at. It adds the URL of a macro for links, and searches the text for others.
func readLine(d *emit.Emitter, line []byte, at int) {
	p := emit.ReplaceEscapes(line, at, '\\', roffEscape)
	if line[0] != '.' && line[0] != '\'' {
		d.ReadText(p, "")
		return
	}
	name, i := nextWord(p.Text, 1)
	if slices.Contains(links, name) || slices.Contains(addresses, name) {
		addLink(d, p, name, i)
	}
	for isMdoc(name) && i < len(p.Text) {
		var word string
		if word, i = nextWord(p.Text, i); word == "Lk" || word == "Mt" {
			addLink(d, p, word, i)
		}
	}
	d.ReadText(p, "."+name)
}

var (
	links     = []string{"UR", "Lk", "URL", "FTP"} // the macros whose first argument is a URL
	addresses = []string{"MT", "Mt", "MTO"}        // the macros whose first argument is a mail address
)

// isMdoc reports whether a word looks like a macro of mdoc(7). Such a macro may call other macros.
func isMdoc(word string) bool {
	return len(word) == 2 && word[0] <= 'Z' && word[1] >= 'a'
}

// nextWord returns the first word at or after offset i, and the offset after it. The word is "" at the end of text.
func nextWord(text []byte, i int) (word string, end int) {
	i = markup.SkipSpace(text, i)
	for end = i; end < len(text) && !markup.IsSpace(text[end]); {
		end++
	}
	return string(text[i:end]), end
}

// addLink adds a reference to the first word of p at or after offset i, without quotation marks and angle brackets. The
// word is the argument of a macro: a mail address if the macro is one of addresses, and otherwise a URL.
func addLink(d *emit.Emitter, p emit.Part, macro string, i int) {
	written, end := nextWord(p.Text, i)
	word := strings.Trim(written, `"<>`)
	if word == "" {
		return
	}
	start := end - len(written) + strings.Index(written, word)
	from, to := p.Place(start, start+len(word))
	if slices.Contains(addresses, macro) {
		word = "mailto:" + word
	}
	d.AddReference(from, to, word, "."+macro)
}

// special maps the names of characters, \(xx or \[xx], to the characters that occur in URLs or around them.
var special = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"ti": "~", "ha": "^", "rs": `\`, "at": "@", "sh": "#", "Do": "$", "ul": "_", "sl": "/", "ba": "|", "hy": "-", "mi": "-", "en": "–", "em": "—",
		"dq": `"`, "aq": "'", "Aq": "'", "ga": "`", "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩",
	}
}}

// character returns the character with a name of groff, such as "ti" or "u007E", or a space if the name is unknown.
func character(name string) string {
	if text, ok := special.Get()[name]; ok {
		return text
	}
	if code, err := strconv.ParseUint(strings.TrimPrefix(name, "u"), 16, 32); err == nil && len(name) >= len("u0000") && name[0] == 'u' {
		return string(rune(code))
	}
	return " "
}

// roffEscape returns the length of the escape at the start of text, and the text that it stands for (groff(7), Escape
// short reference). For example, \- is a hyphen, \: and \& are empty, \fB sets a font, and \(ti is a character.
func roffEscape(text []byte) (size int, resolved string) {
	if len(text) < 2 {
		return len(text), ""
	}
	switch c := text[1]; c {
	case '-', '.', '/', '\'', '`', '_':
		return 2, string(c)
	case 'e':
		return 2, `\`
	case '0', '~', 'u', 'd': // a superscript or subscript counts as a separate word
		return 2, " "
	case '(', '[':
		name, size := roffName(text[1:])
		return 1 + size, character(name)
	case '*': // a string; strings for quotation marks are common
		name, size := roffName(text[2:])
		return 2 + size, character(name)
	case 'f', 'F', 'm', 'M', 'n', 'g', 'k', 'V', 'Y':
		_, size := roffName(text[2:])
		return 2 + size, ""
	case 's':
		return 2 + roffSize(text[2:]), ""
	case 'A', 'b', 'B', 'C', 'D', 'h', 'H', 'l', 'L', 'N', 'o', 'R', 'S', 'v', 'w', 'x', 'X', 'Z':
		return 2 + roffQuoted(text[2:]), ""
	case '"':
		return len(bytes.TrimRight(text, "\r\n")), "" // a comment
	case ' ', '\n':
		return 1, ""
	}
	return 2, ""
}

// roffName returns the name at the start of text, written as x, (xx or [xxx], and its length as written. The name is ""
// and the length 0 at the end of a line.
func roffName(text []byte) (name string, size int) {
	switch {
	case len(text) == 0 || text[0] == '\n':
		return "", 0
	case text[0] == '(':
		size = min(3, len(text))
		return string(text[1:size]), size
	case text[0] == '[':
		if end := bytes.IndexByte(text, ']'); end >= 0 {
			return string(text[1:end]), end + 1
		}
		return "", len(text)
	}
	return string(text[:1]), 1
}

// roffSize returns the length of the font size at the start of text, such as 8, 12, +2, -(10, [+2] and '12'.
func roffSize(text []byte) int {
	sign := 0
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		sign = 1
	}
	switch rest := text[sign:]; {
	case len(rest) == 0:
		return sign
	case rest[0] == '\'':
		return sign + roffQuoted(rest)
	case sign == 0 && len(rest) > 1 && rest[0] >= '1' && rest[0] <= '3' && rest[1] >= '0' && rest[1] <= '9':
		return 2 // 10 to 39
	default:
		_, size := roffName(rest)
		return sign + size
	}
}

// roffQuoted returns the length of the argument at the start of text, including the two equal bytes around it. It
// returns 0 if the second of these bytes is missing.
func roffQuoted(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if end := bytes.IndexByte(text[1:], text[0]); end >= 0 {
		return 1 + end + 1
	}
	return 0
}
