package emit

import (
	"bytes"
	"sort"

	"locus/internal/markup"
)

// A Part is text that was decoded from a document, with the offsets from which it came.
type Part struct {
	Text  []byte
	Spans []Span // sorted by At; the first one has At 0
}

// A Span says where a piece of a part comes from. The piece starts at offset At of the part's text and ends at the
// next span. SrcStart is its offset in the document. SrcLen is how many bytes of the document the piece replaces, or
// 0 if it is a literal copy.
type Span struct{ At, SrcStart, SrcLen int }

// Place returns the range [start, end) of the document from which the range [from, to) of the part's text comes. A byte
// of a replacement comes from all bytes that were replaced.
func (p Part) Place(from, to int) (start, end int) {
	first := p.Span(from)
	start = first.SrcStart
	if first.SrcLen == 0 {
		start += from - first.At
	}
	if to <= from {
		return start, start
	}
	last := p.Span(to - 1)
	if last.SrcLen > 0 {
		return start, last.SrcStart + last.SrcLen
	}
	return start, last.SrcStart + to - last.At
}

// Span returns the span that contains byte i of the part, or the zero Span if the part has no spans.
func (p Part) Span(i int) Span {
	n := sort.Search(len(p.Spans), func(n int) bool { return p.Spans[n].At > i })
	if n == 0 {
		return Span{}
	}
	return p.Spans[n-1]
}

// Append appends text to the part. text is a literal copy of the document's text at offset source.
func (p *Part) Append(text []byte, source int) {
	if len(text) == 0 {
		return
	}
	at := len(p.Text)
	if n := len(p.Spans) - 1; n < 0 || p.Spans[n].SrcLen > 0 || p.Spans[n].SrcStart+at-p.Spans[n].At != source {
		p.Spans = append(p.Spans, Span{at, source, 0})
	}
	p.Text = append(p.Text, text...)
}

// Replace appends text to the part. text stands for srcLen bytes of the document at offset source. An empty text has no
// effect.
func (p *Part) Replace(text string, source, srcLen int) {
	if text == "" {
		return
	}
	p.Spans = append(p.Spans, Span{len(p.Text), source, srcLen})
	p.Text = append(p.Text, text...)
}

// Copy appends the range [at, to) of the part from, with the offsets from which it came.
func (p *Part) Copy(from Part, at, to int) {
	for at < to {
		next := sort.Search(len(from.Spans), func(n int) bool { return from.Spans[n].At > at })
		end := to
		if next < len(from.Spans) {
			end = min(end, from.Spans[next].At)
		}
		if s := from.Spans[next-1]; s.SrcLen > 0 {
			p.Replace(string(from.Text[at:end]), s.SrcStart, s.SrcLen)
		} else {
			p.Append(from.Text[at:end], s.SrcStart+at-s.At)
		}
		at = end
	}
}

// Slice returns the part that consists of text[from:to]. text is the whole document.
func Slice(text []byte, from, to int) Part {
	return Part{text[from:to], []Span{{0, from, 0}}}
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
		return Part{text, []Span{{0, at, 0}}}
	}
	var p Part
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
