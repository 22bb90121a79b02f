package cache

import (
	"bytes"
	"container/list"
	"io"
)

const (
	hotLargest = 64 << 10 // octets of a resource
	hotRecord  = 2 << 10  // octets of memory that a record takes; see isShort
	hotMost    = 32 << 20 // octets of all of them
)

// hot keeps the records of files that are asked for often in memory, too, and the
// octets of those that are small: 32 MiB at most. The zero value is ready; the
// Folder's lock guards it.
type hot struct {
	order list.List                // of the values of keys, the most recently used first
	keys  map[string]*list.Element // those of Folder.items, by the keys of their records
	used  int64
}

// use lets an item be the most recently used.
func (h *hot) use(it *item) {
	if it.hot != nil {
		h.order.MoveToFront(it.hot)
	}
}

// add keeps the record of an item, unless it is long, and with it octets.
func (h *hot) add(e *list.Element, kept *record, octets []byte) {
	if !kept.isShort() {
		return
	}
	it := e.Value.(*item)
	h.drop(it)
	if h.keys == nil {
		h.keys = make(map[string]*list.Element)
	}
	h.keys[kept.Key] = e
	it.kept, it.octets, it.hot = kept, octets, h.order.PushFront(it)
	h.used += it.hotSize()
	for h.used > hotMost {
		h.drop(h.order.Back().Value.(*item))
	}
}

// hotSize is about how many octets of memory what is hot of an item takes.
func (it *item) hotSize() int64 { return hotRecord + int64(len(it.octets)) }

// drop forgets what is hot of an item.
func (h *hot) drop(it *item) {
	if it.hot == nil {
		return
	}
	h.order.Remove(it.hot)
	delete(h.keys, it.kept.Key)
	h.used -= it.hotSize()
	it.kept, it.octets, it.hot = nil, nil, nil
}

// body returns the octets of what is kept, from an offset. What is small is
// compared with its CRC before it is given; the rest while it is read, if it is
// read from its start.
func (f *Folder) body(kept *record, offset int64) (io.ReadCloser, error) {
	if octets, ok := f.remembered(kept); ok {
		return newInMemory(octets, offset), nil
	}
	file, err := f.open(kept)
	if err != nil {
		return nil, err
	}
	if kept.Length > hotLargest {
		if offset > 0 {
			file.skip(offset)
		}
		return file, nil
	}
	defer file.Close()
	octets := make([]byte, kept.Length)
	if _, err := io.ReadFull(file, octets); err != nil {
		return nil, err
	}
	if err := file.verify(); err != io.EOF { //nolint:errorlint // verify gives it as it is
		return nil, err
	}
	f.remember(kept, octets)
	return newInMemory(octets, offset), nil
}

// inMemory is a body of octets in memory.
type inMemory struct{ bytes.Reader }

func newInMemory(octets []byte, offset int64) *inMemory {
	m := new(inMemory)
	m.Reset(octets[offset:])
	return m
}

func (*inMemory) Close() error { return nil }

// remembered returns the octets of what is kept, if they are in memory.
func (f *Folder) remembered(kept *record) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.hot.keys[kept.Key]
	if !ok {
		return nil, false
	}
	it := e.Value.(*item)
	return it.octets, it.kept == kept && it.octets != nil
}

// remember keeps octets in memory while their file is kept.
func (f *Folder) remember(kept *record, octets []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.hot.keys[kept.Key]; ok && e.Value.(*item).kept == kept {
		f.hot.add(e, kept, octets)
	}
}
