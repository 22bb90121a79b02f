package ber

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// makeDefinite checks the element in b, and replaces it by an equal element in which every length
// is definite. The end of an element is then known from its header, because finding it by parsing
// the content would cost the same work again at each level. After an error b may be incomplete.
func makeDefinite(b *bytes.Buffer) error {
	check := &walker{isDry: true}
	if _, err := check.elements(b.Bytes(), false, 0); err != nil || !check.hasIndefinite {
		return err
	}
	w := &walker{out: make([]byte, 0, b.Len()*5/4)}
	_, err := w.elements(b.Bytes(), false, 0)
	b.Reset()
	b.Write(w.out)
	return err
}

// endOfContents ends an element of indefinite length.
const endOfContents = "\x00\x00"

// A walker checks elements, and writes them with definite lengths.
type walker struct {
	isDry         bool // only check, and do not write
	out           []byte
	hasIndefinite bool // an element has an indefinite length
}

// elements checks the elements in b and, unless w.isDry, appends them to w.out. If isIndefinite
// is set, it stops after the end-of-contents bytes and returns the bytes after them; otherwise it
// walks to the end of b and returns nil. depth is the number of elements around these elements.
func (w *walker) elements(b []byte, isIndefinite bool, depth int) (rest []byte, err error) {
	for len(b) > 0 {
		if isIndefinite && string(b[:min(2, len(b))]) == endOfContents {
			return b[2:], nil
		}
		if b, err = w.element(b, depth); err != nil {
			return nil, err
		}
	}
	if isIndefinite {
		return nil, fmt.Errorf("%w: an indefinite length without an end", ErrSyntax)
	}
	return nil, nil
}

// element checks the first element of b and, unless w.isDry, appends it to w.out. It returns the
// bytes after the element. depth is the number of elements around the element.
func (w *walker) element(b []byte, depth int) (rest []byte, err error) {
	h, size, err := parseHeader(b)
	if err != nil {
		return nil, err
	}
	b = b[size:]
	switch {
	case h.length > len(b):
		return nil, fmt.Errorf("%w: an element of %d bytes in one with %d left", ErrSyntax, h.length, len(b))
	case h.IsConstructed && depth == MaxDepth:
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrSyntax, MaxDepth)
	}
	start := w.begin(h)
	switch {
	case h.isIndefinite:
		w.hasIndefinite = true
		rest, err = w.elements(b, true, depth+1)
	case h.IsConstructed:
		rest = b[h.length:]
		_, err = w.elements(b[:h.length], false, depth+1)
	default:
		rest = b[h.length:]
		if !w.isDry {
			w.out = append(w.out, b[:h.length]...)
		}
	}
	if !w.isDry && h.IsConstructed {
		w.setLength(start)
	}
	return rest, err
}

// setLength writes the length of a constructed element into the space that begin reserved. The
// content starts at start and extends to the end of w.out. A length below 0x80 takes one byte, so
// that the output is hardly longer than the message.
func (w *walker) setLength(start int) {
	n := len(w.out) - start
	if n >= 0x80 {
		binary.BigEndian.PutUint32(w.out[start-4:], uint32(n)) //nolint:gosec // as long as the message
		return
	}
	w.out[start-5] = byte(n)
	copy(w.out[start-4:], w.out[start:])
	w.out = w.out[:len(w.out)-4]
}

// begin appends the header of an element to w.out, and returns the index at which the content
// starts. For a constructed element it reserves space for the length, which setLength writes. In
// a dry run it returns 0.
func (w *walker) begin(h header) (start int) {
	if w.isDry {
		return 0
	}
	w.out = appendTag(w.out, h.Class, h.IsConstructed, h.Tag)
	if h.IsConstructed {
		const fourBytes = 0x84
		w.out = append(w.out, fourBytes, 0, 0, 0, 0)
	} else {
		w.out = appendLength(w.out, h.length)
	}
	return len(w.out)
}
