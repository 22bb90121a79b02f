package run

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
)

// A placeLog contains the places of all links. It is a sequence of numbers and texts:
//
//	0, name               a document that contains the next links
//	1 + n, line, column   a link; n is the offset of its text minus the offset of the last link's text
//
// n is a zigzag number, because it may be negative.
type placeLog struct {
	spill.Log
	writer   record.Writer
	document string // the document of the last link
	isBegun  bool   // begin was called
	last     int64  // the offset of the last link's text
}

// begin sets the document that contains the links that are added next.
func (p *placeLog) begin(document string) {
	if p.isBegun && document == p.document {
		return
	}
	p.document, p.isBegun = document, true
	p.writer.Uint(0)
	p.writer.Text(document)
}

// add adds the place of a link, in the document of the last begin. at is the offset of the link's text. add may keep
// the place in a buffer until flushBuffer.
func (p *placeLog) add(at int64, line, column int) error {
	w := &p.writer
	w.Uint(1 + zigzag(at-p.last))
	w.Number(line)
	w.Number(column)
	p.last = at
	if len(w.Data) < placeBuffer {
		return nil
	}
	return p.flushBuffer()
}

// flushBuffer appends the buffered places to the Log.
func (p *placeLog) flushBuffer() error {
	_, err := p.Append(p.writer.Data)
	p.writer.Data = p.writer.Data[:0]
	return err
}

// placeBuffer is how many bytes are written to the Log together.
const placeBuffer = 4 << 10

// all yields the places of all links, in the order in which they were added. An error is the last that it yields. It
// lacks buffered places, so the caller calls flushBuffer before.
func (p *placeLog) all() iter.Seq2[linkPlace, error] {
	return func(yield func(linkPlace, error) bool) {
		size := p.Size()
		from := bufio.NewReaderSize(io.NewSectionReader(p, 0, size), 64<<10)
		r := record.Reader{From: from}
		var l linkPlace
		var numbers [3]uint64
		for {
			next, err := from.Peek(1)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err == nil && next[0] == 0:
				_, _ = from.Discard(1)
				l.Document = r.Text()
				continue
			}
			r.Uints(numbers[:])
			l.text += unzigzag(numbers[0] - 1)
			l.Line, l.Column = int(numbers[1]), int(numbers[2])
			if !yield(l, r.Err()) || r.Err() != nil {
				return
			}
		}
	}
}

// A linkPlace is the place of a link, which is named by the offset of its text.
type linkPlace struct {
	text int64
	check.Place
}

// zigzag returns a number that is small if n is near 0, whatever the sign of n is.
func zigzag(n int64) uint64 { return uint64(n)<<1 ^ uint64(n>>63) }

// unzigzag inverts zigzag.
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
