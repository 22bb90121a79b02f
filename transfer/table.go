package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"slices"
)

// A tableKey is the start of a hash: so much that two of ten million texts have the
// same by a chance of 1 in ten thousand millions.
type tableKey [10]byte

// A tableValue is what a table keeps of a key.
type tableValue [6]byte

// keyOf returns the key of a hash. It is not zero.
func keyOf(h hashed) tableKey {
	key := tableKey(h[:len(tableKey{})])
	key[len(key)-1] |= 1
	return key
}

// A table maps keys to values. It is an array of slots, at most three quarters full;
// a key is in the first free slot from its own on. A large table is in a file, and a
// window of it in memory. What is put into it is pending until there are so many keys
// that they are written in one go, in the order of their slots: writing them one by
// one, all over the file, takes several times as long.
//
// The zero table is empty, and all of it stays in memory.
//
//	slot  key (10 bytes, zero if it is free)  value (6 bytes, if there are values)
type table struct {
	spool    *spool
	keysOnly bool

	slots, used int64
	file        *spoolFile // nil if the window is all
	window      []byte
	start       int64 // of the window, in slots
	span        int64 // slots of a window
	dirty       bool  // the window is not in the file yet
	pending     map[tableKey]tableValue
}

const (
	firstSlots  = 1 << 8
	windowSlots = 1 << 6  // where slots are asked for in no order
	growSlots   = 1 << 14 // where they are in order
)

func (t *table) width() int64 {
	if t.keysOnly {
		return int64(len(tableKey{}))
	}
	return int64(len(tableKey{}) + len(tableValue{}))
}

// get returns the value of a key. After the spool has failed it has every key.
func (t *table) get(key tableKey) (v tableValue, ok bool) {
	if t.spool.failure() != nil {
		return v, true
	}
	if t.slots == 0 {
		return v, false
	}
	if v, ok = t.pending[key]; ok {
		return v, true
	}
	slot, found := t.find(key)
	if slot == nil {
		return v, true
	}
	copy(v[:], slot[len(key):])
	return v, found
}

// put sets the value of a key.
func (t *table) put(key tableKey, v tableValue) {
	if t.file != nil {
		t.pending[key] = v
		if len(t.pending) >= t.spool.bounds.pending {
			t.writePending()
		}
		return
	}
	if t.makeRoom(1) {
		t.insert(key, v)
	}
}

// writePending writes what is pending into the file.
func (t *table) writePending() {
	keys := slices.SortedFunc(maps.Keys(t.pending), func(a, b tableKey) int { return bytes.Compare(a[:], b[:]) })
	if !t.makeRoom(int64(len(keys))) {
		return
	}
	err := t.widen(growSlots)
	for _, key := range keys {
		t.insert(key, t.pending[key])
	}
	clear(t.pending)
	if err = errors.Join(err, t.widen(windowSlots)); err != nil {
		t.spool.broken(err)
	}
}

// makeRoom doubles the table if n more keys would make it too full. It reports
// whether there is room.
func (t *table) makeRoom(n int64) bool {
	for (t.used+n)*4 > t.slots*3 {
		if !t.grow() {
			return false
		}
	}
	return true
}

// insert puts a key into its slot.
func (t *table) insert(key tableKey, v tableValue) {
	slot, found := t.find(key)
	if slot == nil {
		return
	}
	copy(slot, key[:])
	copy(slot[len(key):], v[:])
	t.dirty = true
	if !found {
		t.used++
	}
}

// find returns the slot of a key, or the one that is free for it; nil after an error.
func (t *table) find(key tableKey) (slot []byte, found bool) {
	at, _ := bits.Mul64(binary.BigEndian.Uint64(key[:]), uint64(t.slots))
	for i := int64(at); ; i++ {
		if i == t.slots {
			i = 0
		}
		slot := t.slot(i)
		if slot == nil {
			return nil, false
		}
		switch tableKey(slot) {
		case key:
			return slot, true
		case tableKey{}:
			return slot, false
		}
	}
}

// slot returns slot i, as long as no other is asked for; nil after an error.
func (t *table) slot(i int64) []byte {
	if i < t.start || i >= t.start+int64(len(t.window))/t.width() {
		if err := t.move(i / t.span * t.span); err != nil {
			t.spool.broken(err)
			return nil
		}
	}
	at := (i - t.start) * t.width()
	return t.window[at : at+t.width()]
}

// move writes the window, and lets another one begin at a slot.
func (t *table) move(start int64) error {
	if err := t.flush(); err != nil {
		return err
	}
	n := min(t.span, t.slots-start) * t.width()
	t.start, t.window = start, t.window[:n]
	_, err := t.file.ReadAt(t.window, start*t.width())
	return err
}

func (t *table) flush() error {
	if !t.dirty || t.file == nil {
		return nil
	}
	t.dirty = false
	_, err := t.file.WriteAt(t.window, t.start*t.width())
	return err
}

// grow doubles the table. Slots are in the order of keys, nearly, so that both
// tables are gone through from the start to the end.
func (t *table) grow() bool {
	larger := table{spool: t.spool, keysOnly: t.keysOnly, slots: max(2*t.slots, firstSlots), pending: t.pending}
	err := larger.open()
	if err == nil {
		err = t.moveTo(&larger)
	}
	if err != nil {
		t.spool.broken(err)
		return false
	}
	if t.file != nil {
		t.spool.dropFile(t.file, t.slots*t.width())
	}
	*t = larger
	return true
}

// open makes room for the slots.
func (t *table) open() error {
	size := t.slots * t.width()
	if t.spool == nil || size <= t.spool.bounds.table {
		t.window, t.span = make([]byte, size), t.slots
		return nil
	}
	if t.pending == nil {
		t.pending = make(map[tableKey]tableValue)
	}
	var err error
	t.span = growSlots
	t.window = make([]byte, 0, t.span*t.width())
	t.file, err = t.spool.newFile(size)
	return err
}

// moveTo puts all that t has into larger, which is empty.
func (t *table) moveTo(larger *table) error {
	if err := t.widen(growSlots); err != nil {
		return err
	}
	for i := range t.slots {
		slot := t.slot(i)
		if slot == nil {
			return t.spool.failure()
		}
		key := tableKey(slot)
		if key == (tableKey{}) {
			continue
		}
		free, _ := larger.find(key)
		if free == nil {
			return t.spool.failure()
		}
		copy(free, slot)
		larger.dirty = true
		larger.used++
	}
	return larger.widen(windowSlots)
}

// widen lets windows have so many slots.
func (t *table) widen(span int64) error {
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
