package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"slices"
	"sort"
)

// A Key is the start of the hash of a text. The chance that two of ten million texts
// share one is 1 in ten thousand million.
type Key [10]byte

// ValueSize is the size of a value.
const ValueSize = 6

// KeyOf returns the key for a text. It is never zero.
func KeyOf(text string) Key {
	h := HashOf(text)
	key := Key(h[:len(Key{})])
	key[len(key)-1] |= 1
	return key
}

// A Table is a hash table with open addressing, at most three quarters full. A large table
// is in a file, with a window of it in memory. New keys stay pending in memory, and are
// written together in the order of their slots, because writing them one by one all over
// the file takes several times as long.
//
//	slot  key (10 bytes, zero if it is free)  value (6 bytes, unless keysOnly)
type Table struct {
	store    *Store
	keysOnly bool

	slots, used int64
	file        *Temp // nil if the window has all slots
	window      []byte
	start       int64 // first slot of the window
	span        int64 // number of slots in a window
	dirty       bool  // the window must be written to the file
	pending     map[Key]uint64
}

// NewTable returns an empty Table, whose file is in s.
func NewTable(s *Store) *Table { return &Table{store: s} }

// Err returns the error of the Store.
func (t *Table) Err() error { return t.store.Err() }

const (
	firstSlots  = 1 << 8
	windowSlots = 1 << 6  // for access at random
	growSlots   = 1 << 14 // for access in order
)

// width returns the size of a slot in bytes.
func (t *Table) width() int64 {
	if t.keysOnly {
		return int64(len(Key{}))
	}
	return int64(len(Key{}) + ValueSize)
}

// Get returns the value of a key. ok is false if the table lacks the key. After the Store has
// failed, v is 0 and ok is true.
func (t *Table) Get(key Key) (v uint64, ok bool) {
	if t.store.Err() != nil {
		return 0, true
	}
	if t.slots == 0 {
		return 0, false
	}
	if v, ok = t.pending[key]; ok {
		return v, true
	}
	slot, found := t.find(key)
	if slot == nil {
		return 0, true
	}
	var b [8]byte
	copy(b[8-ValueSize:], slot[len(key):])
	return binary.BigEndian.Uint64(b[:]), found
}

// Put sets the value of a key to v, which must be less than 1<<48. An error makes the Store fail.
func (t *Table) Put(key Key, v uint64) {
	if t.file != nil {
		t.pending[key] = v
		if len(t.pending) >= t.store.Bounds.Pending {
			t.writePending()
		}
		return
	}
	if t.makeRoom(1) {
		t.insert(key, v)
	}
}

// writePending moves the pending keys into the slots. An error makes the Store fail.
func (t *Table) writePending() {
	keys := slices.Collect(maps.Keys(t.pending))
	sort.Slice(keys, func(i, j int) bool { return bytes.Compare(keys[i][:], keys[j][:]) < 0 })
	if !t.makeRoom(int64(len(keys))) {
		return
	}
	err := t.widen(growSlots)
	for _, key := range keys {
		t.insert(key, t.pending[key])
	}
	clear(t.pending)
	if err = errors.Join(err, t.widen(windowSlots)); err != nil {
		t.store.Fail(err)
	}
}

// makeRoom grows the table until n more keys fit. It returns false if the Store has failed.
func (t *Table) makeRoom(n int64) bool {
	for (t.used+n)*4 > t.slots*3 {
		if !t.grow() {
			return false
		}
	}
	return true
}

// insert writes a key and its value into the slot of the key. The table must have a free slot.
func (t *Table) insert(key Key, v uint64) {
	slot, found := t.find(key)
	if slot == nil {
		return
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	copy(slot, key[:])
	copy(slot[len(key):], b[8-ValueSize:])
	t.dirty = true
	if !found {
		t.used++
	}
}

// find returns the slot that has a key, and true, or else the free slot for the key, and false.
// After an error, which the Store keeps, slot is nil. The slot is valid until the next call of
// find or slot.
func (t *Table) find(key Key) (slot []byte, found bool) {
	at, _ := bits.Mul64(binary.BigEndian.Uint64(key[:]), uint64(t.slots))
	for i := int64(at); ; i++ {
		if i == t.slots {
			i = 0
		}
		slot := t.slot(i)
		if slot == nil {
			return nil, false
		}
		switch Key(slot) {
		case key:
			return slot, true
		case Key{}:
			return slot, false
		}
	}
}

// slot returns the bytes of slot i, which are valid until the next call. It moves the window if
// necessary. After an error, which the Store keeps, it returns nil.
func (t *Table) slot(i int64) []byte {
	if i < t.start || i >= t.start+int64(len(t.window))/t.width() {
		if err := t.move(i / t.span * t.span); err != nil {
			t.store.Fail(err)
			return nil
		}
	}
	at := (i - t.start) * t.width()
	return t.window[at : at+t.width()]
}

// move writes the window into the file if it was changed, and reads the window that begins at
// slot start.
func (t *Table) move(start int64) error {
	if err := t.flush(); err != nil {
		return err
	}
	n := min(t.span, t.slots-start) * t.width()
	t.start, t.window = start, t.window[:n]
	return readFull(t.file, t.window, start*t.width())
}

// flush writes the window into the file, if it was changed and the table has a file.
func (t *Table) flush() error {
	if !t.dirty || t.file == nil {
		return nil
	}
	t.dirty = false
	_, err := t.file.WriteAt(t.window, t.start*t.width())
	return err
}

// grow doubles the table. Because slots are nearly in the order of their keys, both tables are
// read and written from start to end. It returns false after an error, which the Store keeps.
func (t *Table) grow() bool {
	larger := Table{store: t.store, keysOnly: t.keysOnly, slots: max(2*t.slots, firstSlots), pending: t.pending}
	err := larger.open()
	if err == nil {
		err = t.moveTo(&larger)
	}
	if err != nil {
		t.store.Fail(err)
		return false
	}
	if t.file != nil {
		t.store.dropFile(t.file, t.slots*t.width())
	}
	*t = larger
	return true
}

// open allocates t.slots empty slots, in memory or in a file.
func (t *Table) open() error {
	size := t.slots * t.width()
	if size <= t.store.Bounds.Table {
		t.window, t.span = make([]byte, size), t.slots
		return nil
	}
	if t.pending == nil {
		t.pending = make(map[Key]uint64)
	}
	var err error
	t.span = growSlots
	t.window = make([]byte, 0, t.span*t.width())
	t.file, err = t.store.newFile(size)
	return err
}

// moveTo copies the keys and values in all slots into larger, an empty table.
func (t *Table) moveTo(larger *Table) error {
	if err := t.widen(growSlots); err != nil {
		return err
	}
	for i := range t.slots {
		slot := t.slot(i)
		if slot == nil {
			return t.store.Err()
		}
		key := Key(slot)
		if key == (Key{}) {
			continue
		}
		free, _ := larger.find(key)
		if free == nil {
			return t.store.Err()
		}
		copy(free, slot)
		larger.dirty = true
		larger.used++
	}
	return larger.widen(windowSlots)
}

// widen writes the window into the file, empties it, and sets its number of slots. It has no effect
// on a table without a file.
func (t *Table) widen(span int64) error {
	if t.file == nil {
		return nil
	}
	if err := t.flush(); err != nil {
		return err
	}
	t.span, t.start = span, 0
	t.window = make([]byte, 0, span*t.width())
	return nil
}
