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

// Spaced divides a range of text into ranges of up to MaxPiece bytes that end after white space, and yields them. A
// word that is too long is divided after four times as many bytes.
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

// Lines yields the lines of text from offset at on, each with its offset.
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

// Blocks yields ranges of text from offset at on that can be read one by one. A range ends at a blank line before a line
// that is not indented, or after MaxPiece bytes if there is no such line.
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
