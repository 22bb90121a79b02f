// Package css reads style sheets, and the style elements and attributes of HTML and XML.
package css

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/markup"
)

// Read reads url(…), @import, and the strings in image-set(…). It leaves out the url() of @namespace, because that is
// only a name.
func Read(d *emit.Emitter) {
	d.InOrder = true
	images := 0          // how many brackets are open, including the bracket of image-set; 0 outside image-set
	inNamespace := false // after @namespace, before the end of its statement
	starts := ascii.Bytes(startBytes)
	for i := 0; i < len(d.Text); {
		if !starts.Has(d.Text[i]) {
			i++
			continue
		}
		switch rest := d.Text[i:]; {
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return
			}
			i += 2 + end + 2
		case hasFold(rest, "url(") && (i == 0 || !isName(d.Text[i-1])):
			from, to, end := urlArgument(d.Text, i+len("url("))
			if !inNamespace {
				d.AddReference(from, to, unescape(d.Text[from:to]), "url()")
			}
			if i = end; images > 0 {
				images++
			}
		case images == 0 && hasFold(rest, "image-set("):
			images, i = 1, i+len("image-set(")
		case images > 0 && rest[0] == '(':
			images, i = images+1, i+1
		case images > 0 && rest[0] == ')':
			images, i = images-1, i+1
		case hasFold(rest, "@import"):
			i = skipBlanks(d.Text, i+len("@import"))
			if i < len(d.Text) && (d.Text[i] == '"' || d.Text[i] == '\'') {
				from, to, _ := stringAt(d.Text, i)
				d.AddReference(from, to, unescape(d.Text[from:to]), "@import")
			}
		case hasFold(rest, "@namespace"):
			inNamespace, i = true, i+len("@namespace")
		case rest[0] == ';' || rest[0] == '}':
			inNamespace, i = false, i+1
		case rest[0] == '"' || rest[0] == '\'':
			from, to, end := stringAt(d.Text, i)
			if images == 1 {
				d.AddReference(from, to, unescape(d.Text[from:to]), "image-set()")
			}
			i = end
		default:
			i++
		}
	}
}

// startBytes are the bytes at which Read must look closer.
const startBytes = "/uUiI()@;}\"'"

// MayHaveURL returns false if Read finds no URL in css. It is quicker than Read, and may return true without cause.
func MayHaveURL(css []byte) bool {
	return bytes.IndexByte(css, '(') >= 0 || bytes.IndexByte(css, '@') >= 0
}

// skipBlanks returns the offset after the white space and the comments that start at offset i. It returns len(text) if
// a comment does not end.
func skipBlanks(text []byte, i int) int {
	for {
		i = markup.SkipSpace(text, i)
		if !bytes.HasPrefix(text[i:], []byte("/*")) {
			return i
		}
		end := bytes.Index(text[i+2:], []byte("*/"))
		if end < 0 {
			return len(text)
		}
		i += 2 + end + 2
	}
}

// urlArgument returns where the URL in url(…) starts and ends, without quotation marks and the white space around it,
// and the offset end at which reading continues. i is the offset after the "(".
func urlArgument(text []byte, i int) (from, to, end int) {
	from = markup.SkipSpace(text, i)
	if from < len(text) && (text[from] == '"' || text[from] == '\'') {
		return stringAt(text, from)
	}
	to = from
	for to < len(text) && text[to] != ')' && !isBreak(text[to]) {
		if text[to] == '\\' {
			to++
		}
		to++
	}
	to = min(to, len(text))
	end = to
	for to > from && markup.IsSpace(text[to-1]) {
		to--
	}
	return from, to, end
}

// stringAt returns where the text in the quotation marks that open at offset i starts and ends, and the offset after
// the closing mark. The end of a line also ends the text.
func stringAt(text []byte, i int) (from, to, end int) {
	quote := text[i]
	from = i + 1
	for to = from; to < len(text) && !isBreak(text[to]); to++ {
		switch text[to] {
		case quote:
			return from, to, to + 1
		case '\\':
			to += max(breakLength(text[to+1:]), 1)
		}
	}
	to = min(to, len(text))
	return from, to, to
}

// isBreak reports whether c ends a line (CSS Syntax §3.3).
func isBreak(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

// breakLength returns the length of the line break at the start of text, or 0 if there is none. CR LF is one break.
func breakLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case len(text) > 0 && isBreak(text[0]):
		return 1
	}
	return 0
}

// unescape returns text with its escapes replaced by the text that they stand for. An escape is a backslash before a
// byte, before a line break, which is left out, or before up to six hex digits (CSS Syntax §4.3.7).
func unescape(text []byte) string {
	return string(emit.ReplaceEscapes(text, 0, '\\', func(rest []byte) (size int, resolved string) {
		size = 1
		for size < min(7, len(rest)) && ascii.IsHex(rest[size]) {
			size++
		}
		switch n := breakLength(rest[1:]); {
		case len(rest) == 1:
			return 1, "\\"
		case n > 0:
			return 1 + n, ""
		case size == 1:
			return 2, string(rest[1:2])
		}
		code, _ := strconv.ParseUint(string(rest[1:size]), 16, 32)
		if size < len(rest) && markup.IsSpace(rest[size]) {
			size += max(breakLength(rest[size:]), 1)
		}
		return size, string(cmp.Or(rune(code), utf8.RuneError))
	}).Text)
}

// isName reports whether c may be in the name of a CSS identifier.
func isName(c byte) bool { return ascii.IsLetterOrDigit(c) || c == '-' || c == '_' || c >= 0x80 }

// hasFold reports whether text starts with prefix, in upper or lower case.
func hasFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}
