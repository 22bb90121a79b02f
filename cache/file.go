package cache

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"sync/atomic"
)

// A file has the bytes of a resource, its metadata in JSON, and a tail of 24 bytes:
//
//	bytes  metadata  "locus.c1"  length of metadata  CRC of bytes  CRC of metadata  0
//	                  8           4                   4             4                4
//
// Numbers are big-endian; the CRCs are Castagnoli's.
const (
	magic    = "locus.c1"
	tailSize = 24
)

// table returns the table for the checksums. Package crc32 makes the table at the first call.
func table() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

var (
	errDamaged  = errors.New("the stored file is damaged")
	errReplaced = errors.New("the stored file was replaced")
	errFull     = errors.New("too much is being written already")
	errOutdated = errors.New("the resource was changed while it was written")
)

// A writing is a temporary file that is being written. Either commit stores it, or forget removes
// it. In both cases close must follow.
type writing struct {
	folder *Folder
	file   *os.File
	name   string
	sum    hash.Hash32
	n      int64 // bytes of the resource so far
	length int64 // the share of this file in Folder.unfinished

	outdated *atomic.Bool // the resource was changed meanwhile, so commit refuses; may be nil
}

// create creates a temporary file, which the caller commits or discards. The error is errFull if
// the unfinished files already take too much space.
func (f *Folder) create() (*writing, error) {
	if f.isFull() {
		return nil, errFull
	}
	name := tmp + rand.Text()
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &writing{folder: f, file: file, name: name, sum: crc32.New(table())}, nil
}

// Write appends p to the bytes of the resource.
func (w *writing) Write(p []byte) (int, error) {
	n, err := w.file.WriteAt(p, w.n)
	w.sum.Write(p[:n])
	w.n += int64(n)
	w.length += int64(n)
	w.folder.unfinished.Add(int64(n))
	return n, err
}

// discard closes the file and removes it.
func (w *writing) discard() {
	w.forget()
	w.close()
}

// close closes the file, and subtracts it from Folder.unfinished. Readers must not use the file
// after that.
func (w *writing) close() {
	w.file.Close()
	w.folder.unfinished.Add(-w.length)
	w.length = 0
}

// forget removes the file from the folder. Readers that have it open may still read it. forget
// ignores an error, because a later process removes temporary files that are left.
func (w *writing) forget() { _ = w.folder.root.Remove(w.name) }

// commit writes the metadata stored, and renames the file, so that the folder has it under
// stored.Key. It sets the Length and the checksum of stored. It may evict other files. The file
// stays open for its readers. The error is errOutdated if the resource was changed meanwhile.
func (w *writing) commit(stored *metadata) error {
	stored.Length, stored.sum = w.n, w.sum.Sum32()
	rest, err := tailOf(stored)
	if err != nil {
		return err
	}
	if _, err := w.file.WriteAt(rest, w.n); err != nil {
		return err
	}
	f, name := w.folder, nameOf(stored.Key)
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.outdated != nil && w.outdated.Load() { // forgetKey sets it, and removes the stored file then
		return errOutdated
	}
	if err := f.rename(w.name, name); err != nil {
		return err
	}
	f.unfinished.Add(-w.length)
	w.length = 0
	f.add(name, w.n+int64(len(rest)), stored)
	f.evict()
	return nil
}

// finish commits the file with the metadata stored, and closes it. If commit fails, finish removes
// the file.
func (w *writing) finish(stored *metadata) {
	if w.commit(stored) != nil {
		w.forget()
	}
	w.close()
}

