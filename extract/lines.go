package extract

import "bytes"

// lines counts the lines of a text, a window at a time.
type lines struct {
	line    int   // the number of the line at counted, from 1
	from    int64 // where that line starts in the text
	counted int   // the lines before this place in the window are counted
}

var newline = []byte{'\n'}

// count counts the lines up to a place in the window. offset is where the window
// starts in the text.
func (l *lines) count(window []byte, offset int64, to int) {
	if to <= l.counted {
		return
	}
	passed := window[l.counted:to]
	if len(passed) == 1 { // quicker for texts with one URL a line
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
