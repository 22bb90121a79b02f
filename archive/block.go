package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

const (
	// chunkSize is how much is compressed at once. A block of at most a chunk is
	// compressed when it is complete, a larger one while it arrives.
	chunkSize = 64 << 10
	// maxChunks is how many chunks may wait for the compressor.
	maxChunks = 8
	// maxMemory is how much of a compressed block is kept in memory. The rest goes into
	// a file: see rest.
	// It is more than a header has, so that a block of a header alone needs no file.
	maxMemory = maxHead + 64<<10
)

var (
	chunks      = sync.Pool{New: func() any { return new([chunkSize]byte) }}
	compressors = sync.Pool{New: func() any {
		z, err := flate.NewWriter(nil, flate.BestSpeed)
		if err != nil {
			panic(err) // the level is wrong
		}
		return z
	}}
)

// A block is the block of a record that is still to be written. It is compressed while it
// arrives. One goroutine at a time may use it.
type block struct {
	chunk  *[chunkSize]byte // bytes that are not compressed yet; nil: none
	filled int              // how many
	queue  chan []byte      // full chunks, for the compressor; nil: it is not running
	done   chan struct{}    // closed when the compressor has ended

	compressed // by the compressor
}

// A compressed is a block that is complete.
type compressed struct {
	size       int64         // of the block, in bytes
	crc        uint32        // of the block and the two line ends after it
	total      int64         // the length of these
	hasPayload bool          // what follows the head is the payload
	hasBytes   bool          // the payload is not empty
	digest     string        // of the payload, or of the whole block if it has none
	data       []byte        // the start of a deflate stream, up to maxMemory
	rest       rest          // where it goes on
	toRest     *bufio.Writer // the compressor writes a few hundred bytes at a time; nil: none yet
	err        error
	sum        hash.Hash
	z          *flate.Writer
}

// newBlock begins a block of a record of w. head is its start. What is written after it is
// the payload, if the block has one. If growsAt is not "", the block is that of a response
// or a resource with that target, and may be written into the archive while it arrives.
func newBlock(w *Writer, head []byte, hasPayload bool, growsAt string) *block {
	b := &block{}
	b.sum = sha256.New()
	b.rest = rest{writer: w, target: growsAt}
	b.z = compressors.Get().(*flate.Writer)
	b.z.Reset(sink{b})
	b.hasPayload = hasPayload
	if !hasPayload {
		b.sum.Write(head)
	}
	b.deflate(head)
	return b
}

// Write adds bytes. It never fails: an error is that of seal.
func (b *block) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if b.chunk == nil {
			b.chunk = chunks.Get().(*[chunkSize]byte)
		}
		c := copy(b.chunk[b.filled:], p)
		b.filled += c
		if p = p[c:]; b.filled == chunkSize && len(p) > 0 {
			b.sendChunk()
		}
	}
	return n, nil
}

// sendChunk gives the chunk to the compressor.
func (b *block) sendChunk() {
	if b.queue == nil {
		b.queue, b.done = make(chan []byte, maxChunks), make(chan struct{})
		go b.run(b.queue)
	}
	b.queue <- b.chunk[:b.filled]
	b.chunk, b.filled = nil, 0
}

// run is the compressor. After an error it only empties the queue.
func (b *block) run(queue <-chan []byte) {
	defer close(b.done)
	for chunk := range queue {
		b.compress(chunk)
		chunks.Put((*[chunkSize]byte)(chunk[:chunkSize]))
	}
}

// compress adds bytes to the compressed block.
func (b *block) compress(p []byte) {
	if b.err != nil {
		return
	}
	b.sum.Write(p)
	b.hasBytes = b.hasBytes || len(p) > 0
	b.deflate(p)
}

// deflate adds bytes that are not part of the digest.
func (b *block) deflate(p []byte) {
	b.size += int64(len(p))
	b.writeCompressed(p)
}

func (b *block) writeCompressed(p []byte) {
	b.crc = crc32.Update(b.crc, crc32.IEEETable, p)
	b.total += int64(len(p))
	_, b.err = b.z.Write(p)
}

// recordEnd follows every block (WARC/1.1 §4).
const recordEnd = "\r\n\r\n"

// seal completes the block. The caller calls discard afterwards.
func (b *block) seal() error {
	b.finishChunks()
	if b.err == nil {
		b.writeCompressed([]byte(recordEnd))
	}
	if b.err == nil {
		b.err = b.z.Close()
	}
	if b.err == nil && b.toRest != nil {
		b.err = b.toRest.Flush()
	}
	b.digest = digestText(b.sum)
	return b.err
}

// finishChunks compresses what is left.
func (b *block) finishChunks() {
	if b.queue != nil {
		if b.filled > 0 {
			b.sendChunk()
		}
		close(b.queue)
		<-b.done
		b.queue = nil
		return
	}
	if b.chunk != nil {
		b.compress(b.chunk[:b.filled])
		chunks.Put(b.chunk)
		b.chunk, b.filled = nil, 0
	}
}

// discard frees what the block holds.
func (b *block) discard() {
	b.finishChunks()
	if b.z != nil {
		b.z.Reset(nil)
		compressors.Put(b.z)
		b.z = nil
	}
	b.rest.discard()
}

// digestText returns a digest as records have it.
func digestText(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// A sink stores compressed bytes, first in memory.
type sink struct{ block *block }

func (s sink) Write(p []byte) (int, error) {
	b := s.block
	if b.toRest == nil && len(b.data)+len(p) <= maxMemory {
		b.data = append(b.data, p...)
		return len(p), nil
	}
	if b.toRest == nil {
		b.rest.before = b.data
		b.toRest = bufio.NewWriterSize(&b.rest, chunkSize)
	}
	return b.toRest.Write(p)
}
