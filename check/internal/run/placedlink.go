package run

import (
	"cmp"
	"strings"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
)

// A placedLink is a link and one of its places. text is the result of textOf for the link.
type placedLink struct {
	text string
	check.Place
}

// comparePlacedLink compares two links by their texts, documents, lines and columns, as cmp.Compare does.
func comparePlacedLink(a, b placedLink) int {
	if n := strings.Compare(a.text, b.text); n != 0 {
		return n
	}
	return cmp.Or(strings.Compare(a.Document, b.Document), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// newSorter returns a sorter of links by comparePlacedLink. It calls create for temporary files. If create is nil,
// everything stays in memory.
func newSorter(create func() (check.File, error)) *spill.Sorter[placedLink] {
	s := &spill.Sorter[placedLink]{
		Codec:   spill.Codec[placedLink]{Encode: encodePlacedLink, Decode: decodePlacedLink},
		Compare: comparePlacedLink,
		Size:    sizeOfPlacedLink,
	}
	if create != nil {
		s.Spill(spillFiles(create))
	}
	return s
}

// encodePlacedLink writes p for decodePlacedLink.
func encodePlacedLink(w *record.Writer, p placedLink) {
	w.Text(p.text)
	w.Text(p.Document)
	w.Number(p.Line)
	w.Number(p.Column)
}

// decodePlacedLink reads the next link from r. It shares the memory of the texts of last, the link before, if the texts
// are equal. r has the error.
func decodePlacedLink(r *record.Reader, last placedLink) (placedLink, error) {
	return placedLink{r.Repeated(last.text), check.Place{Document: r.Repeated(last.Document), Line: r.Number(), Column: r.Number()}}, nil
}

// sizeOfPlacedLink returns how many bytes of memory p takes in a sorter. It counts the name of a document only if last,
// the link before, has another document, because the links of a document share the name.
func sizeOfPlacedLink(p, last placedLink) int {
	n := 64 + len(p.text)
	if p.Document != last.Document {
		n += len(p.Document)
	}
	return n
}
