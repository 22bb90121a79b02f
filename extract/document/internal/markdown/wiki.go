package markdown

import (
	"bytes"

	"locus/extract/document/internal/emit"
)

// readWikiLink reads the wiki link at the "[" at an offset, such as [[target]] or [[target|text]]. It returns the
// offset after the link, or 0 if there is none. The text [[a]](b) is a link to b.
func (r *inlineReader) readWikiLink(at int) int {
	if !r.dialect.WikiLinks {
		return 0
	}
	inside, ok := bytes.CutPrefix(r.text[at:], []byte("[["))
	if !ok {
		return 0
	}
	n := bytes.IndexAny(inside[:min(len(inside), emit.MaxLabel)], "[]\n\r")
	if n < 0 || !bytes.HasPrefix(inside[n:], []byte("]]")) || bytes.HasPrefix(inside[n:], []byte("]](")) {
		return 0
	}
	target := inside[:n]
	if bar := bytes.IndexByte(target, '|'); bar >= 0 {
		target = bytes.TrimSuffix(target[:bar], []byte{'\\'}) // in a table the bar has a backslash
	}
	from, to := trimBlanks(r.text, at+len("[["), at+len("[[")+len(target))
	end := at + len("[[") + n + len("]]")
	if from == to {
		return 0
	}
	r.add(wikiLink, from, to)
	r.handler.readLink(at, end)
	return end
}
