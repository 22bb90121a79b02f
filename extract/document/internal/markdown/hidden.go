package markdown

import (
	"bytes"
	"slices"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
)

// A generator may read tags of its own before it reads Markdown: Liquid in Jekyll and Eleventy, shortcodes in Hugo. It
// reads them in code, too. hidden replaces the parts between such tags that are comments or code by blanks, so that
// offsets and lines stay the same.

// hidden returns text with its comments and its code in the tags of the generator d replaced by blanks. It does not
// change text, which it returns if it has no such tags.
func hidden(text []byte, d dialect.Dialect) []byte {
	h := hider{text: text}
	if d.Liquid {
		h.hideTags(liquid)
	}
	if d.Shortcodes {
		for _, s := range shortcodes {
			h.hideTags(s)
		}
	}
	if d.Kramdown {
		h.hideExtensions()
	}
	return h.text
}

// A hider replaces parts of a text.
type hider struct {
	text   []byte
	copied bool // text is a copy, which may be changed
	end    int  // the result of the last call of endTag, or 0
}

// hide replaces the bytes of a range by blanks, except for its line breaks.
func (h *hider) hide(from, to int) {
	h.replace(from, to, func(c byte) bool { return !isLineBreak(c) })
}

// replace replaces the bytes of a range for which isHidden returns true by blanks. It copies the text before the first
// change.
func (h *hider) replace(from, to int, isHidden func(c byte) bool) {
	if !h.copied {
		h.text, h.copied = bytes.Clone(h.text), true
	}
	for i := from; i < to; i++ {
		if isHidden(h.text[i]) {
			h.text[i] = ' '
		}
	}
}

// A tagSyntax is a way to write tags.
type tagSyntax struct {
	open, close string
	end         string   // stands before the name in an end tag
	hides       []string // the tags whose content is a comment or code
	raw         string   // the tag in whose content no other tags are read; "" if there is none
	comment     byte     // begins a tag that is a comment; 0 if there is no such tag
}

var (
	liquid     = tagSyntax{open: "{%", close: "%}", end: "end", hides: []string{"comment", "highlight"}, raw: "raw", comment: '#'}
	shortcodes = []tagSyntax{
		{open: "{{<", close: ">}}", end: "/", hides: []string{"comment", "highlight"}},
		{open: "{{%", close: "%}}", end: "/", hides: []string{"comment", "highlight"}},
	}
)

// A tag is a tag in the text.
type tag struct {
	from, to int
	name     string // with the mark of an end tag
}

// next returns the first tag in this syntax at or after an offset. ok is false if no tag follows, or if the tag is not
// closed.
func (s tagSyntax) next(text []byte, at int) (t tag, ok bool) {
	from := bytes.Index(text[at:], []byte(s.open))
	if from < 0 {
		return tag{}, false
	}
	from += at
	inside := text[from+len(s.open):]
	length := bytes.Index(inside, []byte(s.close))
	if length < 0 {
		return tag{}, false
	}
	inside = inside[:min(length, emit.MaxLabel)]
	word := bytes.TrimLeft(bytes.TrimLeft(inside, "-"), " \t\r\n")
	isEnd := s.end == "/" && bytes.HasPrefix(word, []byte{'/'})
	if isEnd {
		word = bytes.TrimLeft(word[1:], " \t\r\n")
	}
	if end := bytes.IndexAny(word, " \t\r\n-"); end >= 0 {
		word = word[:end]
	}
	name := string(word)
	if isEnd {
		name = s.end + name
	}
	return tag{from: from, to: from + len(s.open) + length + len(s.close), name: name}, true
}

// hideTags replaces by blanks the elements of the syntax s that are comments or code, with their tags.
func (h *hider) hideTags(s tagSyntax) {
	var unended []string // the tags that do not end in the rest of the text
	for at := 0; ; {
		t, ok := s.next(h.text, at)
		if !ok {
			return
		}
		at = t.to
		isHidden := slices.Contains(s.hides, t.name)
		switch {
		case s.comment != 0 && len(t.name) > 0 && t.name[0] == s.comment:
			h.hide(t.from, t.to)
		case !isHidden && t.name != s.raw || t.name == "" || slices.Contains(unended, t.name):
		default:
			end, ok := s.endOf(h.text, t)
			switch {
			case !ok:
				unended = append(unended, t.name)
				continue
			case isHidden:
				h.hide(t.from, end.to)
			}
			at = end.to
		}
	}
}

// endOf returns the end tag of the element that the tag start begins. Comments may be nested; other elements end at the
// first end tag of their name. ok is false if the element has no end tag.
func (s tagSyntax) endOf(text []byte, start tag) (end tag, ok bool) {
	for at, depth := start.to, 1; ; at = end.to {
		if end, ok = s.next(text, at); !ok {
			return tag{}, false
		}
		switch end.name {
		case s.end + start.name:
			if depth--; depth == 0 {
				return end, true
			}
		case start.name:
			if start.name == "comment" {
				depth++
			}
		}
	}
}

// hideExtensions hides the comments of kramdown, {::comment} … {:/comment}, and the brackets in {::nomarkdown} …
// {:/nomarkdown}, whose content is HTML. It ignores extensions in code, unlike hideTags.
func (h *hider) hideExtensions() {
	if !bytes.Contains(h.text, []byte("{::")) {
		return
	}
	var fence []byte
	past := 0 // the end of the last extension
	for at, line := range emit.Lines(h.text, 0) {
		rest := bytes.TrimLeft(line, " ")
		switch {
		case at+len(line) <= past:
			continue
		case at < past: // the line follows an extension
		case fence != nil:
			if n := runLength(rest, fence[0]); n >= len(fence) && isBlank(bytes.TrimRight(rest[n:], "\r\n")) {
				fence = nil
			}
			continue
		case len(line)-len(rest) >= 4:
			continue
		case bytes.HasPrefix(rest, []byte("```")), bytes.HasPrefix(rest, []byte("~~~")):
			fence = rest[:runLength(rest, rest[0])]
			continue
		}
		for past < at+len(line) {
			end := h.hideExtension(max(at, past), at+len(line))
			if end == 0 {
				break
			}
			past = end
		}
	}
}

// hideExtension hides the first extension of kramdown that starts in a range. It returns the offset at which the search
// continues: the end of the extension, or the end of its start tag if it is not hidden. It returns 0 if no extension
// starts in the range.
func (h *hider) hideExtension(from, to int) (end int) {
	n := bytes.Index(h.text[from:to], []byte("{::"))
	if n < 0 {
		return 0
	}
	from += n
	length := bytes.IndexByte(h.text[from:to], '}')
	if length < 0 {
		return 0
	}
	start := from + length + 1
	name := string(bytes.TrimSpace(h.text[from+len("{::") : start-1]))
	if from > 0 && h.text[from-1] == '`' || name != "comment" && name != "nomarkdown" {
		return start
	}
	stop := h.endTag(start)
	if stop == len(h.text) {
		return start
	}
	length = bytes.IndexByte(h.text[stop:min(stop+len("{:/nomarkdown}"), len(h.text))], '}')
	if length < 0 {
		return start
	}
	end = stop + length + 1
	if name == "comment" {
		h.hide(from, end)
	} else {
		h.replace(start, stop, func(c byte) bool { return c == '[' || c == ']' })
	}
	return end
}

// endTag returns the offset of the first end tag of an extension of kramdown, "{:/", at or after from. It returns the
// length of the text if there is none. from is greater than 0, and never less than in the call before. endTag remembers
// its result, because otherwise many start tags before a distant end tag would take quadratic time.
func (h *hider) endTag(from int) int {
	if h.end >= from {
		return h.end
	}
	h.end = len(h.text)
	if n := bytes.Index(h.text[from:], []byte("{:/")); n >= 0 {
		h.end = from + n
	}
	return h.end
}
