package engine

import (
	"crypto/rand"
	"encoding/hex"
	"unicode/utf8"
)

// maxName is how many bytes a file name may have on most systems.
const maxName = 255

// PartName returns the temporary name of an upload: name followed by part, which is the
// Part of the request. It cuts name if the result would exceed 255 bytes, because most file
// systems refuse longer names.
func PartName(name, part string) string {
	keep := min(len(name), max(maxName-len(part), 0))
	for keep > 0 && keep < len(name) && !utf8.RuneStart(name[keep]) {
		keep--
	}
	return name[:keep] + part
}

// NewPart returns a Part for an upload whose request has none: ".part-" and eight
// random hexadecimal digits.
func NewPart() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return ".part-" + hex.EncodeToString(b[:])
}
