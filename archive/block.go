package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
)

const (
	// smallPiece is the size of the first buffer of a block. Most blocks fit in it.
	smallPiece = 16 << 10
	// pieceSize is the number of bytes that are compressed at once. A block of at most one
	// piece is compressed when it is complete, and a larger block while it arrives: see
	// pipeline.
	pieceSize = 128 << 10
	// maxMemory is the number of bytes of a stored block that stay in memory, if it has
	// several pieces. The rest goes into a file: see rest.
	maxMemory = 256 << 10
)

// recordEnd follows every block (WARC/1.1 §4).
const recordEnd = "\r\n\r\n"

// A block collects the block of a record. Only one goroutine may use it at a time.
type block struct {
	raw      []byte    // the bytes that do not belong to a piece yet
	unhashed int       // how many more bytes the digest leaves out, because they belong to the head
	pipeline *pipeline // nil: the block has at most one piece so far

	stored
}

// A stored is a block in the format of the archive.
type stored struct {
	format     format
	size       int64     // of the block, in bytes
	crc        uint32    // of the block and recordEnd
	hasPayload bool      // the bytes after the head are the payload
	hasBytes   bool      // the payload is not empty
	digest     string    // of the payload, or of the whole block if hasPayload is false
	data       []byte    // the start of the block and recordEnd, in the format of the archive
	rest       rest      // the bytes after data
	toRest     bool      // rest has bytes
	err        error     // the reason why the block is not complete
	sum        hash.Hash // of the bytes of digest
}

// newBlock begins a block of a record of w. head is the start of the block. If hasPayload is set,
// the bytes that are written after head are the payload. If growsAt is not "", the block may be
// written into the archive while it still arrives; growsAt is then the target of its record, a
// response or a resource.
//
// A block with only a head stays in memory, so the caller may hold the lock of w. The caller calls
// seal, unless it gives up the block, and discard in any case.
func newBlock(w *Writer, head []byte, hasPayload bool, growsAt string) *block {
	b := &block{}
	b.format, b.hasPayload, b.sum = w.format, hasPayload, sha256.New()
	b.rest = rest{writer: w, target: growsAt}
	b.raw = append(withRoom(nil, len(head)), head...)
	b.size = int64(len(head))
	if hasPayload {
		b.unhashed = len(head)
	}
	return b
}

// Write appends p to the block. It always succeeds; seal returns the error.
func (b *block) Write(p []byte) (int, error) {
	n := len(p)
	b.size += int64(n)
	b.hasBytes = b.hasBytes || n > 0
	for len(p) > 0 {
		if len(b.raw) >= pieceSize {
			b.send(false)
		}
		c := min(len(p), pieceSize-len(b.raw))
		b.raw = append(withRoom(b.raw, c), p[:c]...)
		p = p[c:]
	}
	return n, nil
}

// send gives the bytes of raw to the pipeline as the next piece, and empties raw. It starts the
// pipeline for the first piece. isLast says that the piece is the last one of the block.
func (b *block) send(isLast bool) {
	if b.pipeline == nil {
		b.pipeline = newPipeline(&b.stored)
	}
	b.pipeline.send(b.cut(isLast))
}

// cut returns the bytes of raw as a piece, and empties raw. isLast says that the piece is the last
// one of the block.
func (b *block) cut(isLast bool) *piece {
	skip := min(b.unhashed, len(b.raw))
	b.unhashed -= skip
	p := newPiece(b.raw, skip, isLast)
	b.raw = nil
	return p
}

// seal completes the block: it compresses and stores the last bytes, and sets the digest. It
// returns the first error of storing the block. Write must not be called afterwards. The caller
// still calls discard.
func (b *block) seal() error {
	if b.pipeline != nil {
		b.send(true)
		b.pipeline.wait()
		b.pipeline = nil
	} else {
		p := b.cut(true)
		b.add(p)
		p.encode(b.format)
		b.data, b.err = bytes.Clone(p.encoded()), p.err
		p.free()
	}
	b.digest = digestText(b.sum)
	return b.err
}

// add adds the bytes of p to the digest and the CRC. The pieces must come in order.
func (s *stored) add(p *piece) {
	s.sum.Write(p.hashed())
	if s.format == formatGzip {
		s.crc = crc32.Update(s.crc, crc32.IEEETable, p.raw)
	}
}

// store appends the encoded piece p to data or, when data is full, to rest. It keeps the first
// error in s.err, and has no effect after it.
func (s *stored) store(p *piece) {
	if s.err == nil {
		s.err = p.err
	}
	text := p.encoded()
	switch {
	case s.err != nil:
		return
	case !s.toRest && len(s.data)+len(text) <= maxMemory:
		s.data = append(s.data, text...)
		return
	case !s.toRest:
		s.toRest, s.rest.before = true, s.data
	}
	_, s.err = s.rest.Write(text)
}

// discard frees the buffers and the temporary file of the block. If its bytes are at the end of the
// archive and not yet part of a record, discard removes them.
func (b *block) discard() {
	if b.pipeline != nil {
		b.pipeline.wait()
		b.pipeline = nil
	}
	freeRaw(b.raw)
	b.raw = nil
	b.rest.discard()
}

// digestText returns a digest in the form of WARC-Block-Digest.
func digestText(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }
