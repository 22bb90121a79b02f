package emit

import (
	"bytes"

	"locus/internal/markup"
)

// A Part is text that was decoded from a document, with the offsets from which it came. Only the methods of Part may
// change the length of the text.
type Part struct {
	Text  []byte
	spans spans
}

// Place returns the range [start, end) of the document from which the range [from, to) of the part's text comes. A byte
// of a replacement comes from all bytes that were replaced.
func (p Part) Place(from, to int) (start, end int) {
	first := p.spans.find(from)
	start = first.SrcStart
	if first.SrcLen == 0 {
		start += from - first.At
	}
	if to <= from {
		return start, start
	}
	return start, p.spans.find(to - 1).source(to)
}

// Append appends text to the part. text is a literal copy of the document's text at offset source.
func (p *Part) Append(text []byte, source int) {
	if last := p.spans.last; len(text) > 0 && (last.SrcLen > 0 || last.source(len(p.Text)) != source) {
		p.add(source, 0)
	}
	p.Text = append(p.Text, text...)
}

// Replace appends text to the part. text stands for srcLen bytes of the document at offset source. An empty text has no
// effect.
func (p *Part) Replace(text string, source, srcLen int) {
	if text != "" {
		p.add(source, srcLen)
		p.Text = append(p.Text, text...)
	}
}

// add adds a span for the text that is appended next.
func (p *Part) add(source, srcLen int) {
	if s := (span{len(p.Text), source, srcLen}); s.At > 0 {
		p.spans.add(s)
	} else {
		p.spans.last = s
	}
}

// Copy appends the range [at, to) of the part from, with the offsets from which it came.
func (p *Part) Copy(from Part, at, to int) {
	if at >= to {
		return
	}
	for c := from.spans.find(at); ; c.advance() {
		end := min(to, c.end)
		if c.SrcLen > 0 {
			p.Replace(string(from.Text[at:end]), c.SrcStart, c.SrcLen)
		} else {
			p.Append(from.Text[at:end], c.source(at))
		}
		if at = end; at == to {
			return
		}
	}
}

// Slice returns the part that consists of text[from:to]. text is the whole document.
func Slice(text []byte, from, to int) Part { return literal(text[from:to], from) }

// literal returns the part that consists of text, which is at offset at of the document.
func literal(text []byte, at int) Part {
	return Part{text, spans{last: span{SrcStart: at}}}
}

// Decoded returns the part that consists of text[from:to] with its character references resolved. text is the whole
// document.
func Decoded(text []byte, from, to int, resolve markup.Resolver) Part {
	return ReplaceEscapes(text[from:to], from, '&', func(rest []byte) (int, string) { return markup.ResolveAt(rest, resolve) })
}

// ReplaceEscapes returns text, which is at offset at of the document, with its escapes replaced. The result may share
// the memory of text. Each escape starts with the byte start. resolve returns the size of the escape at the start of
// rest, and the text that it stands for.
func ReplaceEscapes(text []byte, at int, start byte, resolve func(rest []byte) (size int, resolved string)) Part {
	if bytes.IndexByte(text, start) < 0 {
		return literal(text, at)
	}
	p := Part{Text: make([]byte, 0, len(text))}
	for len(text) > 0 {
		n := bytes.IndexByte(text, start)
		if n < 0 {
			n = len(text)
		}
		p.Append(text[:n], at)
		if text, at = text[n:], at+n; len(text) > 0 {
			size, resolved := resolve(text)
			p.Replace(resolved, at, size)
			text, at = text[size:], at+size
		}
	}
	return p
}
