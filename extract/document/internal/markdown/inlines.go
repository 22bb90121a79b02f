package markdown

import (
	"bytes"
	"unicode/utf8"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
)

// An inlineReader reads the inlines of Markdown (CommonMark §6) but emphasis, which adds no
// links. It takes linear time.
type inlineReader struct {
	handler  inlineHandler
	hasLabel func(label string) bool // whether a link reference is defined

	text     []byte // of a paragraph or a heading
	brackets []bracket
	inactive int // the brackets before this one start no link: a link in them is complete

	hasRuns  bool
	lastRuns []int // by their length: the place of the last run of backticks, plus 1

	unended [len(htmlRanges)]bool // what does not end any more
}

// An inlineHandler takes the inlines of a text. Places are places in the text.
type inlineHandler interface {
	// readDestination takes the destination of a link or an image, unless a definition has it.
	readDestination(from, to int, isImage bool)
	// readAutolink takes what stands between "<" and ">".
	readAutolink(from, to int, isMail bool)
	// readCodeSpan takes what stands between backticks.
	readCodeSpan(from, to int)
	// readHTML takes a tag, or a comment and the like.
	readHTML(from, to int)
	// mark takes a range that is not shown as it is written.
	mark(from, to int, kind markKind)
}

// A markKind says what is shown of a range.
type markKind uint8

const (
	markNothing markKind = iota // nothing
	markCode                    // a code span: its text
	markLink                    // an autolink: its text
)

// A bracket is a "[" that may start a link, or an image.
type bracket struct {
	at      int
	isImage bool
	isOuter bool // another bracket comes after it
}

// isMark has the bytes that may start an inline.
var isMark = [256]bool{'\\': true, '`': true, '[': true, ']': true, '!': true, '<': true}

// read reads a text.
func (r *inlineReader) read(text []byte) {
	r.text, r.brackets, r.inactive = text, r.brackets[:0], 0
	r.hasRuns, r.unended = false, [len(htmlRanges)]bool{}
	for at := 0; at < len(text); {
		if !isMark[text[at]] {
			at++
			continue
		}
		at = r.inline(at)
	}
}

// inline reads what starts with a mark, and returns the place after it.
func (r *inlineReader) inline(at int) int {
	switch r.text[at] {
	case '\\':
		if at+1 < len(r.text) && isPunctuation(r.text[at+1]) {
			return at + 2
		}
	case '`':
		return r.backticks(at)
	case '[':
		return r.openBracket(at, false)
	case '!':
		if at+1 < len(r.text) && r.text[at+1] == '[' {
			return r.openBracket(at, true)
		}
	case ']':
		return r.closeBracket(at)
	case '<':
		return r.angle(at)
	}
	return at + 1
}

// backticks reads a code span, or the backticks that start none.
func (r *inlineReader) backticks(at int) int {
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
			r.handler.mark(at, to+n, markCode)
			return to + n
		}
		to += n
	}
}

// findRuns notes where the last run of backticks of each length is.
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

func (r *inlineReader) openBracket(at int, isImage bool) int {
	if n := len(r.brackets); n > 0 {
		r.brackets[n-1].isOuter = true
	}
	r.brackets = append(r.brackets, bracket{at: at, isImage: isImage})
	if isImage {
		return at + 2
	}
	return at + 1
}

// closeBracket reads a "]", and the rest of the link that it may end.
func (r *inlineReader) closeBracket(at int) int {
	n := len(r.brackets) - 1
	if n < 0 {
		return at + 1
	}
	open := r.brackets[n]
	isActive := open.isImage || n >= r.inactive
	r.brackets, r.inactive = r.brackets[:n], min(r.inactive, n)
	if !isActive {
		return at + 1
	}
	end := r.inlineLink(at+1, open.isImage)
	if end == 0 {
		end = r.reference(at+1, open)
	}
	switch {
	case end == 0:
		return at + 1
	case open.isImage:
		r.handler.mark(open.at, end, markNothing)
	default:
		r.handler.mark(open.at, open.at+1, markNothing)
		r.handler.mark(at, end, markNothing)
		r.inactive = n
	}
	return end
}

// inlineLink reads the destination and the title in parentheses at a place. It returns the
// place after them; 0 if there are none.
func (r *inlineReader) inlineLink(at int, isImage bool) int {
	if at == len(r.text) || r.text[at] != '(' {
		return 0
	}
	from, to, next, ok := destination(r.text, skipGap(r.text, at+1))
	if !ok {
		return 0
	}
	end := skipGap(r.text, next)
	if end > next {
		if n := titleEnd(r.text, end); n > 0 {
			end = skipGap(r.text, n)
		}
	}
	if end == len(r.text) || r.text[end] != ')' {
		return 0
	}
	r.handler.readDestination(from, to, isImage)
	return end + 1
}

// reference reads the rest of a reference link: at is the place after "[text]". If "[label]"
// follows there, the link has that label, else the label is the text. It returns the place
// after the link; 0 if no definition has the label.
func (r *inlineReader) reference(at int, open bracket) int {
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

// htmlRanges are what may hold tags that are none (CommonMark §6.6), with their ends.
var htmlRanges = [...]struct{ start, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"}}

// angle reads an autolink, a tag, or a "<" that starts none.
func (r *inlineReader) angle(at int) int {
	rest := r.text[at:]
	if n, isMail := autolinkLength(rest); n > 0 {
		r.handler.readAutolink(at+1, at+n-1, isMail)
		r.handler.mark(at, at+n, markLink)
		return at + n
	}
	n := tagLength(rest)
	if n == 0 {
		n = r.rangeLength(rest)
	}
	if n == 0 {
		return at + 1
	}
	r.handler.readHTML(at, at+n)
	r.handler.mark(at, at+n, markNothing)
	return at + n
}

// rangeLength returns the length of a comment and the like; 0 if there is none.
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

// autolinkLength returns the length of the autolink that a text starts with; 0 if there is
// none (CommonMark §6.5).
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

func isMailByte(c byte) bool {
	return ascii.IsLetter(c) || ascii.IsDigit(c) || c > ' ' && bytes.IndexByte([]byte(".!#$%&'*+/=?^_`{|}~-"), c) >= 0
}

// mailLabelLength returns the length of the label of a host name that a text starts with; 0
// if there is none.
func mailLabelLength(text []byte) int {
	n := 0
	for n < len(text) && (ascii.IsLetter(text[n]) || ascii.IsDigit(text[n]) || text[n] == '-') {
		n++
	}
	if n == 0 || n > 63 || text[0] == '-' || text[n-1] == '-' {
		return 0
	}
	return n
}
