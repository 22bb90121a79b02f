package markdown

import (
	"bytes"
	"path"
	"strings"

	"locus/extract/document/internal/emit"
)

// readWikiLink gives the wiki link that starts with the "[" at an offset, such as [[target]] or [[target|text]], to the
// handler, and returns the offset after it. It returns 0 if the "[" does not start a wiki link in the dialect. The
// text [[a]](b) is an ordinary link to b.
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
	from, to := r.wikiTarget(at+len("[["), at+len("[[")+n)
	end := at + len("[[") + n + len("]]")
	if from == to {
		return 0
	}
	kind := wikiLink
	if bytes.Contains(r.text[from:to], []byte("://")) {
		kind = linkDestination
	}
	r.add(kind, from, to)
	r.handler.readLink(at, end)
	return end
}

// wikiTarget returns where the target of a wiki link starts and ends. [from, to) is the text between the brackets of
// the link. A bar separates the target from a text, in an order that depends on the dialect.
func (r *inlineReader) wikiTarget(from, to int) (int, int) {
	before, after, hasBar := bytes.Cut(r.text[from:to], []byte{'|'})
	switch {
	case hasBar && r.dialect.TextFirst && !isImage(before):
		from = to - len(after)
	case hasBar:
		to = from + len(bytes.TrimSuffix(before, []byte{'\\'})) // in a table the bar has a backslash
	}
	return trimBlanks(r.text, from, to)
}

// isImage reports whether the name of a file has the extension of an image, such as ".png".
func isImage(name []byte) bool {
	switch strings.ToLower(path.Ext(string(bytes.TrimSpace(name)))) {
	case ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp":
		return true
	}
	return false
}
