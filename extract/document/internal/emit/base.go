package emit

import (
	"fmt"
	"strings"

	"locus/extract"
)

// A relative reference of a few bytes stands for a URL that is longer than its base. Without these bounds, a short
// document with a long base would stand for gigabytes of URLs.
const (
	maxBase      = 8 << 10 // the length of the longest base; servers do not accept longer URLs
	basesAlways  = 1 << 20 // the bases of all relative references together have that many bytes …
	basesPerByte = 16      // … and that many more for each byte of the document
)

// ErrLongBase is yielded instead of the first relative reference beyond the bounds of bases. The later ones are
// omitted. The match's Text is the first 256 bytes of the base.
var ErrLongBase = fmt.Errorf("%w, to which references are relative", extract.ErrTooLong)

// resolvable reports whether m is yielded, and with which error. It refuses a relative reference if its base is too
// long, or if the bases of all references are too long together for a document of the given length in bytes. But the
// first such reference is yielded with the error ErrLongBase, and resolvable sets its Text to the start of its base.
func (r *run) resolvable(m *extract.Match, document int) (bool, error) {
	if m.Kind != extract.Reference || m.Base == "" || hasScheme(m.Text) {
		return true, nil
	}
	r.bases += len(m.Base)
	if len(m.Base) <= maxBase && r.bases <= basesAlways+basesPerByte*document {
		return true, nil
	}
	if r.hasLongBase {
		return false, nil
	}
	r.hasLongBase = true
	m.Text, m.Base = strings.ToValidUTF8(m.Base[:min(len(m.Base), 256)], ""), ""
	return true, ErrLongBase
}

// hasScheme reports whether a reference begins with a scheme: a ":" comes before any "/", "?" and "#".
func hasScheme(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ':':
			return i > 0
		case '/', '?', '#':
			return false
		}
	}
	return false
}
