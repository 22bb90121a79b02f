package extract

import "unicode/utf8"

// A window is the part of a text that is in memory. The stages of a finder read it, and their positions are offsets
// in text. Functions that only need the bytes take the text.
type window struct {
	text []byte
	eof  bool // the text ends where the window ends
}

// lacks reports whether the window ends before offset end while more text may follow.
func (w window) lacks(end int) bool { return len(w.text) < end && !w.eof }

// lacksRune reports whether the character at offset at is incomplete while more text may follow.
func (w window) lacksRune(at int) bool { return !w.eof && !utf8.FullRune(w.text[at:]) }
