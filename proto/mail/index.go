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

// An index maps ids to the messages that have them. It may be out of date. So a message is checked
// before it is returned, and if an id is missing, the mail is read again unless it has not changed.
//
// On disk it is one file, which is read and written as a whole:
//
//	"locus mail index 3\n"
//	stamp
//	entries  count, then each: path, offset, stamp, number of ids and flag, ids
//	directories  count, then each: name, time of change
//	CRC-32C of all that, 4 bytes
//
// Numbers are varints, texts are preceded by their length, and ids are the first 8 bytes of their
// SHA-256. A look-up compares every id. For 100 000 messages that takes milliseconds, and it makes
// sorting, locks and a database unnecessary.
type index struct {
	stamp   stamp      // mbox: the stamp of the file
	entries []entry    // the messages, in the order in which they were read
	dirs    []dirStamp // Maildir: every cur and new, in the order in which they were read
}

// A dirStamp is a directory and the time of its last change before it was listed, in nanoseconds
// since 1970. The time 0 means that the directory must be listed again.
type dirStamp struct {
	name    string
	changed int64
}

// A stamp tells versions of a file apart by the size and the time of modification. No file has the
// zero stamp.
type stamp struct {
	size  int64
	mtime int64 // nanoseconds since 1970
}

// An entry is one message.
type entry struct {
	path   string   // Maildir: the path of its file in the directory. mbox: ""
	offset int64    // mbox: the offset of its first byte, after its From_ line
	stamp  stamp    // Maildir: the stamp of its file
	parts  bool     // ids has the content-ids of all its parts
	ids    []uint64 // hashes of ids
}

const indexMagic = "locus mail index 3\n"

// hashMessageID returns the hash of a message-id. It differs from the hash of an equal content-id.
func hashMessageID(id string) uint64 { return hashID("message " + id) }

// hashContentID returns the hash of a content-id. It differs from the hash of an equal message-id.
func hashContentID(id string) uint64 { return hashID("content " + id) }

// hashID returns the first 8 bytes of the SHA-256 of text as a number.
func hashID(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

// hash returns the hash of the message-id of q or, if q has none, of its content-id.
func (q Query) hash() uint64 {
	if q.MessageID != "" {
		return hashMessageID(q.MessageID)
	}
	return hashContentID(q.ContentID)
}

// needsParts reports whether q asks for a content-id.
func (q Query) needsParts() bool { return q.MessageID == "" }

// find returns the entries that have the id of q, in the order in which they were read. Hashes may
// collide, so the caller checks the messages. The pointers refer to x.
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

// hasAllIDs reports whether every entry has all its ids of the kind that q asks for. If not, a
// message that find does not return may still match q.
func (x *index) hasAllIDs(q Query) bool {
	return !q.needsParts() || !slices.ContainsFunc(x.entries, func(e entry) bool { return !e.parts })
}

// encode returns the content of the index file for x. decodeIndex is its inverse.
func (x *index) encode() []byte {
	b := []byte(indexMagic)
	b = appendStamp(b, x.stamp)
	b = binary.AppendUvarint(b, uint64(len(x.entries)))
	for _, e := range x.entries {
		b = appendText(b, e.path)
		b = binary.AppendVarint(b, e.offset)
		b = appendStamp(b, e.stamp)
		b = binary.AppendUvarint(b, uint64(len(e.ids))<<1|flag(e.parts))
		for _, id := range e.ids {
			b = binary.BigEndian.AppendUint64(b, id)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(x.dirs)))
	for _, f := range x.dirs {
		b = binary.AppendVarint(appendText(b, f.name), f.changed)
	}
	return binary.BigEndian.AppendUint32(b, checksum(b))
}

// flag returns 1 for true and 0 for false, as encode writes it.
func flag(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// appendStamp appends the encoding of s to b.
func appendStamp(b []byte, s stamp) []byte {
	return binary.AppendVarint(binary.AppendVarint(b, s.size), s.mtime)
}

// appendText appends the length of s in bytes and s to b.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// checksum returns the CRC-32C of b.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

var errIndex = errors.New("this is not an index of mail")

// decodeIndex is the inverse of encode. It returns errIndex if b is damaged or has another version.
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
	ids := make([]uint64, 0, n) // the ids of all entries, of which most have one
	for range n {
		e := entry{path: d.text(), offset: d.signed(), stamp: d.stamp()}
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
		x.dirs = append(x.dirs, dirStamp{d.text(), d.signed()})
	}
	if d.bad || len(d.rest) > 0 {
		return nil, errIndex
	}
	return x, nil
}

// A decoder decodes numbers and texts. After the first error it returns zeros.
type decoder struct {
	rest []byte
	all  string // the same bytes; texts are slices of it
	bad  bool
}

// number decodes an unsigned varint. It returns 0 after an error.
func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.rest)
	return advance(d, n, size)
}

// signed decodes a signed varint. It returns 0 after an error.
func (d *decoder) signed() int64 {
	n, size := binary.Varint(d.rest)
	return advance(d, n, size)
}

// stamp decodes a stamp.
func (d *decoder) stamp() stamp { return stamp{size: d.signed(), mtime: d.signed()} }

// advance returns n, which was decoded from the next size bytes, and removes these bytes. If size
// is 0 or less, which reports an invalid number, advance sets bad and returns 0.
func advance[T uint64 | int64](d *decoder, n T, size int) T {
	if size <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count decodes the number of items that follow. least is the minimum number of bytes of an item.
// If so many items do not fit into the rest, count sets bad and returns 0.
func (d *decoder) count(least int) uint64 { return d.bounded(d.number(), least) }

// bounded returns n, the number of items that follow, each of which has least bytes or more. If so
// many items do not fit into the rest, it sets bad, drops the rest and returns 0.
func (d *decoder) bounded(n uint64, least int) uint64 {
	if n > uint64(len(d.rest)/least) {
		d.bad, d.rest = true, nil
		return 0
	}
	return n
}

// text decodes a length and a text of that length. The result shares the memory of d.all.
func (d *decoder) text() string {
	n := d.count(1)
	at := len(d.all) - len(d.rest)
	d.rest = d.rest[n:]
	return d.all[at : at+int(n)]
}

// id decodes the hash of an id. The caller has checked that eight bytes are left.
func (d *decoder) id() uint64 {
	id := binary.BigEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return id
}

// indexName returns the file name of an index in the cache. kind is the kind of the mail, such as
// "maildir", and name is its path. Different mail has different names.
func indexName(kind, name string) string {
	return fmt.Sprintf("mail-%x.index", sha256.Sum256([]byte(kind+" "+name)))
}

// loadIndex reads the index from the file name in cache. It returns an empty index if cache is
// nil, or if the file is missing or damaged.
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

// save writes the index into the file name in cache. It returns nil without an effect if cache is
// nil. It writes another file and renames it, so that a reader finds either the old index or the
// new one.
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

// stampOf returns the stamp of the file with the attributes info.
func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

// settledAfter is the time in nanoseconds after which a further change of a file is certain to
// change its time of modification.
const settledAfter = 2e9

// settled returns s, the stamp of a file, unless the file was modified less than settledAfter
// before now. Then it returns the zero stamp, because a further change might not change the stamp.
// Callers get the stamp before they read the file.
func (s stamp) settled(now time.Time) stamp {
	if now.UnixNano()-s.mtime < settledAfter {
		return stamp{}
	}
	return s
}
