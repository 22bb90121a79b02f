package markdown

import (
	"sort"
	"unicode"
	"unicode/utf8"
)

// A delimiter is a run of "*", "_" or "~" that may begin or end emphasis (CommonMark §6.2, GFM §6.5).
type delimiter struct {
	at, n         int
	c             byte
	opens, closes bool
}

// The limits of a heading in which emphasis is read.
const (
	maxEmphasis = 16 << 10 // the length of its text
	maxOpen     = 64       // the delimiters that are open at the same time
)

// emphasis returns the ranges of the delimiters of emphasis in text, a heading, as marks of the kind markNothing,
// because a browser does not show them. It ignores delimiters in marks. It returns nil for a very long text.
func emphasis(text []byte, marks []headingMark) (found []headingMark) {
	if len(text) > maxEmphasis {
		return nil
	}
	var open []delimiter
	for _, d := range delimiters(text, marks) {
		for d.closes && d.n > 0 {
			i := len(open) - 1
			for i >= 0 && (open[i].c != d.c || d.c == '~' && open[i].n != d.n) {
				i--
			}
			if i < 0 {
				break
			}
			o := &open[i]
			use := min(o.n, d.n, 2)
			o.n -= use
			found = append(found, headingMark{o.at + o.n, o.at + o.n + use, markNothing}, headingMark{d.at, d.at + use, markNothing})
			d.at, d.n = d.at+use, d.n-use
			open = open[:i+1]
			if o.n == 0 {
				open = open[:i]
			}
		}
		if d.opens && d.n > 0 && len(open) < maxOpen {
			open = append(open, d)
		}
	}
	return found
}

// delimiters returns the runs of delimiters in text, in order. It ignores delimiters in marks, except in descriptions
// of images, and after a backslash.
func delimiters(text []byte, marks []headingMark) (all []delimiter) {
	marks = append([]headingMark(nil), marks...)
	sort.Slice(marks, func(i, j int) bool { return marks[i].from < marks[j].from })
	for at := 0; at < len(text); {
		for len(marks) > 0 && (marks[0].to <= at || marks[0].kind == markImage) {
			marks = marks[1:]
		}
		switch c := text[at]; {
		case len(marks) > 0 && marks[0].from <= at:
			at = marks[0].to
		case c == '\\':
			at += 2
		case c == '*' || c == '_' || c == '~':
			end := at
			for end < len(text) && text[end] == c {
				end++
			}
			all = append(all, newDelimiter(text, at, end))
			at = end
		default:
			at++
		}
	}
	return all
}

// newDelimiter returns the delimiter that consists of text[from:to], a run of one byte. The characters around it decide
// whether it may begin or end emphasis.
func newDelimiter(text []byte, from, to int) delimiter {
	before, _ := utf8.DecodeLastRune(text[:from])
	after, _ := utf8.DecodeRune(text[to:])
	isGap := func(c rune) bool { return c == utf8.RuneError || unicode.IsSpace(c) }
	isMark := func(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) }
	isLeft := !isGap(after) && (!isMark(after) || isGap(before) || isMark(before))
	isRight := !isGap(before) && (!isMark(before) || isGap(after) || isMark(after))
	d := delimiter{at: from, n: to - from, c: text[from], opens: isLeft, closes: isRight}
	switch d.c {
	case '_':
		d.opens, d.closes = isLeft && (!isRight || isMark(before)), isRight && (!isLeft || isMark(after))
	case '~':
		d.opens, d.closes = isLeft && d.n <= 2, isRight && d.n <= 2
	}
	return d
}
