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
)

// A file is the octets of a resource, its record in JSON, and a tail of 24
// octets:
//
//	octets  record  "locus.c1"  length of record  CRC of octets  CRC of record  0
//	                8           4                 4              4              4
//
// Numbers are big-endian; the CRCs are Castagnoli's.
const (
	magic    = "locus.c1"
	tailSize = 24
)

var table = crc32.MakeTable(crc32.Castagnoli)

var (
	errDamaged  = errors.New("what was kept is damaged")
	errReplaced = errors.New("what was kept is replaced")
	errFull     = errors.New("as much is being written as may be")
)

// A writing is a file that is being written.
type writing struct {
	folder *Folder
	file   *os.File
	name   string
	sum    hash.Hash32
	n      int64 // octets of the resource so far
	length int64 // octets of the file that nobody else counts
}

// create begins a file.
func (f *Folder) create() (*writing, error) {
	if f.isFull() {
		return nil, errFull
	}
	name := tmp + rand.Text()
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &writing{folder: f, file: file, name: name, sum: crc32.New(table)}, nil
}

// Write adds octets of the resource.
func (w *writing) Write(p []byte) (int, error) { return w.put(p, w.n) }

// put adds octets of the resource at an offset of the file: the end, unless it
// will not be kept.
func (w *writing) put(p []byte, at int64) (int, error) {
	n, err := w.file.WriteAt(p, at)
	w.sum.Write(p[:n])
	w.n += int64(n)
	if grown := at + int64(n) - w.length; grown > 0 {
		w.length += grown
		w.folder.unkept.Add(grown)
	}
	return n, err
}

// discard ends the file without keeping it.
func (w *writing) discard() {
	w.forget()
	w.close()
}

// close closes the file, which nobody reads any more.
func (w *writing) close() {
	w.file.Close()
	w.folder.unkept.Add(-w.length)
	w.length = 0
}

// forget removes the file, which may still be read. If it cannot be removed, a
// later process does.
func (w *writing) forget() { _ = w.folder.root.Remove(w.name) }

// commit keeps the file as what kept says. The file stays open for those who
// read it.
func (w *writing) commit(kept *record) error {
	kept.Length, kept.sum = w.n, w.sum.Sum32()
	rest, err := tailOf(kept)
	if err != nil {
		return err
	}
	if _, err := w.file.WriteAt(rest, w.n); err != nil {
		return err
	}
	f, name := w.folder, nameOf(kept.Key)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.settle(w.name, name); err != nil {
		return err
	}
	f.unkept.Add(-w.length)
	w.length = 0
	f.add(name, w.n+int64(len(rest)), kept)
	f.evict()
	return nil
}

// settle renames a file that is whole to its own name. Its folder is made when
// the first file comes there.
func (f *Folder) settle(temporary, name string) error {
	err := f.root.Rename(temporary, pathOf(name))
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := f.root.Mkdir(name[:2], 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return f.root.Rename(temporary, pathOf(name))
}

func tailOf(kept *record) ([]byte, error) {
	text, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	rest := append(text, magic...)
	rest = binary.BigEndian.AppendUint32(rest, uint32(len(text)))
	rest = binary.BigEndian.AppendUint32(rest, kept.sum)
	rest = binary.BigEndian.AppendUint32(rest, crc32.Checksum(text, table))
	return append(rest, 0, 0, 0, 0), nil
}

// read returns the record of a file.
func (f *Folder) read(name string) (*record, error) {
	f.tails.RLock()
	defer f.tails.RUnlock()
	file, err := f.root.Open(pathOf(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readTail(file)
}

// readTail returns the record of a file.
func readTail(file *os.File) (*record, error) {
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
	kept := new(record)
	if crc32.Checksum(text, table) != binary.BigEndian.Uint32(tail[16:]) {
		return nil, errDamaged
	}
	if err := json.Unmarshal(text, kept); err != nil || kept.Length != at-length {
		return nil, errDamaged
	}
	kept.sum = binary.BigEndian.Uint32(tail[12:])
	return kept, nil
}

// refresh writes a record anew, whose octets stay as they are.
func (f *Folder) refresh(kept *record) error {
	f.tails.Lock()
	defer f.tails.Unlock()
	name := nameOf(kept.Key)
	file, err := f.root.OpenFile(pathOf(name), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	old, err := readTail(file)
	if err == nil && !old.isSame(kept) {
		err = errReplaced
	}
	if err != nil {
		return err
	}
	rest, err := tailOf(kept)
	if err != nil {
		return err
	}
	if err := file.Truncate(kept.Length); err != nil { // from here on a crash makes it a damaged one
		return err
	}
	if _, err := file.WriteAt(rest, kept.Length); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.items[name]; ok {
		f.add(name, kept.Length+int64(len(rest)), kept)
	}
	return nil
}

// A keptBody reads the octets of a file. At their end they are compared with
// their CRC, unless some were skipped.
type keptBody struct {
	folder *Folder
	kept   *record
	file   *os.File
	at     int64
	sum    hash.Hash32 // nil once octets were skipped
}

// open opens the octets of what is kept.
func (f *Folder) open(kept *record) (*keptBody, error) {
	f.tails.RLock()
	defer f.tails.RUnlock()
	file, err := f.root.Open(pathOf(nameOf(kept.Key)))
	if err != nil {
		f.lost(nameOf(kept.Key), err)
		return nil, err
	}
	now, err := readTail(file)
	switch {
	case err != nil:
		f.lost(nameOf(kept.Key), err)
	case !now.isSame(kept): // by another process, or just now
		err = errReplaced
		f.reread(kept)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &keptBody{folder: f, kept: kept, file: file, sum: crc32.New(table)}, nil
}

// skip goes to the octet n, without looking at those before.
func (b *keptBody) skip(n int64) { b.at, b.sum = n, nil }

func (b *keptBody) Read(p []byte) (int, error) {
	left := b.kept.Length - b.at
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

// verify returns io.EOF, or what is wrong with the octets that were read.
func (b *keptBody) verify() error {
	if b.sum == nil || b.sum.Sum32() == b.kept.sum {
		return io.EOF
	}
	b.folder.remove(b.kept.Key)
	return errDamaged
}

func (b *keptBody) Close() error { return b.file.Close() }
