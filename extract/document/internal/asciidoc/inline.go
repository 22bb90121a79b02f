package asciidoc

import (
	"bytes"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/markup"
)

// maxSpan is the length of the longest passthrough, monospaced text and list of attributes that is read. Because each
// of them is searched for its end, a limit keeps the time linear.
const maxSpan = 1 << 10

// isInlineStart has the bytes at which a construct may begin, or by which it is recognised.
var isInlineStart = [256]bool{'\\': true, '`': true, '+': true, '$': true, '<': true, '[': true, '{': true, ':': true}

// unknownOffset is the value of an offset that was not searched for yet.
const unknownOffset = -2

// A textRange is the range of text that is read.
type textRange struct {
	from, to     int
	lastBracket  int // the offset of the last "]", -1 if there is none, or unknownOffset
	lastAngles   int // the offset of the last ">>", likewise
	monospaceEnd int // the offset after the last monospaced text
	linkEnd      int // the offset of the "]" after the text of the last link

	// No "[" follows a target of a link, or the name of a file, that begins before these offsets.
	bareLinks, bareFiles int
}

// readText adds the references and the names in a range of the piece, and skips code if Options.SkipCode is set. It
// does not look for plain URLs.
func (r *reader) readText(from, to int) {
	r.within = textRange{from: from, to: to, lastBracket: unknownOffset, lastAngles: unknownOffset}
	for i := from; i < to; {
		if !isInlineStart[r.Text[i]] {
			i++
			continue
		}
		i = max(r.readInline(i), i+1)
	}
}

// readInline reads the construct at the byte of the offset at, which is a mark that begins the construct, or the colon
// after the name of a macro. It returns the offset at which reading continues, or 0 if no construct was read.
func (r *reader) readInline(at int) (next int) {
	switch r.Text[at] {
	case '\\':
		return r.readEscape(at)
	case '`':
		return r.readMonospace(at)
	case '+', '$':
		return r.readPassthrough(at)
	case '<':
		return r.readCrossReference(at)
	case '[':
		return r.readName(at)
	case '{':
		return r.readReference(at)
	}
	return r.readMacro(at)
}

// rest returns the text from an offset to the end of the range that is read. It is empty after the end.
func (r *reader) rest(at int) []byte { return r.Text[min(at, r.within.to):r.within.to] }

// near returns at most maxSpan bytes of r.rest(at).
func (r *reader) near(at int) []byte {
	rest := r.rest(at)
	return rest[:min(len(rest), maxSpan)]
}

// hasBracketAfter reports whether the range that is read has a "]" after at. Without it, the text would be searched
// again for each macro.
func (r *reader) hasBracketAfter(at int) bool {
	if r.within.lastBracket == unknownOffset {
		r.within.lastBracket = bytes.LastIndexByte(r.Text[:r.within.to], ']')
	}
	return r.within.lastBracket > at
}

// hasAnglesAfter reports whether the range that is read has a ">>" after at. Without it, the text would be searched
// again for each cross reference.
func (r *reader) hasAnglesAfter(at int) bool {
	if r.within.lastAngles == unknownOffset {
		r.within.lastAngles = bytes.LastIndex(r.Text[:r.within.to], []byte(">>"))
	}
	return r.within.lastAngles > at
}

// bracketEnd searches the range from the offset at on for a "]" without a backslash before it, and returns its offset,
// or -1 if the range has no such "]".
func (r *reader) bracketEnd(at int) int {
	if !r.hasBracketAfter(at - 1) {
		return -1
	}
	for i := at; i < r.within.to; i++ {
		n := bytes.IndexByte(r.rest(i), ']')
		if n < 0 {
			return -1
		}
		if i += n; i == at || r.Text[i-1] != '\\' {
			return i
		}
	}
	return -1
}

// readEscape passes over the construct after the backslash at an offset, so that it is not read. It returns the offset
// after the start of the construct, or 0 if no construct follows. A URL is skipped as a whole.
func (r *reader) readEscape(at int) (next int) {
	rest := r.rest(at + 1)
	for _, mark := range []string{"<<", "[[", "++", "$$", "{", "`", "+"} {
		if bytes.HasPrefix(rest, []byte(mark)) {
			return at + 1 + len(mark)
		}
	}
	colon := bytes.IndexByte(rest[:min(len(rest), maxName+1)], ':')
	if colon < 0 {
		return 0
	}
	m, ok := macroAt(rest[:colon+1], colon)
	if !ok || len(m.name) != colon {
		return 0
	}
	if m.kind == mailMacro || m.kind == urlMacro && bytes.HasPrefix(rest[colon:], []byte("://")) {
		end := r.readTarget(at+1, isURLEnd).end
		r.Skip(at, end)
		return end
	}
	return at + 1 + colon + 1
}

