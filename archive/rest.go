package archive

import (
	"crypto/rand"
	"io"
	"os"
	"strconv"
)

// A rest is the part of a stored block that does not fit in memory. It is written to the
// end of the archive at once, so that a large block need not be copied. If another record
// is written while the block still arrives, the block moves into a temporary file. The
// archive has one end, so a second large block that arrives at the same time begins in a
// temporary file.
type rest struct {
	writer *Writer
	target string // of the block's record; "": the block always uses a temporary file
	before []byte // stored.data: the bytes of the block before the rest, which stay in memory
	began  bool   // Write was called

	// The lock of the writer guards these.
	room int        // bytes before the block at the end of the archive, reserved for the start of its record
	file *temporary // nil while the block is in the archive
	err  error      // the reason why bytes are lost
}

// Write appends p to the rest of the block. The first call decides where the rest goes: to the end
// of the archive or into a temporary file. After an error every call returns that error.
func (r *rest) Write(p []byte) (int, error) {
	w := r.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if !r.began {
		r.began = true
		r.err = r.begin()
	}
	switch {
	case r.err != nil:
	case r.file != nil:
		_, r.err = r.file.Write(p)
	default:
		_, r.err = w.file.Write(p)
	}
	if r.err != nil {
		return 0, r.err
	}
	return len(p), nil
}

// begin prepares the first Write. It reserves space for the fields at the end of the archive, and
// writes the bytes in r.before behind this space. It makes a temporary file instead if another
// block is already there, or if the block must not grow in the archive, as without a target. The
// caller has locked the writer.
func (r *rest) begin() error {
	w := r.writer
	if w.err != nil {
		return w.err
	}
	if w.growing != nil || r.target == "" || len(r.target) > maxValue {
		return r.createFile()
	}
	if err := w.rotateIfLarge(); err != nil {
		return err
	}
	w.growing = r
	r.room = usualFields + len(r.target)
	start, err := w.format.startOfSize(unfinished(r.target), r.room)
	if err == nil {
		_, err = w.file.Write(append(start, r.before...))
	}
	return err
}

// usualFields is more bytes than the fields of a record usually have, apart from its
// target. Together with the longest target it is less than 64 KiB, the limit of an extra
// field of gzip and of a stored block of deflate.
const usualFields = 2048

// unfinished returns the fields for the reserved space before a block that still arrives. Their
// Content-Length is longer than any block, so that a reader sees a record that ends early if the
// process is killed.
func unfinished(target string) Fields {
	return Fields{
		{"WARC-Type", typeMetadata},
		{"WARC-Record-ID", newID()},
		{"WARC-Date", now().Format(dateFormat)},
		{"WARC-Target-URI", target},
		{"Content-Length", strconv.FormatInt(1<<62, 10)},
	}
}

// move moves the rest of the block from the end of the archive into a temporary file, so that
// another record can be written there. r.err has the error. The caller has locked the writer.
func (r *rest) move() {
	w := r.writer
	r.err = r.copyOut()
	if err := w.truncate(w.size); r.err == nil {
		r.err = err
	}
}

// copyOut makes the temporary file, and copies the rest of the block into it from the end of the
// archive. The caller has locked the writer.
func (r *rest) copyOut() error {
	if r.err != nil {
		return r.err
	}
	if err := r.createFile(); err != nil {
		return err
	}
	if _, err := r.writer.file.Seek(r.writer.size+int64(r.room+len(r.before)), io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(r.file, r.writer.file)
	return err
}

// createFile makes the temporary file, r.file.
func (r *rest) createFile() (err error) {
	r.file, err = newTemporary(r.writer.root)
	return err
}

// A temporary is a temporary file. Close removes it.
type temporary struct {
	*os.File
	root *os.Root
	name string // "" after the name is removed
}

// newTemporary returns a new temporary file below root. If the system allows, it removes the file's name at once, so
// that a killed process does not leave the file.
func newTemporary(root *os.Root) (*temporary, error) {
	name := ".locus-" + rand.Text()
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if root.Remove(name) == nil {
		name = ""
	}
	return &temporary{f, root, name}, nil
}

// Close closes the file, and removes its name if that is still there.
func (t *temporary) Close() error {
	err := t.File.Close()
	if t.name != "" {
		_ = t.root.Remove(t.name) // a leftover is harmless
	}
	return err
}

// discard removes the temporary file, and removes the block from the end of the archive unless it
// has become part of a record.
func (r *rest) discard() {
	if !r.began {
		return
	}
	w := r.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	r.discardLocked()
}

// discardLocked removes the temporary file, and removes the block from the end of the archive
// unless it has become part of a record. The caller has locked the writer.
func (r *rest) discardLocked() {
	w := r.writer
	if w.growing == r {
		_ = w.truncate(w.size) // truncate stores its error in w.err
	}
	if r.file == nil {
		return
	}
	r.file.Close()
	r.file = nil
}
