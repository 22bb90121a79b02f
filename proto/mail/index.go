package mail

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"time"
)

// An index says which messages have an id. It may be out of date: a message is
// checked before it is returned, and a missing id means nothing once the mail has
// changed.
//
// On disk it is one file, read and written as a whole:
//
//	"locus mail index 3\n"
//	stamp
//	entries  count, then each: place, offset, stamp, number of ids and flag, ids
//	folders  count, then each: name, time of change
//	CRC-32C of all that, 4 bytes
//
// Numbers are varints, texts have their length before them, ids are the first 8
// bytes of their SHA-256. A look-up compares every id: for 100 000 messages that
// takes milliseconds, and needs no sorting, lock or database.
type index struct {
	stamp   stamp // mbox: of the file
	entries []entry
	folders []folderStamp // Maildir: every cur and new, in the order in which they were read
}

// A folderStamp is a folder, and when it had last changed when it was listed, in
// nanoseconds since 1970; 0 if it must be listed again.
type folderStamp struct {
	name    string
	changed int64
}

// A stamp tells versions of a file apart: its size, and when it was last modified.
// The zero stamp equals that of no file.
type stamp struct {
	size  int64
	mtime int64 // nanoseconds since 1970
}

// An entry is one message.
type entry struct {
	place  string // Maildir: its path in the folder. mbox: ""
	offset int64  // mbox: where the message begins, after its From_ line
	stamp  stamp  // Maildir: of the file
	parts  bool   // whether ids has the content-ids of all its parts
	ids    []uint64
}

const indexMagic = "locus mail index 3\n"

// A message-id and an equal content-id have different hashes.
func hashMessageID(id string) uint64 { return hashID("message " + id) }
func hashContentID(id string) uint64 { return hashID("content " + id) }

func hashID(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

func (q Query) hash() uint64 {
	if q.MessageID != "" {
		return hashMessageID(q.MessageID)
	}
	return hashContentID(q.ContentID)
}

// needsParts reports whether q asks for a content-id.
func (q Query) needsParts() bool { return q.MessageID == "" }

// find returns the entries that have the id that q asks for.
func (x *index) find(q Query) []*entry {
	want := q.hash()
	var found []*entry
	for i, e := range x.entries {
		if slices.Contains(e.ids, want) {
			found = append(found, &x.entries[i])
		}
	}
	return found
}

// knows reports whether the index has every id of the kind that q asks for.
func (x *index) knows(q Query) bool {
	return !q.needsParts() || !slices.ContainsFunc(x.entries, func(e entry) bool { return !e.parts })
}

func (x *index) encode() []byte {
	b := []byte(indexMagic)
	b = appendStamp(b, x.stamp)
	b = binary.AppendUvarint(b, uint64(len(x.entries)))
	for _, e := range x.entries {
		b = appendText(b, e.place)
		b = binary.AppendVarint(b, e.offset)
		b = appendStamp(b, e.stamp)
		b = binary.AppendUvarint(b, uint64(len(e.ids))<<1|flag(e.parts))
		for _, id := range e.ids {
			b = binary.BigEndian.AppendUint64(b, id)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(x.folders)))
	for _, f := range x.folders {
		b = binary.AppendVarint(appendText(b, f.name), f.changed)
	}
	return binary.BigEndian.AppendUint32(b, checksum(b))
}

func flag(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

func appendStamp(b []byte, s stamp) []byte {
	return binary.AppendVarint(binary.AppendVarint(b, s.size), s.mtime)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

var errIndex = errors.New("this is no index of mail")

// decodeIndex is the inverse of encode.
func decodeIndex(b []byte) (*index, error) {
	if len(b) < len(indexMagic)+4 || !bytes.HasPrefix(b, []byte(indexMagic)) {
		return nil, errIndex
	}
	b, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if checksum(b) != sum {
		return nil, errIndex
	}
	d := &decoder{rest: b[len(indexMagic):], all: string(b[len(indexMagic):])}
	x := &index{stamp: d.stamp()}
	n := d.count(5)
	x.entries = make([]entry, 0, n)
	ids := make([]uint64, 0, n) // of all entries, most of which have one
	for range n {
		e := entry{place: d.text(), offset: d.signed(), stamp: d.stamp()}
		k := d.number()
		e.parts = k&1 != 0
		first := len(ids)
		for range d.bounded(k>>1, 8) {
			ids = append(ids, d.id())
		}
		e.ids = slices.Clip(ids[first:])
		x.entries = append(x.entries, e)
	}
	for range d.count(2) {
		x.folders = append(x.folders, folderStamp{d.text(), d.signed()})
	}
	if d.bad || len(d.rest) > 0 {
		return nil, errIndex
	}
	return x, nil
}

// A decoder reads numbers and texts. After the first error it returns zeros.
type decoder struct {
	rest []byte
	all  string // the same bytes; texts are slices of it
	bad  bool
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.rest)
	return decoded(d, n, size)
}

func (d *decoder) signed() int64 {
	n, size := binary.Varint(d.rest)
	return decoded(d, n, size)
}

func (d *decoder) stamp() stamp { return stamp{size: d.signed(), mtime: d.signed()} }

func decoded[T uint64 | int64](d *decoder, n T, size int) T {
	if size <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count reads how many items follow, each of at least least bytes.
func (d *decoder) count(least int) uint64 { return d.bounded(d.number(), least) }

// bounded returns n if n items of at least least bytes can follow.
func (d *decoder) bounded(n uint64, least int) uint64 {
	if n > uint64(len(d.rest)/least) {
		d.bad, d.rest = true, nil
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.count(1)
	at := len(d.all) - len(d.rest)
	d.rest = d.rest[n:]
	return d.all[at : at+int(n)]
}

// id reads the hash of an id. The caller has checked that it is there.
func (d *decoder) id() uint64 {
	id := binary.BigEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return id
}

func indexName(kind, name string) string {
	return fmt.Sprintf("mail-%x.index", sha256.Sum256([]byte(kind+" "+name)))
}

// loadIndex reads an index from the cache. If that fails it returns an empty one.
func loadIndex(cache *os.Root, name string) *index {
	if cache != nil {
		if b, err := cache.ReadFile(name); err == nil {
			if x, err := decodeIndex(b); err == nil {
				return x
			}
		}
	}
	return &index{}
}

// save writes the index into the cache, if there is one. It writes another file and
// renames it, so that a reader finds the old index or the new one.
func (x *index) save(cache *os.Root, name string) error {
	if cache == nil {
		return nil
	}
	temporary := name + "." + rand.Text()
	err := cache.WriteFile(temporary, x.encode(), 0o600)
	if err == nil {
		err = cache.Rename(temporary, name)
	}
	if err != nil {
		_ = cache.Remove(temporary)
	}
	return err
}

// stampOf returns the stamp of a file as it is.
func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

// settledAfter is how many nanoseconds after a change the time of modification
// tells versions of a file apart.
const settledAfter = 2e9

// settled returns s if any later change of the file will change its stamp, and the
// zero stamp if the file was modified just now. It is called before the file is
// read.
func (s stamp) settled(now time.Time) stamp {
	if now.UnixNano()-s.mtime < settledAfter {
		return stamp{}
	}
	return s
}
