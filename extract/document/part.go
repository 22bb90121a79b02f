package document

import (
	"bytes"
	"html"
	"iter"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/internal/markup"
)

// A part is text that was decoded from a document, and its places there.
type part struct {
	text  []byte
	spans []span // in order; the first one is at 0
}

// A span says where a piece of a part comes from. The piece starts at text[at] and
// ends at the next span. srcStart is its place in the document. srcLen is how many
// bytes there the piece replaces; 0: it is a literal copy.
type span struct{ at, srcStart, srcLen int }

// place returns the place in the document of a range of the part's text.
func (p part) place(from, to int) (start, end int) {
	first := p.span(from)
	start = first.srcStart
	if first.srcLen == 0 {
		start += from - first.at
	}
	if to <= from {
		return start, start
	}
	last := p.span(to - 1)
	if last.srcLen > 0 {
		return start, last.srcStart + last.srcLen
	}
	return start, last.srcStart + to - last.at
}

// span returns the span that a byte of the part is in.
func (p part) span(i int) span {
	n := sort.Search(len(p.spans), func(n int) bool { return p.spans[n].at > i })
	if n == 0 {
		return span{}
	}
	return p.spans[n-1]
}

// append appends a copy of the document's text at a place.
func (p *part) append(text []byte, source int) {
	if len(text) == 0 {
		return
	}
	at := len(p.text)
	if n := len(p.spans) - 1; n < 0 || p.spans[n].srcLen > 0 || p.spans[n].srcStart+at-p.spans[n].at != source {
		p.spans = append(p.spans, span{at, source, 0})
	}
	p.text = append(p.text, text...)
}

// replace appends text that replaces srcLen bytes of the document at a place.
func (p *part) replace(text string, source, srcLen int) {
	if text == "" {
		return
	}
	p.spans = append(p.spans, span{len(p.text), source, srcLen})
	p.text = append(p.text, text...)
}

// copy appends a range of another part.
func (p *part) copy(from part, at, to int) {
	for at < to {
		next := sort.Search(len(from.spans), func(n int) bool { return from.spans[n].at > at })
		end := to
		if next < len(from.spans) {
			end = min(end, from.spans[next].at)
		}
		if s := from.spans[next-1]; s.srcLen > 0 {
			p.replace(string(from.text[at:end]), s.srcStart, s.srcLen)
		} else {
			p.append(from.text[at:end], s.srcStart+at-s.at)
		}
		at = end
	}
}

// slice returns a part that is a range of the document, as it is.
func slice(text []byte, from, to int) part {
	return part{text[from:to], []span{{0, from, 0}}}
}

// resolveInXML resolves a reference in XML and Markdown, where it must end with a
// semicolon (XML §4.1, CommonMark §2.5).
func resolveInXML(ref string, _ byte) string { return resolveReference(ref) }

// decoded returns a range of the document with its character references resolved.
func decoded(text []byte, from, to int, resolve markup.Resolver) part {
	return replaceEscapes(text[from:to], from, '&', func(rest []byte) (int, string) { return markup.ResolveAt(rest, resolve) })
}

// replaceEscapes returns a text, which stands at a place in the document, with its
// escapes replaced. Each starts with the byte start. resolve returns the size of the
// escape at the start of rest, and what it stands for.
func replaceEscapes(text []byte, at int, start byte, resolve func(rest []byte) (size int, resolved string)) part {
	if bytes.IndexByte(text, start) < 0 {
		return part{text, []span{{0, at, 0}}}
	}
	var p part
	for len(text) > 0 {
		n := bytes.IndexByte(text, start)
		if n < 0 {
			n = len(text)
		}
		p.append(text[:n], at)
		if text, at = text[n:], at+n; len(text) > 0 {
			size, resolved := resolve(text)
			p.replace(resolved, at, size)
			text, at = text[size:], at+size
		}
	}
	return p
}

// resolveReferences returns a text with its character references resolved as in XML.
func resolveReferences(text string) string {
	return string(decoded([]byte(text), 0, len(text), resolveInXML).text)
}

// lines yields the lines of a text from a place on, each with its place.
func lines(text []byte, at int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for line := range bytes.Lines(text[at:]) {
			if !yield(at, line) {
				return
			}
			at += len(line)
		}
	}
}

// isWord reports whether a byte is a letter or a digit of ASCII.
func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// isSpace reports whether a byte is white space in HTML (Infra §4.6) and CSS.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }

// isHex reports whether a byte is a hexadecimal digit.
func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// skipSpace returns the place after the white space at a place.
func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// htmlSpace is white space in HTML (Infra §4.6).
const htmlSpace = " \t\r\n\f"

// resolveReference returns the characters that a character reference stands for, and a
// text that is no reference unchanged. Unlike in HTML, a reference must end with a
// semicolon and has few digits.
func resolveReference(ref string) string {
	name, ok := strings.CutSuffix(ref[1:], ";")
	if !ok {
		return ref
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		text := html.UnescapeString(ref)
		if strings.HasSuffix(text, ";") && ref != "&semi;" {
			return ref // a prefix of it may be known
		}
		return text
	}
	base, most := 10, 7
	if hex := strings.TrimLeft(digits, "xX"); len(hex) == len(digits)-1 {
		digits, base, most = hex, 16, 6
	}
	code, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil || len(digits) > most:
		return ref
	case code == 0:
		return string(utf8.RuneError)
	}
	return string(rune(code))
}

// hasFold reports whether a text starts with a prefix, in any case.
func hasFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}
