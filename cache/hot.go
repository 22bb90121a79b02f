package cache

import (
	"bytes"
	"container/list"
	"io"

	"locus/access"
)

const (
	hotLargest  = 64 << 10 // bytes of a resource in memory, at most
	hotMetadata = 2 << 10  // bytes that the metadata of a resource take, at most
	hotMost     = 32 << 20 // bytes in all
)

// hot holds the metadata of recently used files in memory, and the bytes of small files,
// because most hits are for few resources. It takes about 32 MiB at most. The zero hot is empty.
// The lock of the Folder guards it.
type hot struct {
	order list.List                // of the values of keys, the most recently used first
	keys  map[string]*list.Element // elements of Folder.items, by the keys of their resources
	used  int64
}

// add keeps the metadata of the item e in memory, and the bytes of its resource unless data is
// nil. It has no effect if the metadata are long. It makes space by dropping the least recently
// used items.
func (h *hot) add(e *list.Element, stored *metadata, data []byte) {
	if stored.size > hotMetadata {
		return
	}
	it := e.Value.(*item)
	h.drop(it)
	if h.keys == nil {
		h.keys = make(map[string]*list.Element)
	}
	h.keys[stored.Key] = e
	it.stored, it.data, it.hot = stored, data, h.order.PushFront(it)
	h.used += it.hotSize()
	for h.used > hotMost {
		h.drop(h.order.Back().Value.(*item))
	}
}

// hotSize estimates how many bytes of memory an item takes here.
func (it *item) hotSize() int64 { return hotMetadata + int64(len(it.data)) }

// drop removes an item from memory, if it is there. The file of the item stays.
func (h *hot) drop(it *item) {
	if it.hot == nil {
		return
	}
	h.order.Remove(it.hot)
	delete(h.keys, it.stored.Key)
	h.used -= it.hotSize()
	it.stored, it.data, it.hot = nil, nil, nil
}

// body opens the bytes of a stored resource from offset on. offset is at most stored.Length. The
// CRC of a small resource is compared at once, and the CRC of a large resource after a Read from
// start to end. The caller closes the body.
func (f *Folder) body(stored *metadata, offset int64) (io.ReadCloser, error) {
	if data, ok := f.inMemory(stored); ok {
		return newMemoryBody(data, offset), nil
	}
	file, err := f.open(stored)
	if err != nil {
		return nil, err
	}
	if stored.Length > hotLargest {
		if offset > 0 {
			file.skip(offset)
		}
		return file, nil
	}
	defer file.Close()
	data := make([]byte, stored.Length)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	if err := file.verify(); !access.IsEnd(err) {
		return nil, err
	}
	f.hold(stored, data)
	return newMemoryBody(data, offset), nil
}

// A memoryBody is a Body in memory.
type memoryBody struct{ bytes.Reader }

// newMemoryBody returns a body with the bytes of data from offset on.
func newMemoryBody(data []byte, offset int64) *memoryBody {
	m := new(memoryBody)
	m.Reset(data[offset:])
	return m
}

func (*memoryBody) Close() error { return nil }

// inMemory returns the bytes of a stored resource if they are in memory. Otherwise it returns
// false.
func (f *Folder) inMemory(stored *metadata) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.hot.keys[stored.Key]
	if !ok {
		return nil, false
	}
	it := e.Value.(*item)
	return it.data, it.stored == stored && it.data != nil
}

// hold keeps the bytes of a stored resource in memory, if its metadata, stored, are still there.
func (f *Folder) hold(stored *metadata, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.hot.keys[stored.Key]; ok && e.Value.(*item).stored == stored {
		f.hot.add(e, stored, data)
	}
}
