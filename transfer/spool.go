package transfer

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// Two limits of a mirror; see MirrorOptions.MaxEntries and MaxSpool.
var (
	ErrTooManyEntries = errors.New("the tree has too many entries")
	ErrSpoolFull      = errors.New("the tree needs too much room for temporary files")
)

// pageSize is how many bytes a page of a stream has.
const pageSize = 16 << 10

// A spool holds what a mirror has found and not done yet, in streams and tables. It
// keeps a few megabytes in memory and the rest in temporary files.
//
// After its first error a spool is of no more use: streams give no more tasks, and
// tables claim to have everything. The nil spool keeps all in memory.
type spool struct {
	create func() (*spoolFile, error) // returns an empty temporary file
	most   int64                      // how many bytes the files may have
	fail   func(error)                // is called once, with the first error
	bounds memoryBounds

	mu        sync.Mutex
	err       error
	files     []*spoolFile
	pages     *spoolFile // of streams; nil until it is needed
	pageCount int32      // in the file
	free      []int32    // the pages in the file that hold nothing
	disk      int64      // bytes of all files
	memory    int        // bytes of full pages in memory
}

// memoryBounds say how much of a spool stays in memory.
type memoryBounds struct {
	pages   int   // bytes of full pages of streams
	table   int64 // bytes up to which a table has no file
	pending int   // new keys of a table with a file
}

// usualBounds returns those of a mirror, which takes some 20 MB with them.
func usualBounds() memoryBounds {
	return memoryBounds{pages: 8 << 20, table: 4 << 20, pending: 1 << 16}
}

// A spoolFile is a temporary file.
type spoolFile struct {
	*os.File
	remove func() // removes its name, if it still has one
}

// close removes all files.
func (s *spool) close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		f.Close()
		f.remove()
	}
	s.files, s.pages = nil, nil
}

// failure returns the first error; nil if there was none.
func (s *spool) failure() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// broken takes note of an error.
func (s *spool) broken(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first {
		s.fail(err)
	}
}

// newFile returns a temporary file for n bytes, all zero.
func (s *spool) newFile(n int64) (*spoolFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reserve(n); err != nil {
		return nil, err
	}
	return s.createFile(n)
}

func (s *spool) createFile(n int64) (*spoolFile, error) {
	f, err := s.create()
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, f)
	return f, f.Truncate(n)
}

// dropFile removes a file of n bytes.
func (s *spool) dropFile(f *spoolFile, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Close()
	f.remove()
	s.disk -= n
	for i := range s.files {
		if s.files[i] == f {
			s.files = append(s.files[:i], s.files[i+1:]...)
			break
		}
	}
}

// reserve counts n more bytes on the disk. s is locked.
func (s *spool) reserve(n int64) error {
	if s.disk+n > s.most {
		return fmt.Errorf("%w: more than %d bytes", ErrSpoolFull, s.most)
	}
	s.disk += n
	return nil
}

// A spoolPage is a part of a stream, in memory or on the disk.
type spoolPage struct {
	data []byte // nil if it is on the disk
	at   int32  // the page in the file
	n    int    // bytes
}

// store takes a page of a stream, which is never written again.
func (s *spool) store(data []byte) (spoolPage, error) {
	if s == nil {
		return spoolPage{data: data, n: len(data)}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory+len(data) <= s.bounds.pages {
		s.memory += len(data)
		return spoolPage{data: data, n: len(data)}, nil
	}
	at, err := s.freePage()
	if err != nil {
		return spoolPage{}, err
	}
	_, err = s.pages.WriteAt(data, int64(at)*pageSize)
	return spoolPage{at: at, n: len(data)}, err
}

// freePage returns a page in the file that holds nothing. s is locked.
func (s *spool) freePage() (int32, error) {
	if last := len(s.free) - 1; last >= 0 {
		at := s.free[last]
		s.free = s.free[:last]
		return at, nil
	}
	if err := s.reserve(pageSize); err != nil {
		return 0, err
	}
	if s.pages == nil {
		var err error
		if s.pages, err = s.createFile(0); err != nil {
			return 0, err
		}
	}
	s.pageCount++
	return s.pageCount - 1, nil
}

// load returns what a page has, and forgets the page. It may use the memory of room.
func (s *spool) load(p spoolPage, room []byte) ([]byte, error) {
	if s == nil {
		return p.data, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.data != nil {
		s.memory -= p.n
		return p.data, nil
	}
	if cap(room) < p.n {
		room = make([]byte, pageSize)
	}
	room = room[:p.n]
	if _, err := s.pages.ReadAt(room, int64(p.at)*pageSize); err != nil {
		return nil, early(err)
	}
	s.free = append(s.free, p.at)
	return room, nil
}

// drop forgets a page.
func (s *spool) drop(p spoolPage) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.data != nil {
		s.memory -= p.n
	} else {
		s.free = append(s.free, p.at)
	}
}
