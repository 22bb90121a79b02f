package emit

import (
	"bytes"
	"iter"

	"locus/internal/markup"
)

// The sizes of the pieces in which long texts are read.
const (
	MinPiece = 16 << 10 // a piece may end after this many bytes, where no construct is open
	MaxPiece = 64 << 10 // a piece ends after this many bytes
)

// Spaced divides text[from:to] into ranges of up to MaxPiece bytes that end after a space or a line feed, and yields
// their starts and ends. A word that is longer than a range is divided only after 4*MaxPiece bytes.
func Spaced(text []byte, from, to int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for to-from > MaxPiece {
			end := from + MaxPiece
			if n := bytes.LastIndexAny(text[from:end], " \n"); n >= 0 {
				end = from + n + 1
			} else if end = min(from+4*MaxPiece, to); end < to {
				if n := bytes.IndexAny(text[from:end], " \n"); n >= 0 {
					end = from + n + 1
				}
			}
			if !yield(from, end) {
				return
			}
			from = end
		}
		yield(from, to)
	}
}

// Lines yields the lines of text from offset at on, each with its offset in text. A line includes its line feed.
func Lines(text []byte, at int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for line := range bytes.Lines(text[at:]) {
			if !yield(at, line) {
				return
			}
			at += len(line)
		}
	}
}

// Blocks divides text, from offset at on, into ranges that can be read one by one, and yields their starts and ends. A
// range of at least MinPiece bytes ends after a blank line before a line that is not indented, or at the end of the
// line with which it reaches MaxPiece bytes.
func Blocks(text []byte, at int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		from, wasBlank := at, false
		for at, line := range Lines(text, at) {
			if at-from >= MinPiece && wasBlank && !markup.IsSpace(line[0]) || at-from >= MaxPiece {
				if !yield(from, at) {
					return
				}
				from = at
			}
			wasBlank = len(bytes.TrimSpace(line)) == 0
		}
		yield(from, len(text))
	}
}
