package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
)

const (
	// smallPiece is the size of the first buffer of a block. Most blocks need no other.
	smallPiece = 16 << 10
	// pieceSize is how much is compressed at once. A block of at most one piece is
	// compressed when it is complete, a larger one while it arrives: see pipeline.
	pieceSize = 128 << 10
	// maxMemory is how much of a stored block is kept in memory, if it has several pieces.
	// The rest goes into a file: see rest.
	maxMemory = 256 << 10
)

// recordEnd follows every block (WARC/1.1 §4).
const recordEnd = "\r\n\r\n"

// A block is the block of a record that is still to be written. One goroutine at a time
// may use it.
type block struct {
	raw      []byte    // the bytes that are in no piece yet
	unhashed int       // how many more bytes the digest leaves out: those of the head
	pipeline *pipeline // nil: the block has at most one piece so far

	stored
}

// A stored is a block as it is in the archive.
type stored struct {
	format     format
	size       int64     // of the block, in bytes
	crc        uint32    // of the block and recordEnd
	hasPayload bool      // what follows the head is the payload
	hasBytes   bool      // the payload is not empty
	digest     string    // of the payload, or of the whole block if it has none
	data       []byte    // the block and recordEnd, in the format of the archive: its start
	rest       rest      // where it goes on
	toRest     bool      // it goes on there
	err        error     // why it is not complete
	sum        hash.Hash // of what has the digest
}

// newBlock begins a block of a record of w. head is its start. What is written after it is
// the payload, if the block has one. If growsAt is not "", the block is that of a response
// or a resource with that target, and may be written into the archive while it arrives.
//
// A block of which only the head is written needs no file and no lock.
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

// Write adds bytes. It never fails: an error is that of seal.
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

// send gives the pipeline the next piece.
func (b *block) send(isLast bool) {
	if b.pipeline == nil {
		b.pipeline = newPipeline(&b.stored)
	}
	b.pipeline.send(b.cut(isLast))
}

// cut returns what is in raw as a piece. The next byte begins another.
func (b *block) cut(isLast bool) *piece {
	skip := min(b.unhashed, len(b.raw))
	b.unhashed -= skip
	p := newPiece(b.raw, skip, isLast)
	b.raw = nil
	return p
}

// seal completes the block. The caller calls discard afterwards.
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

// add adds a piece to the checksums.
func (s *stored) add(p *piece) {
	s.sum.Write(p.hashed())
	if s.format == formatGzip {
		s.crc = crc32.Update(s.crc, crc32.IEEETable, p.raw)
	}
}

// store adds a piece that is encoded.
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

// discard frees what the block holds.
func (b *block) discard() {
	if b.pipeline != nil {
		b.pipeline.wait()
		b.pipeline = nil
	}
	freeRaw(b.raw)
	b.raw = nil
	b.rest.discard()
}

// digestText returns a digest as records have it.
func digestText(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }
