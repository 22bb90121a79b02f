package spill

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrFull says that the temporary files of a Store would exceed MaxDisk.
var ErrFull = errors.New("the tree needs too much space for temporary files")

// pageSize is the size of a page of a Queue.
const pageSize = 16 << 10

// Options say where a Store keeps data that does not fit into memory.
type Options struct {
	Create  func() (*Temp, error) // returns an empty temporary file
	MaxDisk int64                 // how many bytes the files may have; a negative value means no limit
	OnFail  func(error)           // is called once, with the first error; may be nil
	Bounds  Bounds                // how much stays in memory; the zero Bounds mean UsualBounds
}

// Bounds say how much of a Store stays in memory.
type Bounds struct {
	Pages   int   // bytes of full pages of all queues
	Table   int64 // bytes of a table; a larger one has a file
	Pending int   // pending keys of a table with a file
}

// UsualBounds returns bounds with which a copy of any tree takes about 20 MB.
func UsualBounds() Bounds { return Bounds{Pages: 8 << 20, Table: 4 << 20, Pending: 1 << 16} }

// A Store is the memory and the temporary files of queues, tables and sets. Several
// goroutines may use it at once.
type Store struct {
	Options

	mu    sync.Mutex
	err   error
	files []*Temp
	disk  int64 // bytes in all files
	pages pagePool
}

// A pagePool is the full pages of all queues.
type pagePool struct {
	memory int     // bytes of pages in memory
	file   *Temp   // of the other pages; nil until it is needed
	count  int32   // pages in that file
	free   []int32 // the free pages in that file
}

// NewStore returns an empty Store. The caller calls Close, which removes its files.
func NewStore(o Options) *Store {
	if o.Bounds == (Bounds{}) {
		o.Bounds = UsualBounds()
	}
	return &Store{Options: o}
}

// Close removes all files of the Store, whose queues and tables must not be used any more.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		f.remove()
	}
	s.files, s.pages.file = nil, nil
}

// Err returns the first error, or nil if the Store has not failed.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Fail makes the Store fail with err, and calls OnFail. It has no effect if the Store has
// already failed.
func (s *Store) Fail(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first && s.OnFail != nil {
		s.OnFail(err)
	}
}

// newFile returns a new temporary file of n zero bytes, which it counts. The error wraps
// ErrFull if the files would exceed MaxDisk.
func (s *Store) newFile(n int64) (*Temp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reserve(n); err != nil {
		return nil, err
	}
	return s.createFile(n)
}

// createFile makes a temporary file of n zero bytes, and adds it to files. The caller has
// counted the bytes, and holds mu.
func (s *Store) createFile(n int64) (*Temp, error) {
	f, err := s.Create()
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, f)
	return f, f.Truncate(n)
}

// dropFile removes f, a file of n bytes, and no longer counts the bytes.
func (s *Store) dropFile(f *Temp, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.remove()
	s.disk -= n
	s.files = slices.DeleteFunc(s.files, func(g *Temp) bool { return g == f })
}

// reserve counts n more bytes in the files. If they would exceed MaxDisk, it counts none, and
// the error wraps ErrFull. The caller holds mu.
func (s *Store) reserve(n int64) error {
	if s.MaxDisk >= 0 && s.disk+n > s.MaxDisk {
		return fmt.Errorf("%w: more than %d bytes", ErrFull, s.MaxDisk)
	}
	s.disk += n
	return nil
}

// A page is a full page of a Queue, in memory or in the file.
type page struct {
	data []byte // nil if it is in the file
	at   int32  // its number in the file
	n    int    // its length
}

// storePage stores data as a page, in memory if there is room, and otherwise in the file. The
// caller must not change data afterwards if the page is in memory.
func (s *Store) storePage(data []byte) (page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages.memory+len(data) <= s.Bounds.Pages {
		s.pages.memory += len(data)
		return page{data: data, n: len(data)}, nil
	}
	at, err := s.freePage()
	if err != nil {
		return page{}, err
	}
	_, err = s.pages.file.WriteAt(data, int64(at)*pageSize)
	return page{at: at, n: len(data)}, err
}

// freePage returns the number of an unused page of the file, which it creates or extends if
// necessary. The caller holds mu.
func (s *Store) freePage() (int32, error) {
	p := &s.pages
	if last := len(p.free) - 1; last >= 0 {
		at := p.free[last]
		p.free = p.free[:last]
		return at, nil
	}
	if err := s.reserve(pageSize); err != nil {
		return 0, err
	}
	if p.file == nil {
		var err error
		if p.file, err = s.createFile(0); err != nil {
			return 0, err
		}
	}
	p.count++
	return p.count - 1, nil
}

// loadPage returns the bytes of a page, and frees the page. It may use the memory of buffer.
func (s *Store) loadPage(p page, buffer []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.data != nil {
		s.pages.memory -= p.n
		return p.data, nil
	}
	if cap(buffer) < p.n {
		buffer = make([]byte, pageSize)
	}
	buffer = buffer[:p.n]
	if err := readFull(s.pages.file, buffer, int64(p.at)*pageSize); err != nil {
		return nil, err
	}
	s.pages.free = append(s.pages.free, p.at)
	return buffer, nil
}

// dropPage frees a page without reading it.
func (s *Store) dropPage(p page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.data != nil {
		s.pages.memory -= p.n
	} else {
		s.pages.free = append(s.pages.free, p.at)
	}
}
