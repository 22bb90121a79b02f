package checkfiles

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"sync"

	"locus/access"
)

// A buffer holds the text of a file. It is used for one file after another.
type buffer struct {
	text    []byte // the start of the file, or all of it
	isWhole bool   // text is the whole file
}

const (
	// startSize is the number of bytes that are read first. Most files are not longer.
	startSize = 64 << 10

	// markSize is the number of these bytes by which a file is recognized as binary.
	markSize = 8 << 10

	// maxKept is the size of the largest buffer that is used again.
	maxKept = 4 << 20

	// maxWhole is the number of bytes of a document that are read: see document.Options.Limit.
	maxWhole = 64 << 20
)

// buffers are reused, because a folder may have many files.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// readStart replaces the text with the first startSize bytes of f, or with the whole file if it is
// shorter.
func (b *buffer) readStart(f io.Reader) error {
	b.text, b.isWhole = b.text[:0], false
	if cap(b.text) > maxKept {
		b.text = nil
	}
	return b.readTo(f, startSize)
}

// readTo reads until b.text has size bytes, or until the file ends. At the end of the file it sets
// isWhole and returns nil.
func (b *buffer) readTo(f io.Reader, size int) error {
	if size > cap(b.text) {
		b.text = append(make([]byte, 0, size), b.text...)
	}
	n, err := io.ReadFull(f, b.text[len(b.text):size])
	b.text = b.text[:len(b.text)+n]
	b.isWhole = access.IsEnd(err) || errors.Is(err, io.ErrUnexpectedEOF)
	if b.isWhole {
		return nil
	}
	return err
}

// readRest returns a reader of the whole file f, whose start readStart has read. For a file of
// fewer than limit bytes it reads the rest and returns a *bytes.Buffer, because a document can use
// its bytes without a copy. For a longer file, the reader reads the rest from f. The reader is
// valid until the next readStart.
func (b *buffer) readRest(f statReader, limit int) (io.Reader, error) {
	for !b.isWhole && len(b.text) < limit {
		size := max(4*len(b.text), cap(b.text))
		if info, err := f.Stat(); err == nil && info.Size() >= int64(len(b.text)) {
			if info.Size() >= int64(limit) {
				break // the reader of the rest has a buffer of its own
			}
			size = max(int(info.Size()+1), cap(b.text)) // one more byte than the file has, so that reading finds the end
		}
		if err := b.readTo(f, min(size, limit)); err != nil {
			return nil, err
		}
	}
	if b.isWhole {
		return bytes.NewBuffer(b.text), nil
	}
	return io.MultiReader(bytes.NewReader(b.text), f), nil
}

// A statReader is a file that is open for reading.
type statReader interface {
	io.Reader
	Stat() (fs.FileInfo, error)
}
