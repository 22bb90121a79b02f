package content

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	narrowText = 40  // a text with shorter lines was not broken into lines for a terminal
	wideText   = 100 // longer lines were not broken, either
	ragged     = 15  // how much shorter than the longest line a broken line may be
)

// Reflow joins the lines of each paragraph of a text that was broken into lines for a terminal, so that a narrow screen
// can break the paragraphs at other places. It keeps the lines of lists, tables, drawings and headings, as far as their
// form shows them. If the text has no such paragraph, Reflow returns it unchanged.
func Reflow(text string) string {
	lines := strings.Split(text, "\n")
	width := 0 // of the longest line that may have been broken
	for _, line := range lines {
		if n := utf8.RuneCountInString(strings.TrimRight(line, " \r")); n <= wideText {
			width = max(width, n)
		}
	}
	if width < narrowText {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	isJoined := false
	for i, line := range lines {
		line = strings.TrimRight(line, " \r")
		switch {
		case i == 0:
		case continues(lines[i-1], line, width):
			b.WriteByte(' ')
			_, line = cutMargin(line)
			isJoined = true
		default:
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	if !isJoined {
		return text
	}
	return b.String()
}

// continues reports whether line belongs to the paragraph of the line before it. It is true if line has the margin of
// the line before or of the text after its bullet, begins without a bullet, and begins with a word that did not fit
// into the line before. It is false if either line is blank or part of a table or drawing. width is the width of the
// text.
func continues(before, line string, width int) bool {
	before, line = strings.TrimRight(before, " \r"), strings.TrimRight(line, " \r")
	margin, text := cutMargin(before)
	nextMargin, next := cutMargin(line)
	if text == "" || next == "" || bulletOf(next) > 0 || isShaped(text) || isShaped(next) {
		return false
	}
	if hanging := margin + strings.Repeat(" ", bulletOf(text)); nextMargin != margin && nextMargin != hanging {
		return false
	}
	word, _, _ := strings.Cut(next, " ")
	return utf8.RuneCountInString(before)+1+utf8.RuneCountInString(word) > width-ragged
}

// cutMargin divides a line into the blanks and quotation marks at its start, and the text after them.
func cutMargin(line string) (margin, text string) {
	text = strings.TrimLeft(line, " \t>|")
	return line[:len(line)-len(text)], text
}

// bulletOf returns the length in characters of the mark of a list item with which text begins, such as "-" or "10.",
// and of the blank after it. It returns 0 for other texts.
func bulletOf(text string) int {
	mark, _, ok := strings.Cut(text, " ")
	switch {
	case !ok:
		return 0
	case mark == "-", mark == "*", mark == "+", mark == "o", mark == "•":
	case len(mark) > 1 && strings.ContainsAny(mark[len(mark)-1:], ".)") && strings.Trim(mark[:len(mark)-1], "(0123456789") == "":
	default:
		return 0
	}
	return utf8.RuneCountInString(mark) + 1
}

// isShaped reports whether a text seems to be a row of a table or a line of a drawing: it has wide gaps,
// or few letters.
func isShaped(text string) bool {
	if strings.Contains(text, "   ") || strings.Contains(text, "\t") {
		return true
	}
	letters, others := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r != ' ':
			others++
		}
	}
	return others > letters
}
