package emit

import (
	"bytes"
	"iter"
)

const (
	MinPiece = 16 << 10 // it ends where nothing is open
	MaxPiece = 64 << 10
)

// Spaced yields ranges of a text of up to maxPiece bytes, which end after white space. A
// longer word is divided after four times as much.
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
