package extract

import "bytes"

// lines counts the lines of a text, a window at a time.
type lines struct {
	line    int   // the one at counted, from 1
	from    int64 // where that line starts in the text
	counted int   // how much of the window is counted
}

var newline = []byte{'\n'}

// count counts up to a place in the window, which starts at an offset.
func (l *lines) count(window []byte, offset int64, to int) {
	if to <= l.counted {
		return
	}
	passed := window[l.counted:to]
	if len(passed) == 1 { // one URL a line
		if passed[0] == '\n' {
			l.line++
			l.from = offset + int64(to)
		}
	} else if n := bytes.Count(passed, newline); n > 0 {
		l.line += n
		l.from = offset + int64(l.counted+bytes.LastIndexByte(passed, '\n')) + 1
	}
	l.counted = to
}