// readMonospace returns the offset after the one or two backticks at an offset. If Options.SkipCode is set, it also
// skips the URLs in the monospaced text, because they are examples; macros in the text are still read.
func (r *reader) readMonospace(at int) (next int) {
	mark := []byte("`")
	if bytes.HasPrefix(r.rest(at), []byte("``")) {
		mark = []byte("``")
	}
	from := at + len(mark)
	if at < r.within.monospaceEnd || !r.Options.SkipCode {
		return from
	}
	line, _, _ := bytes.Cut(r.near(from), []byte("\n"))
	end := bytes.Index(line, mark)
	if end <= 0 {
		return from
	}
	r.within.monospaceEnd = from + end + len(mark)
	r.Skip(at, r.within.monospaceEnd)
	return from
}

// readPassthrough reads the text between two equal marks: HTML after "+++", and otherwise literal text, which it
// searches for URLs unless Options.SkipCode is set. It returns the offset after the second mark, or 0 if there are no
// such marks.
func (r *reader) readPassthrough(at int) (next int) {
	mark := passMark(r.rest(at))
	if mark == "" {
		return 0
	}
	from := at + len(mark)
	end := -1
	if len(mark) > 1 {
		end = bytes.Index(r.near(from), []byte(mark))
	} else if isOutside := at == r.within.from || !isWord(r.Text[at-1]) && strings.IndexByte(`;:\`, r.Text[at-1]) < 0; isOutside {
		end = r.singlePlusEnd(from)
	}
	if end < 0 {
		return 0
	}
	past := from + end + len(mark)
	if mark == "+++" {
		r.readHTML(from, from+end)
		return past
	}
	if !r.Options.SkipCode {
		r.ReadText(emit.Slice(r.Text, from, from+end), "")
	}
	r.Skip(at, past)
	return past
}

// passMark returns the mark of a passthrough, such as "+++" or "$$", at the start of text, or "" if text does not start
// with a mark.
func passMark(text []byte) string {
	for _, mark := range []string{"+++", "++", "$$", "+"} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return mark
		}
	}
	return ""
}

// singlePlusEnd returns the length of a passthrough's text, which starts at from, after a "+". The text ends before the
// next "+" that is alone, and must not begin or end with white space. It returns -1 if no such "+" ends the text.
func (r *reader) singlePlusEnd(from int) int {
	near := r.near(from)
	if len(near) == 0 || markup.IsSpace(near[0]) {
		return -1
	}
	for end := 1; end < len(near); end++ {
		n := bytes.IndexByte(near[end:], '+')
		if n < 0 {
			return -1
		}
		end += n
		isRun := near[end-1] == '+' || end+1 < len(near) && near[end+1] == '+' // a mark of another passthrough
		if past := from + end + 1; !isRun && !markup.IsSpace(near[end-1]) && (past >= r.within.to || !isWord(r.Text[past])) {
			return end
		}
	}
	return -1
}

// readCrossReference adds the target of a cross reference such as <<id>> and <<id,text>>. It returns the offset after
// the reference, or 0 if there is no reference.
func (r *reader) readCrossReference(at int) (next int) {
	from := at + len("<<")
	inner := r.rest(from)
	if !bytes.HasPrefix(r.rest(at), []byte("<<")) || len(inner) == 0 || !isXrefStart(inner[0]) || !r.hasAnglesAfter(from) {
		return 0
	}
	inner = inner[:bytes.Index(inner, []byte(">>"))]
	past := from + len(inner) + len(">>")
	target, _, _ := bytes.Cut(inner, []byte(","))
	target = bytes.TrimRight(target, " \t\r\n")
	if text, ok := r.attributes.substitute(string(target)); ok {
		r.addXref(text, from, from+len(target), false)
	}
	return past
}

// isXrefStart reports whether the target of a cross reference may begin with c.
func isXrefStart(c byte) bool {
	return isWord(c) || c >= 0x80 || strings.IndexByte("#/.:{", c) >= 0
}

// readReference reads the reference to an attribute at an offset, such as {home}/x. If the value of the attribute
// begins a URL or the macro "link:", readReference adds the URL or the link. It returns the offset at which reading
// continues, or 0 if no reference is at the offset.
func (r *reader) readReference(at int) (next int) {
	n := referenceLength(r.near(at))
	if n == 0 {
		return 0
	}
	value, ok := r.attributes.get(string(r.Text[at+1 : at+n-1]))
	if !ok || strings.ContainsAny(value, " []") || at > r.within.from && ascii.IsLetterOrDigit(r.Text[at-1]) {
		return at + n
	}
	if strings.HasPrefix(value, "link:") {
		if t := r.readTarget(at, isURLEnd); t.isKnown && r.isBracketAt(t.end) {
			r.AddReference(at, t.end, strings.TrimPrefix(t.text, "link:"), "link")
			return t.end
		}
	}
	if !strings.Contains(value, "://") {
		return at + n
	}
	return r.readURL(at)
}

// readURL adds the URL at an offset if it is a macro, or has attributes or marks that the text does not show. Other
// URLs are found as plain text. It skips a URL with an unknown attribute, and returns the end of the URL in any case.
func (r *reader) readURL(at int) (next int) {
	t := r.readTarget(at, isURLEnd)
	isMacro := r.isBracketAt(t.end)
	switch {
	case !t.isKnown:
		r.Skip(at, t.end)
	case isMacro:
		r.AddReference(t.from, t.end, t.text, "link")
		r.within.linkEnd = r.bracketEnd(t.end + 1)
	case r.IsSkipped(at):
	case t.isPlain:
		if end := r.formattedEnd(t); end > 0 {
			r.AddReference(t.from, end, string(r.Text[t.from:end]), "link")
		}
	default:
		r.AddReference(t.from, t.end, strings.TrimRight(t.text, ".,;:!?)"), "link")
	}
	return t.end
}

// formattedEnd returns the end of a URL that is the whole of a formatted text, such as _http://h/_, or 0. The mark does
// not belong to the URL, because Asciidoctor formats text before it finds URLs.
func (r *reader) formattedEnd(t target) int {
	for _, mark := range []string{"__", "_", "##", "#", "~"} {
		start := t.from - len(mark)
		if start < r.within.from || string(r.Text[start:t.from]) != mark || len(mark) == 1 && start > r.within.from && isWord(r.Text[start-1]) {
			continue
		}
		shown := bytes.TrimRight(r.Text[t.from:t.end], ".,;:!?)")
		if bare, ok := bytes.CutSuffix(shown, []byte(mark)); ok {
			return t.from + len(bare)
		}
	}
	return 0
}

// isBracketAt reports whether the text of a macro, such as [text], begins at an offset.
func (r *reader) isBracketAt(at int) bool {
	return at < r.within.to && r.Text[at] == '[' && r.hasBracketAfter(at)
}

// readName calls Options.Anchor with the name that [[name]] or [#name]#text# gives. It returns an offset after the
// name, or 0 if there is no name or Options.Anchor is nil.
func (r *reader) readName(at int) (next int) {
	if r.Options.Anchor == nil {
		return 0
	}
	near := r.near(at)
	if name, ok := bytes.CutPrefix(near, []byte("[[")); ok {
		name = bytes.TrimPrefix(name, []byte("["))
		end := bytes.IndexAny(name, ",]\n \t[")
		if end > 0 && (name[end] == ']' || name[end] == ',') {
			r.Options.Anchor(string(name[:end]))
			return at + len("[[") + end
		}
		return 0
	}
	end := bytes.IndexAny(near[1:], "[]\n")
	if end < 0 || near[1+end] != ']' {
		return 0
	}
	past := at + 1 + end + 1
	if name := idIn(string(near[1 : 1+end])); name != "" && r.isAttributeList(at, past) {
		r.Options.Anchor(name)
		return past
	}
	return 0
}

// isAttributeList reports whether the brackets at [at, past) are a list of attributes, because they are the whole line
// or stand before formatted text.
func (r *reader) isAttributeList(at, past int) bool {
	if past < r.within.to && strings.IndexByte("#*_`^~+", r.Text[past]) >= 0 {
		return true
	}
	line, _, _ := bytes.Cut(r.rest(past), []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0 && (at == r.within.from || r.Text[at-1] == '\n')
}

// idIn returns the id in a list of attributes such as "quote#name.role" and "id=name", or "" if the list has no id.
func idIn(list string) string {
	if id := attributeIn(list, "id"); id.text != "" {
		return id.text
	}
	first, _, _ := strings.Cut(list, ",")
	_, id, _ := strings.Cut(first, "#")
	if end := strings.IndexAny(id, ".%#"); end >= 0 {
		id = id[:end]
	}
	return strings.TrimSpace(id)
}

// A value is the value of an attribute in a list, with its offset.
type value struct {
	text string
	at   int
}

// attributeIn returns the value of the named attribute in a list of attributes, with its offset in list. A value may be
// in quotation marks, which are left out. attributeIn returns the zero value if the list does not have the attribute.
func attributeIn(list, name string) value {
	for at := 0; at < len(list); {
		item := list[at:]
		start := at + len(item) - len(strings.TrimLeft(item, " \t\r\n"))
		end, quoted := itemEnd(list, start)
		if key, text, ok := strings.Cut(list[start:end], "="); ok && strings.TrimSpace(key) == name {
			from := start + len(key) + 1
			from += len(text) - len(strings.TrimLeft(text, " \t"))
			text = strings.TrimSpace(text)
			if quoted && len(text) >= 2 {
				text, from = text[1:len(text)-1], from+1
			}
			return value{text, from}
		}
		at = end + 1
	}
	return value{}
}

// itemEnd returns the offset of the comma after the item that begins at start, or the end of the list. quoted is true
// if the item or its value is in quotation marks.
func itemEnd(list string, start int) (end int, quoted bool) {
	for i := start; i < len(list); i++ {
		switch c := list[i]; {
		case c == ',':
			return i, quoted
		case (c == '"' || c == '\'') && (i == start || list[i-1] == '='):
			if n := strings.IndexByte(list[i+1:], c); n >= 0 {
				i, quoted = i+1+n, true
			}
		}
	}
	return len(list), quoted
}