// rename gives the complete file temporary its final name, which nameOf returns. If the directory
// for that name does not exist, rename makes it.
func (f *Folder) rename(temporary, name string) error {
	err := f.root.Rename(temporary, pathOf(name))
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := f.root.Mkdir(name[:2], 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return f.root.Rename(temporary, pathOf(name))
}

// tailOf returns the bytes that follow the resource in its file: the metadata in JSON and the tail.
// It sets stored.size to the length of the JSON.
func tailOf(stored *metadata) ([]byte, error) {
	text, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	stored.size = len(text)
	rest := append(text, magic...)
	rest = binary.BigEndian.AppendUint32(rest, uint32(len(text)))
	rest = binary.BigEndian.AppendUint32(rest, stored.sum)
	rest = binary.BigEndian.AppendUint32(rest, crc32.Checksum(text, table()))
	return append(rest, 0, 0, 0, 0), nil
}

// read opens the named file, and returns it with its metadata. The caller closes the file. After an
// error, read has removed a damaged file, and forgotten a file that no longer exists.
func (f *Folder) read(name string) (*os.File, *metadata, error) {
	lock := f.tails.forFile(name)
	lock.RLock()
	defer lock.RUnlock()
	file, err := f.root.Open(pathOf(name))
	if err != nil {
		f.removeIfLost(name, err)
		return nil, nil, err
	}
	stored, err := readTail(file)
	if err != nil {
		file.Close()
		f.removeIfLost(name, err)
		return nil, nil, err
	}
	return file, stored, nil
}

// readTail reads the metadata from the end of an open file. The error is errDamaged if they are not
// whole.
func readTail(file *os.File) (*metadata, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var tail [tailSize]byte
	at := info.Size() - tailSize
	if at < 0 {
		return nil, errDamaged
	}
	if _, err := file.ReadAt(tail[:], at); err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(tail[8:]))
	if string(tail[:8]) != magic || length > at {
		return nil, errDamaged
	}
	text := make([]byte, length)
	if _, err := file.ReadAt(text, at-length); err != nil {
		return nil, err
	}
	stored := new(metadata)
	if crc32.Checksum(text, table()) != binary.BigEndian.Uint32(tail[16:]) {
		return nil, errDamaged
	}
	if err := json.Unmarshal(text, stored); err != nil || stored.Length != at-length {
		return nil, errDamaged
	}
	if stored.Entry != nil {
		stored.setEntry(stored.Entry)
	}
	stored.sum, stored.size = binary.BigEndian.Uint32(tail[12:]), int(length)
	return stored, nil
}

// refresh replaces the metadata of a stored resource in its file and in memory, but not the bytes
// of the resource. If the file now has another resource, the error is errReplaced.
func (f *Folder) refresh(stored *metadata) error {
	name := nameOf(stored.Key)
	lock := f.tails.forFile(name)
	lock.Lock()
	defer lock.Unlock()
	file, err := f.root.OpenFile(pathOf(name), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	old, err := readTail(file)
	if err == nil && !old.isSame(stored) {
		err = errReplaced
	}
	if err != nil {
		return err
	}
	rest, err := tailOf(stored)
	if err != nil {
		return err
	}
	if err := file.Truncate(stored.Length); err != nil { // a crash from here on leaves a damaged file, which is removed
		return err
	}
	if _, err := file.WriteAt(rest, stored.Length); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.items[name]; ok {
		f.add(name, stored.Length+int64(len(rest)), stored)
	}
	return nil
}

// A storedBody reads the bytes of a resource from its file. At the end it compares their
// CRC, unless bytes were skipped.
type storedBody struct {
	folder *Folder
	stored *metadata
	file   *os.File
	at     int64       // the offset of the next byte
	sum    hash.Hash32 // of the bytes read; nil once bytes were skipped
}

// open opens the file of a stored resource for reading. The error is errReplaced if another
// resource has replaced it; open then also removes stored from memory. The caller closes the body.
func (f *Folder) open(stored *metadata) (*storedBody, error) {
	file, now, err := f.read(nameOf(stored.Key))
	if err != nil {
		return nil, err
	}
	if !now.isSame(stored) { // replaced by another process, or just now
		file.Close()
		f.reread(stored)
		return nil, errReplaced
	}
	return &storedBody{folder: f, stored: stored, file: file, sum: crc32.New(table())}, nil
}

// skip moves to the offset n. The CRC is then not compared, because it covers all bytes.
func (b *storedBody) skip(n int64) { b.at, b.sum = n, nil }

// Read reads the resource from its file. At the end it compares the CRC, if it has read all bytes.
// The error is errDamaged if the CRC differs or the file is too short.
func (b *storedBody) Read(p []byte) (int, error) {
	left := b.stored.Length - b.at
	if left == 0 {
		return 0, b.verify()
	}
	n, err := b.file.ReadAt(p[:min(int64(len(p)), left)], b.at)
	b.at += int64(n)
	if b.sum != nil {
		b.sum.Write(p[:n])
	}
	if n > 0 || err == nil {
		return n, nil
	}
	return 0, fmt.Errorf("%w: %w", errDamaged, err)
}

// verify returns io.EOF if the CRC is right, or unknown because bytes were skipped. Otherwise it
// removes the file, and returns errDamaged.
func (b *storedBody) verify() error {
	if b.sum == nil || b.sum.Sum32() == b.stored.sum {
		return io.EOF
	}
	b.folder.remove(b.stored.Key)
	return errDamaged
}

func (b *storedBody) Close() error { return b.file.Close() }
