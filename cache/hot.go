package cache

import (
	"bytes"
	"container/list"
	"io"
)

const (
	hotLargest = 64 << 10 // octets of a resource
	hotMost    = 16 << 20 // octets of all of them
)

// hot keeps the octets of small files that are asked for often in memory, too:
// 16 MiB at most. The zero value is ready; the Folder's lock guards it.
type hot struct {
	order list.List // of *item, the most recently used first
	used  int64
}

// use lets an item be the most recently used.
func (h *hot) use(it *item) {
	if it.hot != nil {
		h.order.MoveToFront(it.hot)
	}
}

// add keeps the octets of an item.
func (h *hot) add(it *item, octets []byte) {
	h.drop(it)
	it.octets, it.hot = octets, h.order.PushFront(it)
	h.used += int64(len(octets))
	for h.used > hotMost {
		h.drop(h.order.Back().Value.(*item))
	}
}

// drop forgets the octets of an item.
func (h *hot) drop(it *item) {
	if it.hot == nil {
		return
	}
	h.order.Remove(it.hot)
	h.used -= int64(len(it.octets))
	it.octets, it.hot = nil, nil
}

// body returns the octets of what is kept, from an offset. What is small is
// compared with its CRC before it is given; the rest while it is read, if it is
// read from its start.
func (f *Folder) body(kept *record, offset int64) (io.ReadCloser, error) {
	if octets, ok := f.remembered(kept); ok {
		return inMemory(octets, offset), nil
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
	return inMemory(octets, offset), nil
}

func inMemory(octets []byte, offset int64) io.ReadCloser {
	return io.NopCloser(bytes.NewReader(octets[offset:]))
}

// remembered returns the octets of what is kept, if they are in memory.
func (f *Folder) remembered(kept *record) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.items[nameOf(kept.Key)]
	if !ok {
		return nil, false
	}
	it := e.Value.(*item)
	if it.kept != kept || it.hot == nil {
		return nil, false
	}
	f.hot.use(it)
	return it.octets, true
}

// remember keeps octets in memory while their file is kept.
func (f *Folder) remember(kept *record, octets []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.items[nameOf(kept.Key)]; ok && e.Value.(*item).kept == kept {
		f.hot.add(e.Value.(*item), octets)
	}
}
