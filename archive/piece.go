package archive

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/flate"
)

var (
	smallBuffers = sync.Pool{New: func() any { return new([smallPiece]byte) }}
	largeBuffers = sync.Pool{New: func() any { return new([pieceSize + len(recordEnd)]byte) }}
	pieces       = sync.Pool{New: func() any { return new(piece) }}
	compressors  = sync.Pool{New: func() any {
		z, err := flate.NewWriter(nil, flate.BestSpeed)
		if err != nil {
			panic(err) // only for a wrong level
		}
		return z
	}}
)

// withRoom returns raw with enough capacity for n more bytes and for recordEnd. If it returns
// another buffer, raw is back in its pool and must not be used any more.
func withRoom(raw []byte, n int) []byte {
	wanted := len(raw) + n + len(recordEnd)
	if wanted <= cap(raw) {
		return raw
	}
	var larger []byte
	switch {
	case wanted <= smallPiece:
		larger = smallBuffers.Get().(*[smallPiece]byte)[:0]
	case wanted <= pieceSize+len(recordEnd):
		larger = largeBuffers.Get().(*[pieceSize + len(recordEnd)]byte)[:0]
	default: // a header of unusual length
		larger = make([]byte, 0, wanted)
	}
	larger = append(larger, raw...)
	freeRaw(raw)
	return larger
}

// freeRaw puts a buffer into its pool, from which withRoom takes it again. The caller must not use
// raw afterwards.
func freeRaw(raw []byte) {
	switch cap(raw) {
	case smallPiece:
		smallBuffers.Put((*[smallPiece]byte)(raw[:smallPiece]))
	case pieceSize + len(recordEnd):
		largeBuffers.Put((*[pieceSize + len(recordEnd)]byte)(raw[:pieceSize+len(recordEnd)]))
	}
}

// A piece is a part of a block. It is compressed by itself, so that several pieces of a
// block are compressed at the same time. Concatenated, the pieces are a deflate stream.
type piece struct {
	raw    []byte // with recordEnd, if the piece is the last
	from   int    // where the hashed part of raw begins
	to     int    // where the hashed part ends
	isLast bool

	format  format
	deflate bytes.Buffer // raw, compressed
	err     error
	done    chan struct{} // closed when it is encoded; nil outside a pipeline
}

// newPiece returns a piece that owns raw. The digest leaves out the first skip bytes. isLast says
// that the piece is the last one of its block, so newPiece appends recordEnd.
func newPiece(raw []byte, skip int, isLast bool) *piece {
	p := pieces.Get().(*piece)
	p.raw, p.from, p.to, p.isLast = raw, skip, len(raw), isLast
	if isLast {
		p.raw = append(withRoom(p.raw, 0), recordEnd...)
	}
	return p
}

// hashed returns the bytes that the digest covers.
func (p *piece) hashed() []byte { return p.raw[p.from:p.to] }

// encode prepares the piece for the format f. For gzip it compresses raw into p.deflate, and sets
// p.err if that fails. The pieces of a block, one after the other, are one deflate stream, which
// the last piece ends.
func (p *piece) encode(f format) {
	if p.format = f; f != formatGzip {
		return
	}
	z := compressors.Get().(*flate.Writer)
	z.Reset(&p.deflate)
	_, p.err = z.Write(p.raw)
	switch {
	case p.err != nil:
	case p.isLast:
		p.err = z.Close()
	default:
		p.err = z.Flush() // Flush ends at a byte, so that the next piece can follow
	}
	z.Reset(nil)
	compressors.Put(z)
}

// encoded returns the bytes of the piece in the format of the archive. It must be called after
// encode.
func (p *piece) encoded() []byte {
	if p.format == formatGzip {
		return p.deflate.Bytes()
	}
	return p.raw
}

// free puts the piece and its buffer into their pools. The caller must not use the piece
// afterwards.
func (p *piece) free() {
	freeRaw(p.raw)
	p.deflate.Reset()
	*p = piece{deflate: p.deflate}
	pieces.Put(p)
}
