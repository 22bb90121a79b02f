// Package spill has collections that may be larger than memory. A few megabytes of each
// stay in memory, and the rest goes into temporary files.
//
//   - Queue: values, each read once, in the order in which they were added
//   - Table, Set: numbers and membership by the hash of a text
//   - Journal: a file with lines of JSON, in which the last line with a key counts
//   - Log: a byte sequence that grows at its end, and is read and patched anywhere
//   - Texts: the texts in a Log, each with a state of 64 bits, found by their bytes
//   - Sorter: values in sorted order, by runs that are merged
//
// Queues, Tables, Sets and the offsets of Journals share the bounds and the files of a
// Store. A Store remembers its first error. After it, queues are empty, and tables and sets
// report that they have every key, so that the caller's loops end soon. So a caller checks
// Store.Err at the end of a step, not after each call. A Log, Texts and a Sorter return
// their errors, because their files belong to the caller.
package spill

import (
	"crypto/rand"
	"crypto/sha256"
	"io"
	"os"
)

// A File is a temporary file of a Log.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// A Temp is a temporary file of a Store. Its name may already be removed from the folder.
type Temp struct {
	*os.File
	dir  *os.Root
	name string
}

// NewTemp returns a new, empty file in dir. It removes the name of the file at once if the
// system allows it, so that a killed process does not leave the file.
func NewTemp(dir *os.Root) (*Temp, error) {
	f := &Temp{dir: dir, name: "spool" + rand.Text()}
	var err error
	if f.File, err = dir.OpenFile(f.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	_ = dir.Remove(f.name)
	return f, nil
}

// remove closes the file, and removes its name if that is still there.
func (f *Temp) remove() {
	f.Close()
	_ = f.dir.Remove(f.name)
}

// A Hash stands for a text. It is so long that different texts have different hashes.
type Hash [16]byte

// HashOf returns the hash of a text.
func HashOf(text string) Hash {
	sum := sha256.Sum256([]byte(text))
	return Hash(sum[:16])
}

// readFull reads len(p) bytes of r from offset at on. The error is io.ErrUnexpectedEOF if r has
// fewer.
func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	return unexpected(err)
}

// unexpected returns io.ErrUnexpectedEOF if err is io.EOF, and err otherwise.
func unexpected(err error) error {
	if err == io.EOF { // a wrapped one says more
		return io.ErrUnexpectedEOF
	}
	return err
}
