package document

import (
	"bytes"
	"html"
	"sort"
	"strings"
	"unicode/utf8"
)

// A part is text made of text in a document, and where it stood there.
type part struct {
	text  []byte
	spans []span // in order; the first one is at 0
}

// A span says where the text from text[at] on, up to the next span, stood. If it
// is as wide as 0 octets, it stood there octet for octet; else all of it stands
// for what is so wide.
type span struct{ at, source, width int }

// place returns where what is from one place to another in the part stood.
func (p part) place(from, to int) (start, end int) {
	first := p.span(from)
	start = first.source
	if first.width == 0 {
		start += from - first.at
	}
	if to <= from {
		return start, start
	}
	last := p.span(to - 1)
	if last.width > 0 {
		return start, last.source + last.width
	}
	return start, last.source + to - last.at
}

// span returns the span that an octet is in.
func (p part) span(i int) span {
	n := sort.Search(len(p.spans), func(n int) bool { return p.spans[n].at > i })
	if n == 0 {
		return span{}
	}
	return p.spans[n-1]
}

// append appends text that stood at a place.
func (p *part) append(text []byte, source int) {
	if len(text) == 0 {
		return
	}
	at := len(p.text)
	if n := len(p.spans) - 1; n < 0 || p.spans[n].width > 0 || p.spans[n].source+at-p.spans[n].at != source {
		p.spans = append(p.spans, span{at, source, 0})
	}
	p.text = append(p.text, text...)
}

// replace appends text that stands for what is so wide at a place.
func (p *part) replace(text string, source, width int) {
	if text == "" {
		return
	}
	p.spans = append(p.spans, span{len(p.text), source, width})
	p.text = append(p.text, text...)
}

// copy appends what is from one place to another in a part.
func (p *part) copy(from part, at, to int) {
	for at < to {
		next := sort.Search(len(from.spans), func(n int) bool { return from.spans[n].at > at })
		end := to
		if next < len(from.spans) {
			end = min(end, from.spans[next].at)
		}
		if s := from.spans[next-1]; s.width > 0 {
			p.replace(string(from.text[at:end]), s.source, s.width)
		} else {
			p.append(from.text[at:end], s.source+at-s.at)
		}
		at = end
	}
}

// slice returns a part that is a part of the document as it is.
func slice(text []byte, from, to int) part {
	return part{text[from:to], []span{{0, from, 0}}}
}

// A resolver returns the character that a reference is to, such as &amp;, or what
// is none as it is. next is the octet after it, 0 at the end.
type resolver func(ref string, next byte) string

// inText resolves a reference in the text of HTML (HTML §13.2.5.73).
func inText(ref string, _ byte) string { return html.UnescapeString(ref) }

// inAttribute resolves a reference in an attribute of HTML. A name without a
// semicolon before a letter, a digit or "=" is none there.
func inAttribute(ref string, next byte) string {
	text := html.UnescapeString(ref)
	switch {
	case strings.HasPrefix(ref, "&#"):
	case strings.HasSuffix(ref, ";"):
		if strings.HasSuffix(text, ";") && ref != "&semi;" {
			return ref
		}
	case next == '=' || utf8.RuneCountInString(text) > 1:
		return ref
	}
	return text
}

// inXML resolves a reference in XML and Markdown, where it ends with a semicolon
// and is what that holds (XML §4.1, CommonMark §2.5).
func inXML(ref string, _ byte) string { return referred(ref) }

// decoded returns a part of the document with references to characters replaced
// by those.
func decoded(text []byte, from, to int, resolve resolver) part {
	if bytes.IndexByte(text[from:to], '&') < 0 {
		return slice(text, from, to)
	}
	var p part
	for from < to {
		n := bytes.IndexByte(text[from:to], '&')
		if n < 0 {
			n = to - from
		}
		p.append(text[from:from+n], from)
		if from += n; from == to {
			break
		}
		ref, next := reference(text[from:to]), byte(0)
		if from+ref < to {
			next = text[from+ref]
		}
		p.replace(resolve(string(text[from:from+ref]), next), from, ref)
		from += ref
	}
	return p
}

// unreferenced returns a text with references to characters replaced as in XML.
func unreferenced(text string) string {
	return string(decoded([]byte(text), 0, len(text), inXML).text)
}

// reference returns the length of what may be a reference to a character, with
// whose "&" a text starts.
func reference(text []byte) int {
	n := 1
	for n < len(text) && n < 40 && (text[n] == '#' || isWord(text[n])) {
		n++
	}
	if n < len(text) && text[n] == ';' {
		n++
	}
	return n
}

func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// isSpace reports whether an octet is white space in HTML (Infra §4.6), and so in
// CSS.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }
