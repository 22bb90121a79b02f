package markdown

import (
	"bytes"
	"unicode/utf8"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
)

// An inlineReader reads the inlines of Markdown (CommonMark §6), except emphasis, because emphasis does not affect
// links. It takes linear time.
type inlineReader struct {
	handler  inlineHandler
	hasLabel func(label string) bool // whether a link reference is defined
	dialect  dialect.Dialect

	text     []byte // the text of a paragraph or a heading
	brackets []bracket
	inactive int // brackets before this one do not start a link, because a link inside them is complete

	images  int      // how many of the brackets may start an image
	pending []inline // the inlines that may be in the description of an image

	hasRuns  bool  // lastRuns is valid for text
	lastRuns []int // lastRuns[n] is 1 plus the offset of the last run of n backticks

	noDollar     bool // the rest of the text has no dollar
	noPercents   bool // the rest of the text has no "%%"
	noExpression bool // the text has a "{" whose expression does not end

	unended [len(htmlRanges)]bool // for each of htmlRanges, whether its end is known to be missing in the rest of the text
}

// An inlineHandler takes the inlines of a text. Offsets are in that text.
type inlineHandler interface {
	// readDestination takes the destination of a link or an image that is written inline. It is called before readLink.
	readDestination(from, to int, isImage bool)
	// readWikiLink takes the target of a wiki link.
	readWikiLink(from, to int)
	// readLink takes the whole of a link or an image, with its text and its title.
	readLink(from, to int)
	// readAutolink takes the text between "<" and ">".
	readAutolink(from, to int, isMail bool)
	// readCodeSpan takes the text between backticks, math with its dollars, or a comment of Obsidian.
	readCodeSpan(from, to int)
	// readRole takes the text of a role of MyST, which is the code span after its name. It is called after readCodeSpan.
	readRole(from, to int)
	// readHTML takes a tag, a comment, or another range of htmlRanges.
	readHTML(from, to int)
	// addMark takes a range whose source differs from the text that is shown.
	addMark(from, to int, kind markKind)
}

// An inline is a part of the text that the handler takes. A description of an image is shown without its links
// (CommonMark §6.4), so while a "![" is open, the inlines are kept until it is known whether it starts an image.
type inline struct {
	kind     inlineKind
	from, to int
}

type inlineKind uint8

const (
	linkDestination inlineKind = iota
	imageDestination
	urlAutolink
	mailAutolink
	wikiLink
	roleText
	rawHTML
)

// add gives an inline at [from, to) to the handler, or keeps it in pending while it may be in the description of an
// image.
func (r *inlineReader) add(kind inlineKind, from, to int) {
	if r.images > 0 {
		r.pending = append(r.pending, inline{kind, from, to})
		return
	}
	r.give(inline{kind, from, to})
}

// give calls the method of the handler for an inline.
func (r *inlineReader) give(i inline) {
	switch i.kind {
	case linkDestination, imageDestination:
		r.handler.readDestination(i.from, i.to, i.kind == imageDestination)
	case urlAutolink, mailAutolink:
		r.handler.readAutolink(i.from, i.to, i.kind == mailAutolink)
	case wikiLink:
		r.handler.readWikiLink(i.from, i.to)
	case roleText:
		r.handler.readRole(i.from, i.to)
	case rawHTML:
		r.handler.readHTML(i.from, i.to)
	}
}

// givePending gives the pending inlines to the handler and forgets them.
func (r *inlineReader) givePending() {
	for _, i := range r.pending {
		r.give(i)
	}
	r.pending = r.pending[:0]
}

// A markKind says which text is shown for a range.
type markKind uint8

const (
	markNothing markKind = iota // no text is shown
	markCode                    // the text of a code span
	markLink                    // the text of an autolink
	markImage                   // no text, or the description of the image
)

// A bracket is a "[" or "![" that may start a link or an image.
type bracket struct {
	at      int
	isImage bool
	isOuter bool // another bracket follows inside it
	pending int  // how many inlines were kept before it
}

// isMark is the set of bytes that may start an inline.
var isMark = [256]bool{'\\': true, '`': true, '[': true, ']': true, '!': true, '<': true, '$': true, '%': true, '{': true}

// read reads the inlines of text, a paragraph or a heading, and gives them to the handler.
func (r *inlineReader) read(text []byte) {
	r.text, r.brackets, r.inactive, r.images = text, r.brackets[:0], 0, 0
	r.hasRuns, r.noDollar, r.noPercents, r.noExpression, r.unended = false, false, false, false, [len(htmlRanges)]bool{}
	for at := 0; at < len(text); {
		if !isMark[text[at]] {
			at++
			continue
		}
		at = r.readInline(at)
	}
	r.givePending()
}

// readInline reads the inline that starts with the mark at offset at, and returns the offset after it. If the mark
// does not start an inline, it returns the offset after the mark.
func (r *inlineReader) readInline(at int) int {
	switch r.text[at] {
	case '\\':
		if at+1 < len(r.text) && isPunctuation(r.text[at+1]) {
			return at + 2
		}
	case '`':
		return r.readBackticks(at)
	case '[':
		if end := r.readWikiLink(at); end > 0 {
			return end
		}
		return r.openBracket(at, false)
	case '!':
		if at+1 < len(r.text) && r.text[at+1] == '[' {
			if end := r.readWikiLink(at + 1); end > 0 {
				return end
			}
			return r.openBracket(at, true)
		}
	case ']':
		return r.closeBracket(at)
	case '<':
		return r.readAngle(at)
	case '$':
		return r.readMath(at)
	case '%':
		return r.readComment(at)
	case '{':
		return r.readExpression(at)
	}
	return at + 1
}

// readBackticks reads the code span at an offset and returns the offset after it. If the backticks do not start a code
// span, it returns the offset after them.
func (r *inlineReader) readBackticks(at int) int {
	length := runLength(r.text[at:], '`')
	from := at + length
	if !r.hasRuns {
		r.findRuns(at)
	}
	if r.lastRuns[length] <= from {
		return from
	}
	for to := from; ; {
		to += bytes.IndexByte(r.text[to:], '`')
		n := runLength(r.text[to:], '`')
		if n == length {
			r.handler.readCodeSpan(from, to)
			r.handler.addMark(at, to+n, markCode)
			if r.dialect.Directives && roleBefore(r.text[:at]) != "" {
				r.add(roleText, from, to)
			}
			return to + n
		}
		to += n
	}
}

// findRuns records in lastRuns where the last run of backticks of each length begins, from an offset on.
func (r *inlineReader) findRuns(at int) {
	r.hasRuns = true
	clear(r.lastRuns)
	for {
		n := bytes.IndexByte(r.text[at:], '`')
		if n < 0 {
			return
		}
		at += n
		length := runLength(r.text[at:], '`')
		for len(r.lastRuns) <= length {
			r.lastRuns = append(r.lastRuns, 0)
		}
		r.lastRuns[length] = at + 1
		at += length
	}
}

// openBracket records the "[", or the "![" if isImage is true, at an offset, and returns the offset after it.
func (r *inlineReader) openBracket(at int, isImage bool) int {
	if n := len(r.brackets); n > 0 {
		r.brackets[n-1].isOuter = true
	}
	r.brackets = append(r.brackets, bracket{at: at, isImage: isImage, pending: len(r.pending)})
	if isImage {
		r.images++
		return at + 2
	}
	return at + 1
}

// closeBracket reads the "]" at an offset, and the rest of the link or image if the bracket ends its text. It returns
// the offset after the link, the image or the "]".
func (r *inlineReader) closeBracket(at int) int {
	n := len(r.brackets) - 1
	if n < 0 {
		return at + 1
	}
	open := r.brackets[n]
	isActive := open.isImage || n >= r.inactive
	r.brackets, r.inactive = r.brackets[:n], min(r.inactive, n)
	end := at + 1
	if isActive {
		end = r.readRest(at, open)
	}
	if open.isImage {
		if r.images--; r.images == 0 {
			r.givePending()
		}
	}
	return end
}

// readRest reads a link or an image from the "]" at an offset on, which ends its text. open is the bracket that begins
// the text. It returns the offset after the link, or after the "]" if the brackets are not a link.
func (r *inlineReader) readRest(at int, open bracket) int {
	from, to, end := r.inlineLink(at + 1)
	if end == 0 {
		end = r.readReference(at+1, open)
	}
	if end == 0 {
		return at + 1
	}
	kind := linkDestination
	if open.isImage {
		kind = imageDestination
		r.pending = r.pending[:open.pending]
		r.handler.addMark(open.at, end, markImage)
		r.handler.addMark(open.at, open.at+len("!["), markNothing)
		r.handler.addMark(at, end, markNothing)
	} else {
		r.handler.addMark(open.at, open.at+1, markNothing)
		r.handler.addMark(at, end, markNothing)
		r.inactive = len(r.brackets)
	}
	if from < to {
		r.add(kind, from, to)
	}
	r.handler.readLink(open.at, end)
	return end
}

// inlineLink reads the destination and the title in parentheses at an offset. It returns the range of the destination,
// and the offset after the parentheses, or 0 if they are missing or invalid.
func (r *inlineReader) inlineLink(at int) (from, to, end int) {
	if at == len(r.text) || r.text[at] != '(' {
		return 0, 0, 0
	}
	from, to, next, ok := parseDestination(r.text, skipGap(r.text, at+1))
	if !ok {
		return 0, 0, 0
	}
	end = skipGap(r.text, next)
	if end > next {
		if n := titleEnd(r.text, end); n > 0 {
			end = skipGap(r.text, n)
		}
	}
	if end == len(r.text) || r.text[end] != ')' {
		return 0, 0, 0
	}
	return from, to, end + 1
}

// readReference reads the rest of a reference link, at the offset after "[text]". If "[label]" follows there, the link
// has that label. Otherwise the text is the label. It returns the offset after the link, or 0 if the label is not
// defined, or if the text would be the label and contains brackets.
func (r *inlineReader) readReference(at int, open bracket) int {
	from := open.at + 1
	if open.isImage {
		from++
	}
	label, end := r.text[from:at-1], at
	if n := labelEnd(r.text, at); n > at+len("[]") {
		label, end = r.text[at+1:n-1], n
	} else {
		if n > 0 {
			end = n
		}
		if open.isOuter {
			return 0
		}
	}
	if utf8.RuneCount(label) > emit.MaxLabel || !r.hasLabel(normalizeLabel(label)) {
		return 0
	}
	return end
}

// htmlRanges are the kinds of raw HTML other than tags, with their start and end (CommonMark §6.6). Text in them may
// look like tags.
var htmlRanges = [...]struct{ start, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"}}

// readAngle reads the autolink or the raw HTML that starts with the "<" at an offset, and returns the offset after it.
// If the "<" does not start either, it returns the offset after the "<".
func (r *inlineReader) readAngle(at int) int {
	rest := r.text[at:]
	if n, isMail := autolinkLength(rest); n > 0 {
		kind := urlAutolink
		if isMail {
			kind = mailAutolink
		}
		r.add(kind, at+1, at+n-1)
		r.handler.addMark(at, at+n, markLink)
		return at + n
	}
	n := tagLength(rest, r.dialect.IsMDX)
	if n == 0 {
		n = r.rangeLength(rest)
	}
	if n == 0 {
		return at + 1
	}
	r.add(rawHTML, at, at+n)
	r.handler.addMark(at, at+n, markNothing)
	return at + n
}

// rangeLength returns the length of the comment, or of another range of htmlRanges, at the start of rest. It returns 0
// if rest does not start with a range that ends in the text.
func (r *inlineReader) rangeLength(rest []byte) int {
	for i, h := range htmlRanges {
		after, ok := bytes.CutPrefix(rest, []byte(h.start))
		if !ok || h.start == "<!" && (len(after) == 0 || !ascii.IsLetter(after[0])) {
			continue
		}
		if h.start == "<!--" {
			for _, short := range []string{">", "->"} {
				if bytes.HasPrefix(after, []byte(short)) {
					return len(h.start) + len(short)
				}
			}
		}
		if r.unended[i] {
			return 0
		}
		n := bytes.Index(after, []byte(h.end))
		if n < 0 {
			r.unended[i] = true
			return 0
		}
		return len(h.start) + n + len(h.end)
	}
	return 0
}

// autolinkLength returns the length of the autolink, with its "<" and ">", at the start of text, which starts with "<"
// (CommonMark §6.5). isMail is true for a mail address. It returns 0 and false if text does not start with an autolink.
func autolinkLength(text []byte) (length int, isMail bool) {
	name := 1
	for name < len(text) && (ascii.IsLetter(text[name]) || name > 1 && (ascii.IsDigit(text[name]) || bytes.IndexByte([]byte("+.-"), text[name]) >= 0)) {
		name++
	}
	if name < len(text) && text[name] == ':' && name-1 >= 2 && name-1 <= 32 {
		end := name + 1
		for end < len(text) && text[end] > ' ' && text[end] != '<' && text[end] != '>' && text[end] != 0x7f {
			end++
		}
		if end < len(text) && text[end] == '>' {
			return end + 1, false
		}
		return 0, false
	}
	at := 1
	for at < len(text) && isMailByte(text[at]) {
		at++
	}
	if at == 1 || at == len(text) || text[at] != '@' {
		return 0, false
	}
	for at < len(text) && (text[at] == '@' || text[at] == '.') {
		n := mailLabelLength(text[at+1:])
		if n == 0 {
			return 0, false
		}
		at += 1 + n
		if at < len(text) && text[at] == '@' {
			return 0, false
		}
	}
	if at < len(text) && text[at] == '>' {
		return at + 1, true
	}
	return 0, false
}

// isMailByte reports whether c may be in the local part of a mail address.
func isMailByte(c byte) bool {
	return ascii.IsLetterOrDigit(c) || c > ' ' && bytes.IndexByte([]byte(".!#$%&'*+/=?^_`{|}~-"), c) >= 0
}

// mailLabelLength returns the length of the label of a host name at the start of text, or 0 if text does not start with
// a valid label.
func mailLabelLength(text []byte) int {
	n := 0
	for n < len(text) && (ascii.IsLetterOrDigit(text[n]) || text[n] == '-') {
		n++
	}
	if n == 0 || n > 63 || text[0] == '-' || text[n-1] == '-' {
		return 0
	}
	return n
}
