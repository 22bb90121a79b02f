package extract

import "unicode/utf8"

// A window is the part of a text that is in memory. The stages of a finder read it. Places
// in it are offsets in text. Functions that need only bytes take the text.
type window struct {
	text []byte
	eof  bool // the text ends with the window
}

// lacks reports whether a byte before a place is not in the window, but may come.
func (w window) lacks(end int) bool { return len(w.text) < end && !w.eof }

// lacksRune reports whether the rest of the character that starts at a place may come.
func (w window) lacksRune(at int) bool { return !w.eof && !utf8.FullRune(w.text[at:]) }
