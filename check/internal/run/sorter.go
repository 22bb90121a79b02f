package run

import (
	"cmp"
	"strings"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
)

// A placed is a link, in the form of textOf, and its place.
type placed struct {
	text string
	check.Place
}

func comparePlaced(a, b placed) int {
	if n := strings.Compare(a.text, b.text); n != 0 {
		return n
	}
	return cmp.Or(strings.Compare(a.Document, b.Document), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// newSorter returns a sorter of places. It keeps all in memory if create is nil.
func newSorter(create func() (check.File, error)) *spill.Sorter[placed] {
	s := &spill.Sorter[placed]{
		Codec:   spill.Codec[placed]{Encode: encodePlaced, Decode: decodePlaced},
		Compare: comparePlaced,
		Size:    sizeOfPlaced,
	}
	if create != nil {
		s.Spill(files(create))
	}
	return s
}

func encodePlaced(w *record.Writer, p placed) {
	w.Text(p.text)
	w.Text(p.Document)
	w.Number(p.Line)
	w.Number(p.Column)
}

func decodePlaced(r *record.Reader, last placed) (placed, error) {
	return placed{r.Repeated(last.text), check.Place{Document: r.Repeated(last.Document), Line: r.Number(), Column: r.Number()}}, nil
}

// sizeOfPlaced counts the name of a document once for all of its links.
func sizeOfPlaced(p, last placed) int {
	n := 64 + len(p.text)
	if p.Document != last.Document {
		n += len(p.Document)
	}
	return n
}
