package wais

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"locus/access"
	"locus/scheme"
)

const (
	usualChunk = 96_000
	smallChunk = 10_000 // of the clients of old: every server can send it
	overhead   = 200    // octets of an answer besides the text and the document-id, and some more
)

// A document is the Body of one. It asks for one piece after the other.
type document struct {
	*link
	place
	next  int64 // the octet to ask for
	end   int64 // ask for none from here on
	chunk int64
	begun bool   // a request was answered with a text
	fits  bool   // chunk is known to be no more than the server sends
	short bool   // the last piece was shorter than it should have been
	piece []byte // what is left of the last one
	err   error  // after piece
}

// openDocument asks for the first piece, to learn whether the document is there.
func (c Client) openDocument(l *link, req *access.Request, v scheme.WAIS) (*access.Resource, error) {
	d := c.newDocument(l, place{v.Database, v.WType, v.DocID})
	d.next = req.Offset
	if req.Length > 0 && req.Length < math.MaxInt64-req.Offset {
		d.end = req.Offset + req.Length
	}
	if err := d.fetch(); errors.Is(err, io.EOF) { // from the last octet that can be numbered
		return nil, access.ErrRange
	} else if err != nil {
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{Type: mediaType(v.WType), Size: -1}, Offset: req.Offset, Body: d}
	if v.WType == typeSource && req.Offset == 0 && errors.Is(d.err, io.EOF) {
		if s, err := ParseSource(d.piece); err == nil {
			r.Sys = &s
		}
	}
	return r, nil
}

func (c Client) newDocument(l *link, p place) *document {
	chunk := cmp.Or(c.Chunk, usualChunk)
	return &document{link: l, place: p, end: math.MaxInt64, chunk: int64(max(chunk, 1))}
}

func (d *document) Read(p []byte) (int, error) {
	if err := d.usable(); err != nil {
		return 0, access.FailReading("read", d.url, err)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(d.piece) == 0 && d.err == nil {
		d.fill()
	}
	if len(d.piece) == 0 {
		return 0, access.FailReading("read", d.url, d.err)
	}
	n := copy(p, d.piece)
	d.piece = d.piece[n:]
	return n, nil
}

// fill gets the next piece, or sets err.
func (d *document) fill() {
	if err := d.fetch(); err != nil {
		d.err = err
	}
}

// fetch asks for the next piece, and sets err if that is the last one. The end is
// where the server says that the range asked for goes beyond it, or gives an
// empty text; a piece that is shorter than was asked for is not the end, but
// two of them are no document.
func (d *document) fetch() error {
	if d.next >= d.end {
		return io.EOF
	}
	p, asked, err := d.ask()
	if err != nil {
		return err
	}
	d.piece = p.octets
	d.next += int64(len(p.octets))
	atEnd := p.said != nil && p.said.isEnd()
	switch {
	case p.given && (atEnd || p.said == nil && len(p.octets) == 0):
		d.err = io.EOF
	case atEnd && d.begun:
		return io.EOF
	case p.said != nil:
		d.piece = nil
		return p.said.refusal()
	case !p.given:
		return fmt.Errorf("neither a text nor a reason: %w", access.ErrProtocol)
	}
	d.begun = true
	return d.measure(int64(len(p.octets)), asked)
}

// measure learns from the first short piece how much the server sends at once.
// After that a short piece is the last one: another one would be of a server
// that does not go by what is asked for.
func (d *document) measure(got, asked int64) error {
	switch {
	case got == asked || got == 0:
		d.short = false
	case !d.fits:
		d.fits, d.chunk = true, got
	case d.short:
		return fmt.Errorf("pieces shorter than asked for, and no end: %w", access.ErrProtocol)
	default:
		d.short = true
	}
	return nil
}

// ask makes one request for octets from next on. It returns how many it asked
// for, too.
func (d *document) ask() (p piece, asked int64, err error) {
	if _, _, err := d.connected(); err != nil { // which tells the limit
		return piece{}, 0, err
	}
	size := min(d.chunk, d.end-d.next, max(1, d.limit-int64(len(d.docID))-overhead))
	answer, err := d.exchange(d.rangeRequest(d.next, d.next+size))
	if errors.Is(err, errNothing) && size > smallChunk {
		d.chunk = smallChunk
		return d.ask()
	}
	if err != nil {
		return piece{}, 0, err
	}
	records, err := parseSearch(answer)
	if err != nil {
		return piece{}, 0, err
	}
	p, err = parsePiece(records)
	if err == nil && int64(len(p.octets)) > size {
		err = fmt.Errorf("%d octets, when %d were asked for: %w", len(p.octets), size, access.ErrProtocol)
	}
	return p, size, err
}
