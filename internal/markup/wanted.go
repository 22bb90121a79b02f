package markup

import (
	"bytes"

	"locus/internal/ascii"
)

// readWanted implements Read for a Tokenizer with Wanted: it skips comments, text, end tags, and start tags without a
// wanted attribute unless they begin raw text.
func (z *Tokenizer) readWanted(t *Token) bool {
	if z.known == nil {
		z.known = knownNames
	}
	text := z.Text
	for at := z.at; ; {
		n := bytes.IndexByte(text[at:], '<')
		if n < 0 || at+n+2 >= len(text) { // the shortest tag has three bytes
			z.at = len(text)
			return false
		}
		at += n
		switch c := text[at+1]; {
		case c == '/':
			at = endTagEnd(text, at)
		case ascii.IsLetter(c):
			end := at + 2
			for end < len(text) && !EndsName(text[end]) {
				end++
			}
			name, attributes, last := text[at+1:end], z.attributes[:0], end
			if end < len(text) && text[end] != '>' {
				attributes, last, end = z.readAttributes(end)
			}
			if end == len(text) {
				z.at = end
				return false // the document ends within the tag
			}
			if len(attributes) == 0 && !mayBeRaw(name) { // most tags
				at = end + 1
				continue
			}
			*t = Token{Kind: StartTag, From: at, To: end, Name: lower(z.known, name), Attributes: attributes}
			z.finishTag(t, last)
			if len(attributes) > 0 || isRaw(t.Name) {
				return true
			}
			*t, at = Token{}, z.at
		case c == '!' && bytes.HasPrefix(text[at:], []byte("<!--")):
			at += len("<!--") + commentLength(text[at+len("<!--"):])
		case c == '!' || c == '?':
			at = after(text, at, '>')
		default:
			at++
		}
	}
}

// endTagEnd returns the offset after the end tag that begins with "</" at offset at, or after the comment if no
// letter follows. An end tag may have attributes, whose values may contain ">".
func endTagEnd(text []byte, at int) int {
	at += len("</")
	if !ascii.IsLetter(text[at]) {
		return after(text, at, '>')
	}
	for at < len(text) && !EndsName(text[at]) {
		at++
	}
	if at < len(text) && text[at] == '>' { // the most common form
		return at + 1
	}
	for ok := true; ok; {
		_, _, at, ok = nextAttribute(text, at)
	}
	return min(at+1, len(text))
}

// mayBeRaw returns false if name, in any case, is not the name of a raw text element. It is a quick test before
// isRaw, and may return true for other names.
func mayBeRaw(name []byte) bool {
	switch len(name) {
	case 1, 2, 4: // most names
		return false
	}
	switch name[0] | 0x20 {
	case 'i', 'n', 'p', 's', 't', 'x':
		return true
	}
	return false
}
